/** The next step for each recipient of an accepted email, and why it has not been taken yet. */
import type { SendingDomain } from '../accounts/account.ts'
import { isDelayed } from '../email/delayed.ts'
import { endOf } from '../email/give-up-time.ts'
import { postponedFrom } from '../email/lifecycle.ts'
import { troubleIn } from '../email/not-attempted.ts'
import type { HoldReason } from '../email/recipient.ts'
import type { HistoryOutline, OutlineRange, StoredRecipient } from '../email/stored-email.ts'
import { findEmails } from '../events/find-emails.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import { pauseOfMail } from '../queue/pauses.ts'
import type { Pause } from '../store/store.ts'
import { type ClosedSite, closureFinder, domainsToPlace, type FindClosure, sitesOfEmail } from './closures.ts'
import { noSuchEmail, requireEmail } from './find.ts'
import { PresentClosures, presentClosures } from './present-closures.ts'
import { replyIn } from './reply-text.ts'
import { isoTime } from './shapes/time.ts'
import {
  type EmailStatus,
  type Piece,
  type RecipientStatus,
  statusPieces,
  statusSentence,
  type WaitReason,
} from './status-sentence.ts'
import { NOT_UNDER_WAY, type UnderWay, underWayOf } from './under-way.ts'
import { type Setup, verb } from './verb.ts'

/** The next step of one recipient. `waits` is null when there is none. */
export interface NextStep {
  waits: WaitReason | null
  /** Unix ms; null: it does not depend on time alone. */
  at: number | null
  /** Unix ms: when the recipient fails if nothing changes; null: unknown, or not a matter of time. */
  givesUpAt: number | null
  /** The closure of its path; null: it waits for none, or for one that no node reports now. */
  closed: ClosedSite | null
  /** Why an operator has paused it; null: it is not paused, or for no reason given. */
  pauseReason: string | null
}

export interface EmailNextSteps {
  outline: HistoryOutline
  /** One step for each of the outline's recipients, in the same order. */
  nextSteps: NextStep[]
  /** The sending domain; null: it has been removed. */
  domain: SendingDomain | null
  /** The closure that keeps its mail to a recipient domain waiting. */
  closed: FindClosure
  /** Attempts after which a recipient fails permanently. */
  mostAttempts: number
  /** In the order of the outline's recipients: how often each was tried; null: more often than the outline lists. */
  tries: (number | null)[]
}

/** The history of an email for a range of its recipients, and what comes next for each. */
export const nextSteps = verb(
  'read',
  async (op, { id, ...range }: { id: string } & OutlineRange): Promise<EmailNextSteps> => {
    await requireEmail(op, id)
    const outline = await op.store.readOutline(id, range)
    // Retention may have removed it meanwhile.
    if (outline === null) throw noSuchEmail(id)
    const pauses = await op.store.pauses(op.now())
    const { companyId, domainId, scheduledAt } = outline.email
    const domain = op.accounts.domains.find((each) => each.id === domainId) ?? null
    const isLive = outline.recipients.some(({ state }) => state === 'waiting' || state === 'sending')
    const closures = isLive ? await presentClosures(op) : PresentClosures.NONE
    const now = op.now()
    const domains = domainsToPlace(outline.recipients, closures, now)
    const sites = await sitesOfEmail(op, outline.email, domains)
    const circumstances = {
      scheduledAt,
      giveUpAt: endOf(outline.email, op.setup.deliverWithin),
      maySend: domain?.sending === 'active',
      pause: (to: string, heldFor: HoldReason | null) =>
        pauseOfMail(pauses, {
          companyId,
          domain: to,
          // A pause of the site holds what has got there since, and no list looks up the sites of the rest.
          site: heldFor === 'pause' ? sites.get(to)?.key : undefined,
        }),
      closed: closureFinder(op, closures, outline.email, (to) => sites.get(to)),
      retryWaits: op.setup.retrySchedule,
      now,
    }
    return {
      outline,
      domain,
      closed: circumstances.closed,
      mostAttempts: mostAttemptsOf(op.setup),
      nextSteps: outline.recipients.map((each) => nextStepOf(each, circumstances)),
      tries: triesOf(outline, range.attempts),
    }
  },
)

