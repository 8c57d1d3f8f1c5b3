import { LRUCache } from 'lru-cache'
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import type { DeliveryResult, HindranceReport } from '../delivery/delivery.ts'
import { DEFAULT_ROUTE } from '../delivery/path/path.ts'
import type { ProbePauses } from '../delivery/route/probe-pauses.ts'
import { BY_HAND } from '../email/lifecycle.ts'
import type { ReadyDelivery } from './deliveries.ts'

/**
 * A refusal of one transaction may be about its recipient after all ("relaying denied" for one domain). Only when so
 * many in a row met it, and none went through in between, is it the path's.
 */
const IN_A_ROW = 3
/** The same trouble is told again this often. */
const TELL_MS = 10 * 60_000
/**
 * Paths whose limits come and go, and which are therefore told of no oftener than that; the one met longest ago is
 * forgotten.
 */
const MAX_TOLD = 1_000
/** Troubles told in detail, of all paths together. */
const TELL_ANY_MS = 1_000
/** However much mail `queue retry` makes due, a closed path is tried for it this often: a provider locks accounts. */
const INSIST_MS = 10_000

/** Trouble that nobody has met for so long after its path could be tried again is forgotten. */
const FORGET_MS = 2 * 3_600_000

/**
 * Troubles remembered at most: any zone can have a site for each name in it. Mail on the path that was met longest ago
 * is tried as if nothing were known of it.
 */
const MAX_TROUBLES = 10_000

interface Trouble {
  kind: HindranceReport['kind']
  message: string
  /** Unix ms. */
  since: number
  inARow: number
  /** Nothing is begun but one delivery at a time, from `probeAt` on (Unix ms). */
  closed: boolean
  probeAt: number
  probe: ReadyDelivery | null
  /** Unix ms: when it was last tried because somebody said so. */
  insistedAt: number
  /** Sending domains (ids) whose mail was held for it. */
  held: Set<string>
  /** Its end is told where its beginning was. */
  told: boolean
}

export interface PathHealthParts {
  pauses: ProbePauses
  /** Name of a sending domain, for the log. */
  domainName(id: string): string
  /** What was held of mail from this sending domain may go: all that is due before then (Unix ms). Never rejects. */
  release(domainId: string, dueBefore: number): Promise<void>
  log: Log
}

/** Why a delivery does not begin, and when it is due again (Unix ms). */
export interface Closed {
  dueAt: number
  why: string
}

/**
 * Paths that are in trouble: a relay that refuses our credentials, servers that block our address or take no more from
 * us. What goes along one waits without spending an attempt, while one delivery at a time tries whether it is clear
 * again, with growing pauses. Where only mail of one sending domain is refused, the path is closed for that domain
 * alone.
 */
export class PathHealth {
  readonly #parts: PathHealthParts
  readonly #troubles = new Map<string, Trouble>()
  /** By path and kind. */
  readonly #told = new LRUCache<string, LogThrottle>({ max: MAX_TOLD })
  readonly #toldAny = new LogThrottle(TELL_ANY_MS)
  /** Sending domains (ids) whose mail is being released, and whether more of it has come to be released meanwhile. */
  readonly #releasing = new Map<string, boolean>()

  constructor(parts: PathHealthParts) {
    this.#parts = parts
  }

