/** `queue quarantine` and `queue release`: mail that took down the process in which it was tried. */
import type { Command } from 'commander'
import { command, countUpTo, type JsonOption } from './command.ts'
import { CommandFailed } from './failure.ts'
import { companyFilter, companyName } from './named.ts'
import { withStore } from './open.ts'
import { clipped, jsonTime, printJson, printLine, printTable, recipientCount, shownTime } from './print.ts'

interface CompanyOption extends JsonOption {
  company?: string
}

export function addQuarantine(queue: Command): void {
  command(queue, {
    usage: 'quarantine',
    description: 'List the emails in quarantine, newest first, and why.',
    details:
      'What was under way when the service died is tried by a process of its own. An email that such a process dies of is set\n' +
      'aside: it is not tried again by itself, and not removed. Release it when the fault is mended, or cancel it:\n' +
      'postroad queue release, postroad email cancel.',
    examples: ['queue quarantine', 'queue quarantine --company Acme'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .option('--limit <count>', 'at most this many', countUpTo(1000), 100)
    .action(list)

  command(queue, {
    usage: 'release [email]',
    description: 'Try mail in quarantine again: all of it, or what is named.',
    details:
      'It is tried by a process of its own once more; if that dies of it, it is in quarantine again. To see what is in it:\n' +
      'postroad email show ID.',
    examples: ['queue release ID', 'queue release --company Acme', 'queue release'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .action(release)
}

async function list({ company, limit, json }: CompanyOption & { limit: number }): Promise<void> {
  const { emails, accounts } = await withStore(async ({ store, accounts }) => {
    const companyId = companyFilter(accounts, company)
    const filter = { limit, ...(companyId !== undefined && { companyId }) }
    return { emails: await store.quarantined(filter), accounts }
  })
  if (json) {
    return printJson(
      emails.map(({ id, companyId, from, subject, recipients, since, message }) => {
        return { id, company_id: companyId, from, subject, recipients, since: jsonTime(since), message }
      }),
    )
  }
  printTable(
    ['ID', 'SINCE', 'COMPANY', 'RECIPIENTS', 'FROM', 'SUBJECT', 'WHY'],
    emails.map((email) => [
      email.id,
      shownTime(email.since),
      clipped(companyName(accounts, email.companyId), 20),
      email.recipients,
      clipped(email.from, 40),
      clipped(email.subject, 40),
      clipped(email.message ?? '', 200),
    ]),
    'Nothing is in quarantine.',
  )
}

async function release(emailId: string | undefined, { company, json }: CompanyOption): Promise<void> {
  await withStore(async ({ store, accounts }) => {
    const companyId = companyFilter(accounts, company) ?? null
    if (emailId !== undefined && !(await store.readEmail(emailId))) {
      throw new CommandFailed(`there is no email with the id "${emailId}"; see: postroad queue quarantine`)
    }
    const released = await store.releaseQuarantined({ companyId, emailId: emailId ?? null }, Date.now())
    if (released === 0 && emailId !== undefined) {
      throw new CommandFailed(`nothing of this email is in quarantine; see: postroad email show ${emailId}`)
    }
    if (json) return printJson({ email_id: emailId ?? null, company_id: companyId, released })
    printLine(released === 0 ? 'Nothing is in quarantine.' : `Released ${recipientCount(released)}.`)
  })
}