/** Attempts after which a recipient fails permanently. */
export function mostAttemptsOf({ retrySchedule }: Pick<Setup, 'retrySchedule'>): number {
  return retrySchedule.length + 1
}

/**
 * How often each recipient of the outline was tried. Null: the outline was cut at `limit` attempts, and there were
 * more.
 */
function triesOf({ recipients, attempts }: HistoryOutline, limit: number): (number | null)[] {
  const counts = new Map<number, number>()
  for (const position of attempts.flatMap((attempt) => attempt.recipients)) {
    counts.set(position, (counts.get(position) ?? 0) + 1)
  }
  return recipients.map(({ position }) => {
    const count = counts.get(position) ?? 0
    return attempts.length < limit ? count : null
  })
}

/** The status of an email in words, and the facts about its first recipients, by their positions. */
export interface EmailStatusText {
  sentence: Piece[]
  mostAttempts: number
  statuses: ReadonlyMap<number, RecipientStatus>
}

export const emailStatus = verb('read', async (op, { id }: { id: string }): Promise<EmailStatusText> => {
  const range = { from: 0, limit: 100, eventOctets: 128 * 1024, attempts: 200 }
  const found = await nextSteps(op, { id, ...range })
  const status = statusOf(found, await underWayOf(op, found))
  const statuses = found.outline.recipients.map(
    ({ position }, index) => [position, status.recipients[index]!] as const,
  )
  return {
    sentence: statusPieces(statusSentence(status)),
    mostAttempts: status.mostAttempts,
    statuses: new Map(statuses),
  }
})

/** The facts in the sentence about the status of an email. `underWay`: by position. */
export function statusOf(
  { outline, domain, mostAttempts, nextSteps, tries }: EmailNextSteps,
  underWay: ReadonlyMap<number, UnderWay> = new Map(),
): EmailStatus {
  const accepted = new Set(
    outline.events.flatMap(({ type, recipient }) => (type === 'delivered' ? [recipient] : [])),
  )
  return {
    domain: { name: domain?.name ?? null },
    mostAttempts,
    states: outline.states,
    recipients: outline.recipients.map((recipient, index) => {
      const { position, address, state, attempts, lastCode: code, lastMessage: message, server } = recipient
      const { waits, at, givesUpAt, closed, pauseReason } = nextSteps[index]!
      const times = { at: isoTime(at), givesUpAt: isoTime(givesUpAt) }
      // The trouble that other mail has met on the path says more than an earlier answer to this mail.
      const answer =
        waits === 'path'
          ? answerOf(closed?.reason ?? (message && troubleIn(message)))
          : { code, message, server }
      return {
        address,
        state,
        attempts,
        tries: tries[index]!,
        delayed: isDelayed(recipient),
        returned: state === 'bounced' && accepted.has(position),
        ...answer,
        waits,
        ...times,
        closed: closed && closedSite(closed),
        pauseReason,
        ...(underWay.get(position) ?? NOT_UNDER_WAY),
      }
    }),
  }
}

function answerOf(trouble: string | null): Pick<RecipientStatus, 'code' | 'message' | 'server'> {
  const reply = replyIn(trouble)
  return { code: reply === null ? null : Number(reply.slice(0, 3)), message: trouble, server: null }
}

function closedSite({
  name,
  company,
  sendingDomain,
  recipientDomain,
}: ClosedSite): RecipientStatus['closed'] {
  return { name, whose: sendingDomain ?? company, to: recipientDomain }
}

