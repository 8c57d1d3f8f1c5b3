import type { Command } from 'commander'
import { command, countUpTo, group, type JsonOption } from './command.ts'
import { historyInJson, printHistory } from './email-history.ts'
import { CommandFailed } from './failure.ts'
import { companyFilter, companyName } from './named.ts'
import { withStore } from './open.ts'
import {
  clipped,
  jsonTime,
  printJson,
  printLine,
  printMessage,
  printNote,
  printTable,
  recipientCount,
  shownTime,
} from './print.ts'

export function addEmail(program: Command): void {
  const email = group(program, 'email', 'Emails: what was accepted and what became of it.')

  command(email, {
    usage: 'list',
    description: 'List emails, newest first.',
    examples: ['email list', 'email list --company Acme --limit 100', 'email list --before ID'],
  })
    .option('--company <name or id>', 'only those of this company')
    .option('--limit <count>', 'at most this many', countUpTo(1000), 20)
    .option('--before <id>', 'only those accepted before this one (the next page)')
    .action(list)

  command(email, {
    usage: 'show <id>',
    description: 'Show an email: each recipient, every event, every SMTP dialogue.',
    details:
      'With --raw the message itself goes to stdout, as it left or would leave. A batch has a copy for each recipient;\n' +
      '--recipient says whose.',
    examples: [
      'email show ID',
      'email show ID --raw > message.eml',
      'email show ID --raw --recipient jane@example.com',
    ],
  })
    .option('--raw', 'print the message as it is transferred: header, body, signature')
    .option('--recipient <address>', 'with --raw: whose copy')
    .action(show)

  command(email, {
    usage: 'cancel <id>',
    description: 'Cancel the recipients of an email that still wait.',
    examples: ['email cancel ID'],
  }).action(cancel)
}

async function list({
  company,
  limit,
  before,
  json,
}: JsonOption & { company?: string; limit: number; before?: string }): Promise<void> {
  const { emails, accounts } = await withStore(async ({ store, accounts }) => {
    const companyId = companyFilter(accounts, company)
    const filter = {
      limit,
      ...(companyId !== undefined && { companyId }),
      ...(before !== undefined && { before }),
    }
    return { emails: await store.listEmails(filter), accounts }
  })
  if (json) {
    return printJson(
      emails.map((email) => ({
        id: email.id,
        company_id: email.companyId,
        from: email.from,
        to: email.to,
        subject: email.subject,
        created_at: jsonTime(email.createdAt),
        last_event: email.lastEvent,
        size: email.size,
      })),
    )
  }
  printTable(
    ['ID', 'ACCEPTED', 'COMPANY', 'LAST EVENT', 'FROM', 'TO', 'SUBJECT'],
    emails.map((email) => [
      email.id,
      shownTime(email.createdAt),
      clipped(companyName(accounts, email.companyId), 20),
      email.lastEvent,
      clipped(email.from, 40),
      clipped(recipientsShown(email.to), 40),
      clipped(email.subject, 40),
    ]),
    before === undefined ? 'There is no email yet.' : 'There is no email before that one.',
  )
  if (emails.length === limit) {
    printLine()
    printLine(`Older ones: postroad email list --before ${emails.at(-1)!.id}`)
  }
}

function recipientsShown(to: string[]): string {
  return to.length <= 1 ? (to[0] ?? '') : `${to[0]} and ${to.length - 1} more`
}

async function show(
  id: string,
  { raw, recipient, json }: JsonOption & { raw?: true; recipient?: string },
): Promise<void> {
  await withStore(async (opened) => {
    const history = await opened.store.readHistory(id)
    if (!history) throw new CommandFailed(`there is no email with the id "${id}"; see: postroad email list`)
    if (!raw) return json ? printJson(historyInJson(history)) : printHistory(history, opened.accounts)

    // Loaded here: composing and signing is much code that the other commands do without.
    const { rawCopies } = await import('./email-raw.ts')
    const copies = await rawCopies(opened, history, recipient)
    if (json) {
      return printJson(
        copies.map(({ addresses, message }) => ({ recipients: addresses, raw: message.toString('latin1') })),
      )
    }
    const [copy] = copies
    if (copies.length > 1) {
      printNote(
        `postroad: ${copies.length} copies were made; this is the one for ${copy!.addresses.join(', ')}. ` +
          'Choose another with --recipient.',
      )
    }
    printMessage(copy!.message)
  })
}

async function cancel(id: string, { json }: JsonOption): Promise<void> {
  await withStore(async ({ store }) => {
    if (!(await store.readEmail(id))) {
      throw new CommandFailed(`there is no email with the id "${id}"; see: postroad email list`)
    }
    const { canceled, sending } = await store.cancel(id, Date.now())
    if (canceled === 0 && sending === 0) {
      throw new CommandFailed(`nothing to cancel: every recipient is done; see: postroad email show ${id}`)
    }
    if (json) return printJson({ id, canceled, sending })
    if (canceled > 0) printLine(`Canceled ${recipientCount(canceled)}.`)
    if (sending > 0) {
      printLine(`${recipientCount(sending)} being sent: canceled unless their server takes the message now.`)
    }
  })
}
