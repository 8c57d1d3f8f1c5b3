/** Whether the bounce mailbox is read, and can be read. */
import type { ImapMailbox } from '../../config/settings.ts'
import { lastRead } from '../../mailbox/last-read.ts'
import { ASIDE, MailboxFault, MailboxSession } from '../../mailbox/session.ts'
import { deliveringSince } from '../delivering-since.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, lookAgainIn, ok, type PlannedCheck, problem, unknown, warning } from './check.ts'

const MINUTE_MS = 60_000
/**
 * Minutes without a look at the mailbox, or since the start. A service reads it every minute, and a mail server may be
 * restarted.
 */
const LATE = 15

/** Whether a node reads it, as the store knows. */
export function mailboxCheck(op: Operation): PlannedCheck[] {
  const { bounceMailbox } = op.setup
  if (bounceMailbox === null) return []
  return [{ id: 'mailbox', title: 'Bounce mailbox', run: () => readLately(op) }]
}

/** Whether its server lets us in. */
export function mailboxServerCheck(op: Operation): PlannedCheck[] {
  const { bounceMailbox } = op.setup
  if (bounceMailbox === null) return []
  return [
    {
      id: 'mailbox-server',
      title: 'Server of the bounce mailbox',
      run: () => access(bounceMailbox),
    },
  ]
}

async function readLately(op: Operation): Promise<CheckFinding> {
  const at = await lastRead(op.store)
  const advice = 'Look for the reason in the log of the service, or in the check of its server.'
  if (at === null) return warning('No node has read it yet.', advice)
  const minutes = minutesSince(op, at)
  if (minutes >= LATE) {
    const begun = await deliveringSince(op)
    const left = begun === null ? 0 : begun + LATE * MINUTE_MS - op.now()
    return left > 0
      ? unknown(
          `No node has read it for ${minutes} minutes, and delivery has only just begun.`,
          lookAgainIn(left),
        )
      : problem(`No node has read it for ${minutes} minutes, so bounces do not count.`, advice)
  }
  return ok(
    minutes < 1
      ? 'It was read within the last minute.'
      : `It was read ${minutes === 1 ? 'a minute' : `${minutes} minutes`} ago.`,
  )
}

function minutesSince({ now }: Operation, at: number): number {
  return Math.floor((now() - at) / MINUTE_MS)
}

async function access(mailbox: ImapMailbox): Promise<CheckFinding> {
  const { host, folder } = mailbox
  try {
    await using session = await MailboxSession.open({ mailbox })
    const aside = await session.countAside()
    if (aside === 0) return ok(`${host} lets us read ${folder}.`)
    const many = aside === 1 ? 'One message' : `${aside} messages`
    return warning(
      `${many} could not be read.`,
      `Look at the folder "${ASIDE}" of the mailbox, report what you find, and remove the messages.`,
    )
  } catch (error) {
    if (!(error instanceof MailboxFault)) throw error
    return problem(`${error.message}.`, 'Check POSTROAD_BOUNCE_MAILBOX, and the mail server that it names.')
  }
}
