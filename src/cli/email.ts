import { type Command, Option } from 'commander'
import { clip } from '../common/clip.ts'
import { type EventType, LAST_EVENT_TYPES, tagFilterOf } from '../email/event.ts'
import type { InboundMail } from '../email/inbound-mail.ts'
import { clearEmails, deleteEmails } from '../operate/email-deletion.ts'
import { cancelEmail, type EmailListing, listEmails, rescheduleEmail, showEmail } from '../operate/emails.ts'
import { addressIn, companyName } from '../operate/find.ts'
import { listedStatuses } from '../operate/listed-status.ts'
import { emailStatus } from '../operate/next-step.ts'
import { listReturnedMails } from '../operate/returned-mail.ts'
import { emailSummaryJson, historyJson } from '../operate/shapes/email.ts'
import { returnedMailJson } from '../operate/shapes/returned-mail.ts'
import { isoTime } from '../operate/shapes/time.ts'
import { STATUS_FILTERS, type StatusFilter, statusText } from '../operate/status-word.ts'
import { command, countUpTo, group, type JsonOption, parser } from './command.ts'
import { CAPTURES, isRelayed } from './delivery-advice.ts'
import { printHistory } from './email-history.ts'
import { WrongUsage } from './failure.ts'
import { withOperation } from './open.ts'
import {
  formatTime,
  printJson,
  printLine,
  printMessage,
  printNote,
  printTable,
  recipientCount,
} from './print.ts'
import { sinceOf, whenOf } from './when.ts'

export function addEmail(program: Command): void {
  const email = group(program, 'email', 'Emails: what was accepted, and what happened to it.', [
    'email list --company Acme',
    'email show ID',
    'email cancel ID',
  ])

  command(email, {
    usage: 'list',
    description: 'List emails, newest first. Options filter the list.',
    details:
      'You can combine options. --to, --words, --reply, --tag, --key, --domain and most values of --event are fast however many ' +
      'emails there are. --from, --subject, --body and --attachments read every email, as does --status for waiting mail. If you use ' +
      'one of these alone, add --since to keep it fast.',
    examples: [
      'email list',
      'email list --to jane@example.com',
      'email list --company Acme --event bounced --since 3d',
      'email list --status held paused',
      'email list --company Acme --limit 100',
      'email list --before ID',
    ],
  })
    .option('--company <name or id>', 'only those of this company')
    .option('--to <address>', 'only those to this recipient (in to, cc or bcc)', parser(addressIn))
    .option('--from <text>', 'only those with this text in From')
    .option('--subject <text>', 'only those with this text in the subject')
    .option('--words <text>', 'only those with these words in the subject, in this order', (text) => [text])
    .option('--reply <text>', 'only those with these words in the last reply of a server', (text) => [text])
    .option('--body <text>', 'only those with these words in the beginning of the text', (text) => [text])
    .option('--tag <name, value or name:value>', 'only those with this tag', tagFilterOf)
    .option('--attachments', 'only those with attachments')
    .addOption(
      new Option('--event <event...>', 'only those with this last event; can be repeated').choices(
        LAST_EVENT_TYPES,
      ),
    )
    .addOption(
      new Option(
        '--status <status...>',
        'only those with this status, as the list shows it; waiting stands for all that have no final status yet; can be repeated',
      ).choices(STATUS_FILTERS),
    )
    .option('--domain <domain>', 'only those from this sending domain')
    .option('--key <name or id>', 'only those sent with this API key')
    .option(
      '--since <time>',
      'only those accepted since then: like 2027-01-01T12:00:00Z, or 3d for the last three days',
      sinceOf,
    )
    .option('--until <time>', 'only those accepted before that', sinceOf)
    .option('--limit <count>', 'at most this many', countUpTo(1000), 20)
    .option('--before <id>', 'only those accepted before this one (the next page)')
    .action(list)

  command(email, {
    usage: 'show <id>',
    description: 'Show an email: each recipient, every event, every SMTP dialogue.',
    details:
      'Each recipient has a state of its own:\n\n' +
      '  waiting      the next attempt is at the time shown\n' +
      '  sending      a node is delivering it, or is about to\n' +
      '  quarantined  not attempted until it is released or canceled\n' +
      '  delivered    the recipient server accepted the message\n' +
      '  bounced      the recipient server refused it permanently\n' +
      '  failed       given up: no attempts are left\n' +
      '  suppressed   the company does not send to this address\n' +
      '  canceled     by its sender or the operator\n\n' +
      'With --raw the message itself goes to stdout, as it left or would leave. A batch has a copy for each recipient; ' +
      '--recipient chooses one.',
    examples: [
      'email show ID',
      'email show ID --raw > message.eml',
      'email show ID --raw --recipient jane@example.com',
    ],
  })
    .option('--raw', 'print the message as it is transmitted: header, body, signature')
    .option('--recipient <address>', 'with --raw: whose copy')
    .action(show)

  command(email, {
    usage: 'cancel <id>',
    description: 'Cancel the recipients of an email that are waiting or in quarantine.',
    details:
      'Recipients being sent to are canceled too, unless their server accepts the message first. Delivered and bounced recipients do not change.',
    examples: ['email cancel ID'],
  }).action(cancel)

  command(email, {
    usage: 'delete [id...]',
    description: 'In capture mode: delete emails with their content and events.',
    details: 'Emails that are not sent yet are kept; cancel them first.',
    examples: ['email delete ID', 'email delete --all', 'email delete --all --company Acme'],
  })
    .option('--all', 'delete all emails')
    .option('--company <name or id>', 'only those of this company')
    .action(remove)

  command(email, {
    usage: 'reschedule <id>',
    description: 'Change the time of a scheduled email.',
    details: 'To send it now: postroad queue retry ID.',
    examples: ['email reschedule ID --at 2027-01-01T12:00:00Z', 'email reschedule ID --at 12h'],
  })
    .requiredOption(
      '--at <when>',
      'the new time: 2027-01-01, 2027-01-01T12:00:00Z, or a time from now: 30m, 12h, 7d',
      whenOf,
    )
    .action(reschedule)
}

