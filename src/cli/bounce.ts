import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { READ_LIMIT, readReport } from '../mail/report/read-report.ts'
import type { MailReport, ReportedRecipient, ReportKind } from '../mail/report/report.ts'
import { command, group, type JsonOption } from './command.ts'
import { CommandFailure } from './failure.ts'
import { clipped, printError, printFields, printJson, printJsonLine, printLine, printNote } from './print.ts'

export function addBounce(program: Command): void {
  const bounce = group(program, 'bounce', 'Bounces, complaints and automatic replies.', [
    'bounce read returned.eml',
    'bounce read - < returned.eml',
  ])

  command(bounce, {
    usage: 'read <file...>',
    description: 'Show what a mail that came back says about which recipients; - reads from stdin.',
    details:
      'A file is a mail as it arrived, with its header. The kind is bounce (delivery failed), delay (still being tried), complaint ' +
      '(the recipient called it spam), auto_reply, or none (anything else).\n\n' +
      'A recipient is permanent when its address or domain is dead: nothing should be sent there again. A full mailbox, a spam filter or a ' +
      'block list are not, however final the failure of this mail was. The category is the reason, as in the events.\n\n' +
      'Reading changes nothing and needs no database. Of each file the first 1 MiB is read.',
    examples: [
      'bounce read returned.eml',
      'bounce read - < returned.eml',
      'bounce read bounces/*.eml --json',
    ],
    json: 'print JSON instead of text; of several files one object a line',
  }).action(read)
}

async function read(files: string[], { json }: JsonOption): Promise<void> {
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
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message
    throw new CommandFailure(`${file} cannot be read: ${why}`)
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
  ])
  for (const recipient of recipients) {
    printLine()
    printLine(recipient.address)
    const { message, original, address } = recipient
    printLine(`  ${summary(recipient)}`)
    if (original !== null && original !== address) printLine(`  written to as ${original}`)
    if (message !== '') printLine(`  ${clipped(message, LONGEST_MESSAGE)}`)
  }
  if (recipients.length === 0 && (kind === 'bounce' || kind === 'delay')) printLine('It names no recipient.')
}

const named = (name: string, value: string | null): [string, string][] =>
  value === null ? [] : [[name, value]]

function summary({ action, category, permanent, status, reply }: ReportedRecipient): string {
  const codes = [reply, status].filter((code) => code !== null).join(' ')
  const words = [
    action ?? 'complained',
    ...(category === null ? [] : [category]),
    ...(permanent ? ['the address is dead'] : []),
  ].join(', ')
  return codes === '' ? words : `${words} (${codes})`
}
