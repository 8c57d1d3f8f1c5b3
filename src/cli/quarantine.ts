/** `queue quarantine` and `queue release`: mail whose delivery crashed the process. */
import type { Command } from 'commander'
import { clip } from '../common/clip.ts'
import { type CompanyFilter, companyName } from '../operate/find.ts'
import { listQuarantined, releaseQuarantined } from '../operate/quarantine.ts'
import { quarantinedJson } from '../operate/shapes/queue.ts'
import { command, countUpTo, type JsonOption } from './command.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printJson, printLine, recipientCount } from './print.ts'

export function addQuarantine(queue: Command): void {
  command(queue, {
    usage: 'quarantine',
    description: 'List the emails in quarantine and the reasons, newest first.',
    details:
      'Mail that was being sent when the service crashed is attempted again in an isolated process. An email that crashes that process goes into ' +
      'quarantine: it is neither attempted again nor removed. Release it once the fault is fixed, or cancel it: ' +
      '`postroad queue release`, `postroad email cancel`.',
    examples: ['queue quarantine', 'queue quarantine --company Acme'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .option('--limit <count>', 'at most this many', countUpTo(1000), 100)
    .action(list)

  command(queue, {
    usage: 'release [email]',
    description: 'Try mail in quarantine again: all of it, one email, or the mail of one company.',
    details:
      'It is attempted in an isolated process once more; if it crashes that process, it goes back into quarantine. To look at an email: ' +
      '`postroad email show ID`.',
    examples: ['queue release ID', 'queue release --company Acme', 'queue release'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .action(release)
}

const list = listing({
  verb: listQuarantined,
  json: quarantinedJson,
  titles: ['ID', 'SINCE', 'COMPANY', 'RECIPIENTS', 'FROM', 'SUBJECT', 'WHY'],
  row: ({ id, since, companyId, recipients, from, subject, message }, op) => [
    id,
    formatTime(since),
    clip(companyName(op, companyId), 20),
    recipients,
    clip(from, 40),
    clip(subject, 40),
    clip(message ?? '', 200),
  ],
  nothing: 'Nothing is in quarantine.',
})

async function release(
  email: string | undefined,
  { company, json }: JsonOption & CompanyFilter,
): Promise<void> {
  const { released, companyId, emailId } = await withOperation((op) =>
    releaseQuarantined(op, { email, company }),
  )
  if (json) return printJson({ email_id: emailId, company_id: companyId, released })
  printLine(released === 0 ? 'Nothing is in quarantine.' : `Released ${recipientCount(released)}.`)
}