interface ListOptions
  extends JsonOption,
    Omit<EmailListing, 'events' | 'statuses' | 'replyWords' | 'textWords'> {
  event?: EventType[]
  status?: StatusFilter[]
  reply?: string[]
  body?: string[]
}

async function list({
  json,
  event: events,
  status: statuses,
  reply,
  body,
  ...given
}: ListOptions): Promise<void> {
  const wanted = { ...given, events, statuses, replyWords: reply, textWords: body }
  await withOperation(async (op) => {
    const emails = await listEmails(op, wanted)
    const statuses = await listedStatuses(op, { emails })
    if (json) {
      return printJson(
        emails.map((email) => ({
          ...emailSummaryJson(email),
          status: statuses.get(email.id)!.of,
          status_note: statuses.get(email.id)!.note ?? null,
        })),
      )
    }
    printTable(
      ['ID', 'ACCEPTED', 'COMPANY', 'STATUS', 'FROM', 'TO', 'SUBJECT'],
      emails.map((email) => [
        email.id,
        formatTime(email.createdAt),
        clip(companyName(op, email.companyId), 20),
        statusText(statuses.get(email.id)!),
        clip(email.from, 40),
        clip(formatRecipients(email.to), 40),
        clip(email.subject, 40),
      ]),
      describeNoEmails(wanted),
    )
    if (emails.length === wanted.limit) {
      printLine()
      printLine(`For older emails, run the same command with --before ${emails.at(-1)!.id}`)
    }
    if (emails.length > 0 && op.setup.delivery.kind === 'capture') {
      printLine()
      printLine(CAPTURES)
    }
  })
}

function describeNoEmails({ company: _company, before, limit: _limit, ...search }: EmailListing): string {
  if (Object.values(search).some((value) => value !== undefined)) return 'No email matches.'
  return before === undefined ? 'There are no emails yet.' : 'There are no emails before that one.'
}

function formatRecipients(to: string[]): string {
  return to.length <= 1 ? (to[0] ?? '') : `${to[0]} and ${to.length - 1} more`
}

