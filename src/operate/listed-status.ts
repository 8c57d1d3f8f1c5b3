/** The status of listed emails: from counts of their recipients, without their history. */
import type { SendingDomain } from '../accounts/account.ts'
import { RouteTable } from '../accounts/routes.ts'
import { CAPTURE_SERVER, type CountedState } from '../email/recipient.ts'
import type { EmailSummary } from '../email/stored-email.ts'
import type { RecipientCounts, RecipientGroup } from '../store/store.ts'
import { closureFinder, type FindClosure, siteOfOwnRoute, sitesInTime } from './closures.ts'
import { type Circumstances, mostAttemptsOf, nextStepOf } from './next-step.ts'
import { type PresentClosures, presentClosures } from './present-closures.ts'
import { RecentAnswers } from './recent-answers.ts'
import {
  attemptNote,
  type Status,
  type StatusCount,
  type StatusName,
  statusNameOf,
  statusOfEmail,
} from './status-word.ts'
import { type Operation, verb } from './verb.ts'

interface ListedCircumstances {
  domain: Pick<SendingDomain, 'sending'> | null | undefined
  closed: FindClosure
  /** Attempts after which a recipient fails permanently. */
  mostAttempts: number
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
  { domain, closed, mostAttempts, now }: ListedCircumstances,
): CountedStatus[] {
  const circumstances = { scheduledAt, maySend: domain?.sending === 'active', closed, now }
  const found = new Map<StatusName, CountedStatus>()
  for (const group of counts?.groups ?? []) {
    const { state, count } = group
    const status = statusOfGroup(group, circumstances)
    const attempt = count === 1 ? attemptNote(status, group.attempts, mostAttempts) : undefined
    found.set(status, {
      state,
      status,
      count: count + (found.get(status)?.count ?? 0),
      ...(attempt !== undefined && { attempt }),
    })
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
  { state: counted, delayed, heldFor, paused, dueAt, dueTo }: RecipientGroup,
  circumstances: Pick<Circumstances, 'scheduledAt' | 'maySend' | 'closed' | 'now'>,
): StatusName {
  const isCaptured = counted === 'captured'
  const state = isCaptured ? 'delivered' : counted
  const { waits } = nextStepOf(
    { address: `@${dueTo ?? ''}`, state, attempts: 0, dueAt, postponedSince: null, heldFor },
    {
      ...circumstances,
      giveUpAt: null,
      pause: () => (paused ? UNKNOWN_PAUSE : null),
      retryWaits: [],
    },
  )
  return statusNameOf({ state, waits, delayed, server: isCaptured ? CAPTURE_SERVER : null })
}

/** Recipient domains whose sites are looked up for one list, and the milliseconds that it waits for them. */
const MAX_DOMAINS = 100
const PATIENCE_MS = 500

const recent = new RecentAnswers<PresentClosures>()

export const NO_CLOSURES = (): FindClosure => () => null

/** The closures that keep due mail of these emails waiting. */
export async function listedClosures(
  operation: () => Operation,
  listed: readonly { email: EmailSummary; counts: RecipientCounts | null }[],
): Promise<(email: EmailSummary) => FindClosure> {
  const due = listed.flatMap(({ email, counts }) =>
    (counts?.groups ?? []).flatMap(({ dueTo }) => (dueTo === null ? [] : { email, to: dueTo })),
  )
  if (due.length === 0) return NO_CLOSURES
  const op = operation()
  const closures = await recent.answerOf(op.store, '', () => presentClosures(op))
  if (closures.none) return NO_CLOSURES
  const routes = new RouteTable(op.accounts.routes)
  const unknown = new Set(
    due.filter(({ email }) => siteOfOwnRoute(routes, email) === null).map(({ to }) => to),
  )
  const sites = await sitesInTime(op, new Set([...unknown].slice(0, MAX_DOMAINS)), PATIENCE_MS)
  const finders = new Map<string, FindClosure>()
  return (email) => {
    const { companyId, domainId, source, testMode } = email
    // Lists are mostly of few senders, each with many emails.
    const key = JSON.stringify([companyId, domainId, source, testMode])
    let find = finders.get(key)
    if (find === undefined) {
      const own = siteOfOwnRoute(routes, email)
      find = closureFinder(op, closures, email, (to) => own ?? sites.get(to))
      finders.set(key, find)
    }
    return find
  }
}

export interface EmailListedStatus extends Status {
  /** Some counted recipient has not reached a final state. */
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
    const closedFor = await listedClosures(
      () => op,
      emails.map((email) => ({ email, counts: counts.get(email.id) ?? null })),
    )
    return new Map(
      emails.map((email) => {
        const known = counts.get(email.id) ?? null
        const circumstances = {
          domain: domains.get(email.domainId),
          closed: closedFor(email),
          mostAttempts: mostAttemptsOf(op.setup),
          now,
        }
        const states = countedStatuses(email, known, circumstances)
        const { id, lastEvent } = email
        const status = statusOfEmail({ lastEvent, recipients: recipientsOf(email, known), states })
        return [id, { ...status, live: states.some(({ state }) => LIVE.includes(state)) }]
      }),
    )
  },
)
