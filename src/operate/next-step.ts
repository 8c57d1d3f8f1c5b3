/** The next step for each recipient of an accepted email, and why it has not been taken yet. */
import type { SendingDomain } from '../accounts/account.ts'
import type { HistoryOutline, OutlineRange, StoredRecipient } from '../email/stored-email.ts'
import { findEmails } from '../events/find-emails.ts'
import { Pauses } from '../queue/pauses.ts'
import { noSuchEmail, requireEmail } from './find.ts'
import { verb } from './verb.ts'

/**
 * The reason why a recipient is waiting.
 * - `turn`: none; it is due now or about to be.
 * - `retry`: for its next attempt, after one that failed temporarily.
 * - `schedule`: for the time that its sender gave.
 * - `pause`: an operator has paused mail like this.
 * - `domain`: its sending domain may not send.
 * - `path`: its path is blocked; one delivery at a time tests whether it is clear again.
 * - `answer`: it is being sent.
 * - `release`: it is in quarantine, until an operator releases it.
 */
export type WaitReason = 'turn' | 'retry' | 'schedule' | 'pause' | 'domain' | 'path' | 'answer' | 'release'

/** The next step of one recipient. `waits` is null when there is none. */
export interface NextStep {
  waits: WaitReason | null
  /** Unix ms; null: it does not depend on time alone. */
  at: number | null
}

export interface EmailNextSteps {
  outline: HistoryOutline
  /** In the order of the outline's recipients. */
  nextSteps: NextStep[]
  /** The sending domain; null: it has been removed. */
  domain: SendingDomain | null
}

/** The history of an email for a range of its recipients, and what comes next for each. */
export const nextSteps = verb(
  'read',
  async (op, { id, ...range }: { id: string } & OutlineRange): Promise<EmailNextSteps> => {
    await requireEmail(op, id)
    const outline = await op.store.readOutline(id, range)
    // Retention may have removed it meanwhile.
    if (outline === null) throw noSuchEmail(id)
    const pauses = new Pauses()
    pauses.replace(await op.store.pauses())
    const { companyId, domainId, scheduledAt } = outline.email
    const domain = op.accounts.domains.find((each) => each.id === domainId) ?? null
    const circumstances = {
      scheduledAt,
      maySend: domain?.sending === 'active',
      paused: (recipientDomain: string) => pauses.covers(companyId, recipientDomain),
      now: op.now(),
    }
    return { outline, domain, nextSteps: outline.recipients.map((each) => nextStepOf(each, circumstances)) }
  },
)

export interface Circumstances {
  scheduledAt: number | null
  /** Whether the sending domain may send. */
  maySend: boolean
  paused(recipientDomain: string): boolean
  /** Unix ms. */
  now: number
}

export function nextStepOf(
  recipient: Pick<StoredRecipient, 'address' | 'state' | 'attempts' | 'dueAt' | 'heldFor'>,
  { scheduledAt, maySend, paused, now }: Circumstances,
): NextStep {
  const { address, state, attempts, dueAt: at, heldFor } = recipient
  if (state === 'sending') return { waits: 'answer', at: null }
  if (state === 'quarantined') return { waits: 'release', at: null }
  if (state !== 'waiting') return { waits: null, at: null }
  if (paused(address.slice(address.lastIndexOf('@') + 1))) return { waits: 'pause', at: null }
  if (scheduledAt !== null && scheduledAt > now && at !== null && at >= scheduledAt) {
    return { waits: 'schedule', at }
  }
  if (heldFor === 'domain' || !maySend) return { waits: 'domain', at: null }
  if (heldFor === 'path') return { waits: 'path', at }
  return { waits: attempts > 0 && at !== null && at > now ? 'retry' : 'turn', at }
}

export interface Neighbours {
  /** Ids of emails of the same company; null: there is none. */
  newer: string | null
  older: string | null
}

export const neighboursOf = verb('read', async (op, { id }: { id: string }): Promise<Neighbours> => {
  await requireEmail(op, id)
  const origin = await op.store.emailOrigin(id)
  if (origin === null) return { newer: null, older: null }
  const filter = { companyId: origin.companyId }
  const [newer, older] = await Promise.all([
    findEmails(op.store, filter, { newerThan: id, limit: 1 }),
    findEmails(op.store, filter, { olderThan: id, limit: 1 }),
  ])
  return { newer: newer.emails[0]?.id ?? null, older: older.emails[0]?.id ?? null }
})