/** The most returned mails that are shown with an email: the newest. */
const SHOWN_RETURNED = 10

/** Bounces, complaints and automatic replies about the email; nothing if there are none. */
function printReturned(mails: readonly InboundMail[], id: string): void {
  if (mails.length === 0) return
  printLine()
  printLine('Returned mail')
  printTable(
    ['TIME', 'ID', 'KIND', 'OUTCOME', 'FROM'],
    mails.map(({ at, id, kind, outcome, from }) => [formatTime(at), id, kind, outcome, clip(from, 40)]),
    'none',
  )
  if (mails.length === SHOWN_RETURNED) printLine(`All of it: postroad bounce list --email ${id}`)
}

interface ShowOptions extends JsonOption {
  raw?: true
  recipient?: string
}

async function show(id: string, { raw, recipient, json }: ShowOptions): Promise<void> {
  if (raw) return await showRaw(id, recipient, json)
  await withOperation(async (op) => {
    const history = await showEmail(op, { id })
    const returned = await listReturnedMails(op, { emailId: history.email.id, limit: SHOWN_RETURNED })
    if (json) return printJson({ ...historyJson(history), returned_mail: returned.map(returnedMailJson) })
    const company = companyName(op, history.email.companyId)
    printHistory(history, company, { relayed: isRelayed(op) }, await emailStatus(op, { id }))
    printReturned(returned, history.email.id)
  })
}

async function showRaw(id: string, recipient: string | undefined, json: true | undefined): Promise<void> {
  // Imported on use, because other commands need none of the code that composes and signs.
  const { rawCopies } = await import('../operate/raw-copies.ts')
  const copies = await withOperation((op) => rawCopies(op, { id, recipient }))
  if (json) {
    return printJson(
      copies.map(({ addresses, message }) => ({ recipients: addresses, raw: message.toString('latin1') })),
    )
  }
  const [copy] = copies
  if (copies.length > 1) {
    printNote(
      `postroad: this email was sent as ${copies.length} different copies; this is the one for ${copy!.addresses.join(', ')}. ` +
        'Choose another copy with --recipient.',
    )
  }
  printMessage(copy!.message)
}

async function cancel(id: string, { json }: JsonOption): Promise<void> {
  const { canceled, sending } = await withOperation((op) => cancelEmail(op, { id }))
  if (json) return printJson({ id, canceled, sending })
  if (canceled > 0) printLine(`Canceled ${recipientCount(canceled)}.`)
  if (sending > 0) {
    printLine(`${recipientCount(sending)} being sent: canceled unless the server accepts the message first.`)
  }
}

interface DeleteOptions extends JsonOption {
  all?: true
  company?: string
}

async function remove(ids: string[], { json, all, company }: DeleteOptions): Promise<void> {
  if ((all === true) === ids.length > 0) throw new WrongUsage('name the emails to delete, or give --all')
  if (all === true) {
    const { deleted, kept } = await withOperation((op) => clearEmails(op, { company }))
    if (json) return printJson({ deleted, kept })
    const notSent = kept === 0 ? '' : ` ${emailCount(kept)} not sent yet: kept.`
    return printLine(`Deleted ${emailCount(deleted)}.${notSent}`)
  }
  const { changed, refused } = await withOperation((op) => deleteEmails(op, { company, ids }))
  if (refused.length > 0) process.exitCode = 1
  if (json) return printJson({ deleted: changed, refused })
  printLine(`Deleted ${emailCount(changed)}.`)
  for (const { id, why } of refused) printNote(`${id}: ${why}`)
}

function emailCount(count: number): string {
  return `${count} ${count === 1 ? 'email' : 'emails'}`
}

async function reschedule(id: string, { at, json }: JsonOption & { at: number }): Promise<void> {
  const { dueAt } = await withOperation((op) => rescheduleEmail(op, { id, dueAt: at }))
  if (json) return printJson({ id, scheduled_at: isoTime(dueAt) })
  printLine(`Scheduled for ${formatTime(dueAt)}.`)
}
