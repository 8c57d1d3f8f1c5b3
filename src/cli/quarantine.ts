/** `queue quarantine` and `queue release`: mail that took down the process in which it was tried. */
import type { Command } from 'commander'
import { companyName } from '../operate/find.ts'
import { listQuarantined, releaseQuarantined } from '../operate/quarantine.ts'
import { quarantinedJson } from '../operate/shapes.ts'
import { command, countUpTo, type JsonOption } from './command.ts'
import { withOperation } from './open.ts'
import { clipped, printJson, printLine, printTable, recipientCount, shownTime } from './print.ts'

interface CompanyOption extends JsonOption {
  company?: string
}

export function addQuarantine(queue: Command): void {
  command(queue, {
    usage: 'quarantine',
    description: 'List the emails in quarantine, newest first, and why.',
    details:
      'What was being sent when the service died is tried by a process of its own. An email that such a process dies of goes into ' +
      'quarantine: it is not tried again by itself, and not removed. Release it when the fault is mended, or cancel it: ' +
      '`postroad queue release`, `postroad email cancel`.',
    examples: ['queue quarantine', 'queue quarantine --company Acme'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .option('--limit <count>', 'at most this many', countUpTo(1000), 100)
    .action(list)

  command(queue, {
    usage: 'release [email]',
    description: 'Try mail in quarantine again: all of it, or what is named.',
    details:
      'It is tried by a process of its own once more; if that dies of it, it is in quarantine again. To see what is in it: ' +
      '`postroad email show ID`.',
    examples: ['queue release ID', 'queue release --company Acme', 'queue release'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .action(release)
}

async function list({ company, limit, json }: CompanyOption & { limit: number }): Promise<void> {
  await withOperation(async (op) => {
    const emails = await listQuarantined(op, { company, limit })
    if (json) return printJson(emails.map(quarantinedJson))
    printTable(
      ['ID', 'SINCE', 'COMPANY', 'RECIPIENTS', 'FROM', 'SUBJECT', 'WHY'],
      emails.map((email) => [
        email.id,
        shownTime(email.since),
        clipped(companyName(op, email.companyId), 20),
        email.recipients,
        clipped(email.from, 40),
        clipped(email.subject, 40),
        clipped(email.message ?? '', 200),
      ]),
      'Nothing is in quarantine.',
    )
  })
}

async function release(email: string | undefined, { company, json }: CompanyOption): Promise<void> {
  const { released, companyId, emailId } = await withOperation((op) =>
    releaseQuarantined(op, { email, company }),
  )
  if (json) return printJson({ email_id: emailId, company_id: companyId, released })
  printLine(released === 0 ? 'Nothing is in quarantine.' : `Released ${recipientCount(released)}.`)
}
