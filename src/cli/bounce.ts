import { createReadStream } from 'node:fs'
import { type Command, Option } from 'commander'
import { clip } from '../common/clip.ts'
import { INBOUND_KINDS, INBOUND_OUTCOMES } from '../email/inbound-mail.ts'
import { READ_LIMIT, readReport } from '../mail/report/read-report.ts'
import type { MailReport, ReportKind } from '../mail/report/report.ts'
import { command, countUpTo, group, type JsonOption } from './command.ts'
import { CommandFailure, unreadableFile } from './failure.ts'
import { findingSummary } from './finding-summary.ts'
import { printError, printFields, printJson, printJsonLine, printLine, printNote } from './print.ts'

export function addBounce(program: Command): void {
  const bounce = group(program, 'bounce', 'Bounces, complaints and automatic replies.', [
    'bounce list --outcome unproven',
    'bounce read returned.eml',
    'bounce read - < returned.eml',
  ])

  command(bounce, {
    usage: 'list',
    description: 'List returned mail, newest first.',
    details:
      'The kind is the type of the mail, the outcome its consequence: "bounce show" explains it. POSTROAD_RETENTION_INBOUND sets how long the mail is kept.',
    examples: [
      'bounce list --kind bounce',
      'bounce list --email 019abcde-0000-7000-8000-000000000000 --json',
    ],
  })
    .option('--company <name or id>', 'only those about emails of this company')
    .option('--email <id>', 'only those about this email')
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(INBOUND_KINDS))
    .addOption(new Option('--outcome <outcome>', 'only those with this outcome').choices(INBOUND_OUTCOMES))
    .option('--limit <count>', 'at most this many', countUpTo(1_000), 50)
    .action(async (wanted) => (await import('./returned-mail.ts')).list(wanted))

  command(bounce, {
    usage: 'show <id>',
    description: 'Show a returned mail: what it reports, and its consequences.',
    details: '--raw prints the message itself as it arrived, up to 64 KiB.',
    examples: ['bounce show 019abcde-0000-7000-8000-000000000000'],
  })
    .option('--raw', 'print the message')
    .action(async (id, options) => (await import('./returned-mail.ts')).show(id, options))

  command(bounce, {
    usage: 'read <file...>',
    description: 'Show what a returned mail reports about its recipients; - reads from stdin.',
    details:
      'Each file contains one mail as it arrived, header included. The kind is bounce (delivery failed), delay (still being tried), complaint ' +
      '(the recipient marked it as spam), auto_reply, or none (anything else).\n\n' +
      'A failure is permanent when the address or its domain no longer exists: send nothing there again. A full mailbox, a spam filter or a ' +
      'block list is not permanent, even if this mail has failed for good. The category is the reason, as in the events.\n\n' +
      'Reading changes nothing and needs no database. With --apply, the mail is kept, and its bounces and complaints are recorded with the email ' +
      'if a return path in its header or the signature of its server proves them. DMARC and TLS reports are kept, but not added to the totals.\n\n' +
      'Only the first 1 MiB of each file is read.',
    examples: [
      'bounce read returned.eml',
      'bounce read - < returned.eml',
      'bounce read bounces/*.eml --json',
    ],
    json: 'print JSON instead of text; of several files one object a line',
  })
    .option('--apply', 'keep the mail, and record what it reports')
    .action(read)
}

async function read(
  files: string[],
  { json, apply: applies }: JsonOption & { apply?: boolean },
): Promise<void> {
  if (applies) return await applyEach(files, json)
  for (const [index, file] of files.entries()) {
    let report: MailReport
    try {
      report = readReport(await beginningOf(file))
    } catch (error) {
      // The others are read all the same.
      if (files.length === 1) throw error
      printError(`postroad: ${(error as Error).message}\n`)
      process.exitCode = 1
      continue
    }
    if (json) {
      if (files.length === 1) printJson(reportJson(report))
      else printJsonLine({ file, ...reportJson(report) })
      continue
    }
    if (files.length > 1) {
      if (index > 0) printLine()
      printLine(`${file}:`)
    }
    printReport(report)
  }
}

/** The store and the verbs are loaded only here: reading starts faster without them. */
async function applyEach(files: string[], json: JsonOption['json']): Promise<void> {
  const { apply } = await import('./returned-mail.ts')
  await apply(files, beginningOf, json)
}

/** The octets of a file that the reader looks at. */
async function beginningOf(file: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  try {
    for await (const piece of file === '-' ? process.stdin : createReadStream(file)) {
      pieces.push(piece)
      length += piece.length
      if (length > READ_LIMIT) {
        printNote(`${file === '-' ? 'stdin' : file}: only the first 1 MiB is read`)
        break
      }
    }
  } catch (error) {
    throw unreadableFile(file, error)
  }
  if (length === 0) throw new CommandFailure(`${file === '-' ? 'stdin' : file} is empty`)
  return Buffer.concat(pieces)
}

function reportJson({ kind, recipients, returned }: MailReport): object {
  return {
    kind,
    recipients: recipients.map(
      ({ address, original, action, status, reply, permanent, category, message }) => ({
        address,
        original_recipient: original,
        action,
        status,
        reply,
        permanent,
        category,
        message,
      }),
    ),
    returned: {
      message_id: returned.messageId,
      feedback_id: returned.feedbackId,
      from: returned.from,
      envelope_id: returned.envelopeId,
      mail_from: returned.mailFrom,
    },
  }
}

const MEANING: Readonly<Record<ReportKind, string>> = {
  bounce: 'bounce: delivery has failed',
  delay: 'delay: not delivered yet, still being tried',
  complaint: 'complaint: a recipient calls the mail unwanted',
  auto_reply: 'auto_reply: a program answers for the recipient',
  none: 'none: no report of a failure',
}

/** Characters of a server's words that are printed. */
const LONGEST_MESSAGE = 300

function printReport({ kind, recipients, returned }: MailReport): void {
  printFields([
    ['Kind', MEANING[kind]],
    ...named('Message-ID', returned.messageId),
    ...named('Feedback-ID', returned.feedbackId),
    ...named('Envelope ID', returned.envelopeId),
    ...named('MAIL FROM', returned.mailFrom),
  ])
  for (const recipient of recipients) {
    printLine()
    printLine(recipient.address)
    const { message, original, address } = recipient
    printLine(`  ${findingSummary(recipient)}`)
    if (original !== null && original !== address) printLine(`  written to as ${original}`)
    if (message !== '') printLine(`  ${clip(message, LONGEST_MESSAGE)}`)
  }
  if (recipients.length === 0 && (kind === 'bounce' || kind === 'delay')) printLine('It names no recipient.')
}

const named = (name: string, value: string | null): [string, string][] =>
  value === null ? [] : [[name, value]]