export interface Circumstances {
  scheduledAt: number | null
  /** Unix ms from which no attempt begins; null: the retry schedule decides. */
  giveUpAt: number | null
  /** Whether the sending domain may send. */
  maySend: boolean
  /** The pause of its mail to the recipient domain. */
  pause(recipientDomain: string, heldFor: HoldReason | null): Pick<Pause, 'until' | 'reason'> | null
  closed: FindClosure
  /** The waits of the retry schedule, in ms. */
  retryWaits: readonly number[]
  /** Unix ms. */
  now: number
}

export function nextStepOf(recipient: NextStepFacts, circumstances: Circumstances): NextStep {
  const next = bySchedule(recipient, circumstances)
  const { giveUpAt } = circumstances
  if (next.waits === null || giveUpAt === null) return next
  return { ...next, givesUpAt: Math.min(next.givesUpAt ?? giveUpAt, giveUpAt) }
}

type NextStepFacts = Pick<
  StoredRecipient,
  'address' | 'state' | 'attempts' | 'dueAt' | 'postponedSince' | 'heldFor'
>

function bySchedule(recipient: NextStepFacts, circumstances: Circumstances): NextStep {
  const { scheduledAt, maySend, pause, closed, retryWaits, now } = circumstances
  const { address, state, attempts, dueAt: at, postponedSince, heldFor } = recipient
  if (state === 'sending') return underWay(recipient, circumstances)
  if (state === 'quarantined') return step('release')
  if (state !== 'waiting') return step(null)
  const to = domainOf(address)
  const paused = pause(to, heldFor)
  if (heldFor === 'pause' || paused !== null) {
    return { ...step('pause', paused?.until ?? null), pauseReason: paused?.reason ?? null }
  }
  if (scheduledAt !== null && scheduledAt > now && at !== null && at >= scheduledAt)
    return step('schedule', at)
  if (heldFor === 'domain' || !maySend) return step('domain')
  const isHeld = heldFor === 'path'
  const isDue = at === null || at <= now
  const closure = isHeld || isDue ? closed(to, isHeld) : null
  if (isHeld || closure !== null) {
    // Its own time is spread over the time after the next try of the path, which releases it.
    const next = closure === null ? at : closure.nextTryAt
    return onPath(recipient, next !== null && next > now ? next : null, closure, circumstances)
  }
  // Every reason has its step: a new one does not compile here.
  heldFor satisfies null
  if (isDue) return step('turn', at)
  if (postponedSince !== null) return step('refusal', at, endOfPatience(recipient, now, retryWaits))
  return attempts > 0 ? step('retry', at, at + sum(retryWaits.slice(attempts))) : step('turn', at)
}

/** A node has it in memory: while its path is closed, or its servers asked us to wait, it is not sent. */
function underWay(recipient: NextStepFacts, circumstances: Circumstances): NextStep {
  const closure = circumstances.closed(domainOf(recipient.address), false)
  if (closure === null || closure.nextTryAt <= circumstances.now) return step('answer')
  return onPath(recipient, closure.nextTryAt, closure, circumstances)
}

function onPath(
  recipient: NextStepFacts,
  next: number | null,
  closure: ClosedSite | null,
  { retryWaits, now }: Circumstances,
): NextStep {
  return { ...step('path', next, endOfPatience(recipient, next ?? now, retryWaits)), closed: closure }
}

/**
 * Without an attempt it goes on for as long as the whole schedule lasts (lifecycle/attempt.ts), from a try at `next`.
 */
function endOfPatience(
  { postponedSince }: NextStepFacts,
  next: number,
  retryWaits: readonly number[],
): number {
  return postponedFrom(postponedSince, next) + sum(retryWaits)
}

function step(waits: WaitReason | null, at: number | null = null, givesUpAt: number | null = null): NextStep {
  return { waits, at, givesUpAt, closed: null, pauseReason: null }
}

function sum(waits: readonly number[]): number {
  return waits.reduce((total, wait) => total + wait, 0)
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
