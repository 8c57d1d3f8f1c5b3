/** The status of listed emails: from counts of their recipients, without their history. */
import type { SendingDomain } from '../accounts/account.ts'
import { CAPTURE_SERVER, type CountedState } from '../email/recipient.ts'
import type { EmailSummary } from '../email/stored-email.ts'
import type { RecipientCounts, RecipientGroup } from '../store/store.ts'
import { type Circumstances, nextStepOf } from './next-step.ts'
import { type Status, type StatusCount, type StatusName, statusNameOf, statusOfEmail } from './status-word.ts'
import { verb } from './verb.ts'

interface ListedCircumstances {
  domain: Pick<SendingDomain, 'sending'> | null | undefined
  /** Unix ms. */
  now: number
}

export interface CountedStatus extends StatusCount {
  state: CountedState
}

/** How many of the recipients that were counted have each status. `counts`: null when nothing is known. */
export function countedStatuses(
  { scheduledAt }: Pick<EmailSummary, 'scheduledAt'>,
  counts: RecipientCounts | null,
  { domain, now }: ListedCircumstances,
): CountedStatus[] {
  const circumstances = { scheduledAt, maySend: domain?.sending === 'active', now }
  const found = new Map<StatusName, CountedStatus>()
  for (const group of counts?.groups ?? []) {
    const { state, count } = group
    const status = statusOfGroup(group, circumstances)
    found.set(status, { state, status, count: count + (found.get(status)?.count ?? 0) })
  }
  return [...found.values()]
}

/** Recipients of the envelope. */
export function recipientsOf(
  { to, cc, bcc }: Pick<EmailSummary, 'to' | 'cc' | 'bcc'>,
  counts: RecipientCounts | null,
): number {
  return counts?.recipients ?? to.length + cc.length + bcc.length
}

const LIVE: readonly CountedState[] = ['waiting', 'sending', 'quarantined']

/** Counts tell only that there is one. */
const UNKNOWN_PAUSE = { until: null, reason: null }

function statusOfGroup(
  { state: counted, delayed, heldFor, paused, dueAt }: RecipientGroup,
  circumstances: Pick<Circumstances, 'scheduledAt' | 'maySend' | 'now'>,
): StatusName {
  const isCaptured = counted === 'captured'
  const state = isCaptured ? 'delivered' : counted
  const { waits } = nextStepOf(
    { address: '', state, attempts: 0, dueAt, postponedSince: null, heldFor },
    {
      ...circumstances,
      giveUpAt: null,
      pause: () => (paused ? UNKNOWN_PAUSE : null),
      closed: () => null,
      retryWaits: [],
    },
  )
  return statusNameOf({ state, waits, delayed, server: isCaptured ? CAPTURE_SERVER : null })
}

export interface EmailListedStatus extends Status {
  /** One of the recipients that were counted is not at an end. */
  live: boolean
}

/** The status of each of these emails, by id. */
export const listedStatuses = verb(
  'read',
  async (op, { emails }: { emails: readonly EmailSummary[] }): Promise<Map<string, EmailListedStatus>> => {
    const now = op.now()
    const ids = emails.map(({ id }) => id)
    const counts = new Map((await op.store.recipientCounts(ids, now)).map((each) => [each.id, each]))
    const domains = new Map(op.accounts.domains.map((domain) => [domain.id, domain]))
    return new Map(
      emails.map((email) => {
        const known = counts.get(email.id) ?? null
        const states = countedStatuses(email, known, { domain: domains.get(email.domainId), now })
        const { id, lastEvent } = email
        const status = statusOfEmail({ lastEvent, recipients: recipientsOf(email, known), states })
        return [id, { ...status, live: states.some(({ state }) => LIVE.includes(state)) }]
      }),
    )
  },
)
