/**
 * Limits the mails with invitations, which owners of companies send from the address of the service to anybody. All
 * nodes count together.
 */
import { mailboxKey } from '../mail/address/mailbox-key.ts'
import {
  type Attempt,
  type AttemptCounter,
  type AttemptLane,
  type AttemptPace,
  attemptLane,
  countAttempt,
  TooManyAttempts,
} from '../people/attempts.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const PACES = {
  /** To one address from one company: an invitation, and two that renew it. */
  pair: { free: 3, every: 8 * HOUR },
  /** To one address from all companies. Wide, so that a company hardly ever meets what others have sent. */
  mailbox: { free: 10, every: 2 * HOUR },
  /** From one company: enough to invite a large team at once. */
  company: { free: 50, every: 10 * MINUTE },
  /** From all companies. No company fills it alone. */
  installation: { free: 500, every: MINUTE },
} as const satisfies Record<string, AttemptPace>

/**
 * Counts a mail, which is to be taken back if it cannot be sent. If there were too many before it, it is not counted,
 * and the result is when the next may follow.
 */
export async function countMail(
  counter: AttemptCounter,
  { address, companyId }: { address: string; companyId: string },
  now: number,
): Promise<Attempt | { nextAt: number }> {
  const mailbox = mailboxKey(address)
  const lanes: AttemptLane[] = [
    attemptLane('invited pair', PACES.pair, companyId, mailbox),
    attemptLane('invited mailbox', PACES.mailbox, mailbox),
    attemptLane('inviting company', PACES.company, companyId),
    attemptLane('inviting installation', PACES.installation),
  ]
  const attempt = await countAttempt(counter, lanes, now, 0)
  return attempt instanceof TooManyAttempts ? { nextAt: now + attempt.retryAfter } : attempt
}