  /** Paths that are closed now, by what closes them. */
  get closed(): Map<HindranceReport['kind'], number> {
    const counts = new Map<HindranceReport['kind'], number>()
    for (const { kind, closed } of this.#troubles.values()) {
      if (closed) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    return counts
  }

  /** Null when the delivery may begin: the usual case. `now` in Unix ms. */
  closedFor(ready: ReadyDelivery, now: number): Closed | null {
    if (this.#troubles.size === 0) return null
    const met = keysOf(ready).flatMap((path) => this.#troubles.get(path) ?? [])
    const closed = met.filter((trouble) => trouble.closed)
    const insisted = insists(ready)
    for (const trouble of closed) {
      const sooner = insisted && this.#insist(trouble, now)
      if (trouble.probe === null && now >= trouble.probeAt) continue
      // Spread, so that another is there to try if this one's turn passes; all are released when the path is clear.
      const dueAt = Math.max(now, trouble.probeAt) + (sooner ? 0 : this.#parts.pauses.spread())
      return { dueAt, why: `Not tried, as others got: ${trouble.message}` }
    }
    for (const trouble of closed) {
      trouble.probe = ready
      if (insisted) trouble.insistedAt = now
    }
    return null
  }

  /** That it was given back, as its path is closed, is durable. */
  heldWritten(ready: ReadyDelivery): void {
    const closed = keysOf(ready)
      .flatMap((path) => this.#troubles.get(path) ?? [])
      .filter((trouble) => trouble.closed)
    for (const { held } of closed) held.add(ready.email.domainId)
    // The path was clear again before this was there to be released.
    if (closed.length === 0) void this.#release(ready.email.domainId)
  }

  /** One after the other: what is written while one is under way comes with the next. */
  async #release(domainId: string): Promise<void> {
    const { release, pauses } = this.#parts
    const underWay = this.#releasing.has(domainId)
    this.#releasing.set(domainId, underWay)
    if (underWay) return
    do {
      this.#releasing.set(domainId, false)
      await release(domainId, Date.now() + 3 * pauses.longest)
    } while (this.#releasing.get(domainId))
    this.#releasing.delete(domainId)
  }

  /** True when the path is tried sooner for it. */
  #insist(trouble: Trouble, now: number): boolean {
    const soonest = Math.max(now, trouble.insistedAt + INSIST_MS)
    if (soonest >= trouble.probeAt) return false
    trouble.probeAt = soonest
    return true
  }

  /**
   * Learns from an attempt. `alone`: nothing else was open there, so that "too many" can only be answered by waiting.
   * Returns when what it postponed is due again; null to let each recipient's own patience decide.
   */
  ended(ready: ReadyDelivery, result: DeliveryResult, alone: boolean, now: number): number | null {
    const { hindrance, outcomes, server } = result
    const refused =
      hindrance !== undefined &&
      (hindrance.kind === 'unreachable' || outcomes.some(({ verdict }) => verdict === 'postponed'))
    if (!refused && this.#troubles.size === 0) return null
    if (!refused || outcomes.some(({ verdict }) => verdict === 'delivered')) {
      const answered = outcomes.some(({ verdict }) => verdict !== 'released') && server !== null
      for (const path of keysOf(ready)) {
        if (answered) this.#clear(path, ready)
        else this.#unknown(path, ready, now)
      }
      return null
    }
    const [whole, own] = keysOf(ready)
    const path = hindrance.wide ? whole : own
    const trouble = this.#met(path, hindrance, now)
    trouble.probeAt = Math.max(trouble.probeAt, result.notBefore ?? 0)
    if (!hindrance.wide) this.#unknown(whole, ready, now)
    const certain = hindrance.kind === 'busy' ? alone : hindrance.wide
    if (!trouble.closed && !certain && trouble.inARow < IN_A_ROW) return null
    trouble.closed = true
    this.#tell(path, ready, hindrance, trouble)
    return trouble.probeAt
  }

  #met(path: string, { kind, message }: HindranceReport, now: number): Trouble {
    let trouble = this.#troubles.get(path)
    if (trouble === undefined) {
      trouble = {
        kind,
        message,
        since: now,
        inARow: 0,
        closed: false,
        probeAt: now,
        probe: null,
        insistedAt: 0,
        held: new Set(),
        told: false,
      }
    }
    // Last in order, so that those that nobody met again come first.
    this.#troubles.delete(path)
    this.#troubles.set(path, trouble)
    trouble.kind = kind
    trouble.message = message
    trouble.inARow += 1
    trouble.probe = null
    trouble.probeAt = now + this.#parts.pauses.after(now - trouble.since, kind === 'credentials')
    this.#forget(now)
    return trouble
  }

  /** Paths that no mail has taken for long, and those beyond what there is place for. */
  #forget(now: number): void {
    for (const [path, { probeAt }] of this.#troubles) {
      if (now - probeAt < FORGET_MS && this.#troubles.size <= MAX_TROUBLES) return
      this.#troubles.delete(path)
    }
  }

  #clear(key: string, { path }: ReadyDelivery): void {
    const trouble = this.#troubles.get(key)
    if (trouble === undefined) return
    this.#troubles.delete(key)
    if (!trouble.closed) return
    if (trouble.told) {
      const site = path.site.name
      this.#parts.log.info({ site }, 'Mail goes through again; what had to wait for it leaves now')
    }
    // A provider's limit is reached again and again; all else is news.
    if (trouble.kind !== 'busy') this.#told.delete(toldKey(key, trouble.kind))
    for (const domainId of trouble.held) void this.#release(domainId)
  }

  /** The attempt did not get as far as an answer about the path. */
  #unknown(path: string, ready: ReadyDelivery, now: number): void {
    const trouble = this.#troubles.get(path)
    if (trouble?.probe !== ready) return
    trouble.probe = null
    trouble.probeAt = now + this.#parts.pauses.after(now - trouble.since)
  }

  #tell(key: string, { path, email }: ReadyDelivery, report: HindranceReport, trouble: Trouble): void {
    const { kind, message, wide } = report
    const { site, policy } = path
    const relay = site.kind === 'relay'
    // Domains whose servers are down are nothing to be woken for.
    if (kind === 'unreachable' && !relay) return
    const throttle = this.#told.get(toldKey(key, kind)) ?? new LogThrottle(TELL_MS)
    this.#told.set(toldKey(key, kind), throttle)
    if (throttle.due() === null) return
    if (this.#toldAny.due() === null) {
      // Not told after all: the next refusal may be.
      throttle.reset()
      return
    }
    trouble.told = true
    const { log, domainName } = this.#parts
    const own = policy.id !== DEFAULT_ROUTE
    const who = relay ? (own ? `The relay ${site.name}` : 'The relay') : `The mail servers of ${site.name}`
    const what = kind === 'busy' ? 'no more mail for now' : 'no mail'
    const whose = wide ? '' : ` from ${domainName(email.domainId)}`
    const advice =
      relay && kind !== 'busy' && kind !== 'sender'
        ? ` Check ${own ? 'its route' : 'POSTROAD_DELIVERY'} (host, port, tls, user, password).`
        : ''
    const line = `${who} ${relay ? 'takes' : 'take'} ${what}${whose}: ${message}. Mail waits, spends no attempt, and is tried again.${advice}`
    if (kind === 'busy') log.warn({ site: site.name, kind }, line)
    else log.error({ site: site.name, kind }, line)
  }
}

/** Somebody whose word counts for this path wants it to be tried now. */
function insists({ recipients, path }: ReadyDelivery): boolean {
  const own = path.policy.id !== DEFAULT_ROUTE
  return recipients.some(
    ({ postponedSince }) => postponedSince === BY_HAND.operator || (own && postponedSince === BY_HAND.member),
  )
}

function toldKey(path: string, kind: HindranceReport['kind']): string {
  return `${path}\0${kind}`
}

/** Of the path as a whole, and of what this sending domain has on it. */
function keysOf({ path, email }: ReadyDelivery): [whole: string, own: string] {
  return [path.key, `${path.key}\0${email.domainId}`]
}
