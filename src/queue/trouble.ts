import type { TroubleReport } from '../delivery/delivery.ts'
import type { EventDetail } from '../email/event.ts'
import type { ReadyDelivery } from './deliveries.ts'
import { HeldMail } from './held-mail.ts'
import type { PathPart } from './path-part.ts'

/**
 * A refusal of one transaction may be about its recipient after all ("relaying denied" for one domain). So the path
 * counts as the cause only after this many emails were refused in a row without a success in between.
 */
export const IN_A_ROW = 3

/** The facts about a trouble: the part of the path that it concerns, and the refusal. */
export interface TroubleFacts extends Omit<PathPart, 'key'> {
  /** Id of the company whose mail met it last. */
  metBy: string | null
  kind: TroubleReport['kind']
  message: string
  /** The message for other companies, without the server's words, which may name a recipient. */
  brief: string
  /** Absent: the server gave no reason that is known. */
  category?: NonNullable<EventDetail['category']>
  /** The block list that the servers name. */
  list: NonNullable<TroubleReport['list']> | null
  /** Unix ms. */
  since: number
  /** Unix ms: when mail last met the trouble. */
  metAt: number
}

export interface Trouble extends TroubleFacts {
  /** Ids of the emails that were refused in a row, at most as many as close the path. */
  refused: Set<string>
  /** True: nothing is sent on the path except, from `probeAt` on (Unix ms), one delivery at a time. */
  closed: boolean
  probeAt: number
  /** The part of `probeAt` that this node has found out: other nodes may have put off its try. Only this is shared. */
  ownProbeAt: number
  /** Ms from the time at which `probeAt` was set. After a step of the clock, the wait is not longer than this. */
  pause: number
  probe: ReadyDelivery | null
  /** Unix ms: when the path was last tried on request. */
  insistedAt: number
  /** The mail that was held because of it. */
  held: HeldMail
  /** Deliveries given back because of it since the last try, and between the two tries before. */
  returned: number
  returnedBefore: number
  /** True: the start of the trouble was logged, so its end will be logged too. */
  wasLogged: boolean
  /** True: another node reported the trouble, and this node has not met it since. */
  learnt: boolean
  /** Unix ms: until then no other node tries the path. 0: this node may not try it, unless it is alone. */
  tryUntil: number
  /** Set while this node has mail that would try the path; `insisted`: a person has asked for the try. */
  tryWanted: 'due' | 'insisted' | null
}

/** `category`: of the mail that met it. */
export function factsOf(
  part: PathPart,
  report: TroubleReport,
  { metBy, category }: { metBy: string; category: TroubleFacts['category'] | undefined },
  now: number,
): TroubleFacts {
  const { path, companyId, domainId, to } = part
  const { kind, message, list = null } = report
  const brief = briefOf(report)
  const facts = { path, companyId, domainId, to, metBy, kind, message, brief, list, since: now, metAt: now }
  return category === undefined ? facts : { ...facts, category }
}

/** A trouble that has not closed its path yet. */
export function newTrouble(facts: TroubleFacts): Trouble {
  return {
    ...facts,
    refused: new Set(),
    closed: false,
    probeAt: facts.metAt,
    ownProbeAt: facts.metAt,
    pause: 0,
    probe: null,
    insistedAt: 0,
    held: new HeldMail(),
    returned: 0,
    returnedBefore: 0,
    wasLogged: false,
    learnt: false,
    tryUntil: 0,
    tryWanted: null,
  }
}

/** Whether one email that met the trouble closes the part. */
export function isCertain(
  { domainId, to }: PathPart,
  { kind, waitMs }: TroubleReport,
  exhausted: boolean,
): boolean {
  if (to !== null) return waitMs !== undefined
  return domainId === null && (kind !== 'busy' || exhausted)
}

export function waitUntil(trouble: Trouble, at: number, now: number): void {
  trouble.probeAt = at
  trouble.ownProbeAt = at
  trouble.pause = Math.max(0, at - now)
}

/**
 * Another node sees to the path until then. Shared as this node's own, that time would come back later each time, and
 * the nodes would put off the try for ever.
 */
export function leaveUntil(trouble: Trouble, at: number, now: number): void {
  if (at <= trouble.probeAt) return
  trouble.probeAt = at
  trouble.pause = Math.max(0, at - now)
}

/**
 * Whether the next try is due, even if the clock was set back, which leaves `probeAt` further ahead than it was set.
 */
export function isDue(trouble: Trouble, now: number): boolean {
  if (trouble.probeAt - now > trouble.pause) {
    trouble.probeAt = now + trouble.pause
    trouble.ownProbeAt = Math.min(trouble.ownProbeAt, trouble.probeAt)
  }
  return now >= trouble.probeAt
}

/** A try has ended: the deliveries given back are counted anew. */
export function restartCount(trouble: Trouble): void {
  trouble.returnedBefore = trouble.returned
  trouble.returned = 0
}

const BRIEF: Readonly<Record<TroubleReport['kind'], string>> = {
  busy: 'takes no more mail for now',
  path: 'refuses mail from this service',
  credentials: 'refuses the credentials of this service',
  sender: 'refuses the sender',
  source: 'is out of reach of the source address',
  unreachable: 'does not answer',
}

function briefOf({ server = 'the server', code, kind }: TroubleReport): string {
  return `${server} ${BRIEF[kind]}${code === undefined ? '' : ` (${code})`}`
}
