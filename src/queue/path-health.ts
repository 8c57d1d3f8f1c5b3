import { LRUCache } from 'lru-cache'
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import type { DeliveryResult, HindranceReport } from '../delivery/delivery.ts'
import type { BlockList } from '../delivery/judge/block-lists.ts'
import { DEFAULT_ROUTE, type Path } from '../delivery/path/path.ts'
import type { ProbePauses } from '../delivery/route/probe-pauses.ts'
import { BY_HAND } from '../email/lifecycle.ts'
import type { ClosedPath, SiteClosure } from '../store/store.ts'
import type { ReturnReason } from './attempt.ts'
import type { ReadyDelivery } from './deliveries.ts'

/**
 * A refusal of one transaction may be about its recipient after all ("relaying denied" for one domain). The path is to
 * blame only after so many emails were refused in a row, without a success in between.
 */
const IN_A_ROW = 3
/** How often the same trouble is logged again. */
const TELL_MS = 10 * 60_000
/** Paths whose log throttle is remembered, because their limits come and go; the path met longest ago is forgotten. */
const MAX_TOLD = 1_000
/** The shortest time between two troubles logged in detail, of all paths together. */
const TELL_ANY_MS = 1_000
/**
 * The shortest time between two tries of a closed path, however much mail `queue retry` makes due: providers lock
 * accounts.
 */
const INSIST_MS = 10_000

/** A trouble is forgotten when no mail has met it for this long after its path could be tried again. */
const FORGET_MS = 2 * 3_600_000

/**
 * Troubles remembered at most: any zone can have a site for each name in it. Mail on the path met longest ago is then
 * tried as if the trouble were unknown.
 */
const MAX_TROUBLES = 10_000

interface Trouble {
  /** Key of the path. */
  path: string
  /** Id of the sending domain whose mail alone is concerned; null: all mail. */
  domainId: string | null
  kind: HindranceReport['kind']
  message: string
  /** The block list that the servers name. */
  list: BlockList | null
  /** Unix ms. */
  since: number
  /** Ids of the emails that were refused in a row, as many as close the path. */
  refused: Set<string>
  /** One delivery at a time is begun, from `probeAt` on (Unix ms), and nothing else. */
  closed: boolean
  probeAt: number
  /** Ms from the time when `probeAt` was set: after a step of the clock, no more is waited for. */
  pause: number
  /** Unix ms: when mail last met the trouble. */
  metAt: number
  probe: ReadyDelivery | null
  /** Unix ms: when the path was last tried on request. */
  insistedAt: number
  /** Sending domains (ids) whose mail was held because of it. */
  held: Set<string>
  /** The start of the trouble was logged, so its end is logged too. */
  told: boolean
  /** Learnt from another node, and not met here since. */
  learnt: boolean
  /** Unix ms: until then no other node tries the path. 0: this node may not try it, unless it is alone. */
  tryUntil: number
  /** Mail is here that would try the path; `insisted`: at the word of a person. */
  tryWanted: 'due' | 'insisted' | null
}

/** Milliseconds before its end at which the right to a try that is under way is renewed. */
const RENEW_MS = 20_000

/** Milliseconds by which the node that has closed a path may try it before the others. */
const HEAD_START_MS = 15_000

export interface PathHealthParts {
  pauses: ProbePauses
  /** Name of a sending domain, for the log. */
  domainName(id: string): string
  /** Releases the held mail of this sending domain that is due before then (Unix ms). Never rejects. */
  release(domainId: string, dueBefore: number): Promise<void>
  log: Log
}

/**
 * Paths in trouble: a relay that refuses our credentials, servers that block our address or take no more mail from us.
 * Mail on such a path waits without spending an attempt, while one delivery at a time tries whether the path is clear
 * again, with growing pauses. When only mail of one sending domain is refused, the path is closed for that domain
 * alone.
 */
export class PathHealth {
  readonly #parts: PathHealthParts
  readonly #troubles = new Map<string, Trouble>()
  /** See `takeOpened`. */
  readonly #opened = new Set<string>()
  /** By path and kind. */
  readonly #told = new LRUCache<string, LogThrottle>({ max: MAX_TOLD })
  readonly #toldAny = new LogThrottle(TELL_ANY_MS)
  /** Keys of troubles whose try has ended here, until `takeTried`. */
  readonly #tried = new Set<string>()
  /** True while no other node delivers: it needs no right to try a closed path. */
  alone = true
  /** Sending domains (ids) whose mail is being released, and whether another release has been requested meanwhile. */
  readonly #releasing = new Map<string, boolean>()

  constructor(parts: PathHealthParts) {
    this.#parts = parts
  }

  /** Number of closed paths, by kind of trouble. */
  get closed(): Map<HindranceReport['kind'], number> {
    const counts = new Map<HindranceReport['kind'], number>()
    for (const { kind, closed } of this.#troubles.values()) {
      if (closed) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    return counts
  }

  /** Closed paths, by key. A path that is closed as a whole counts before one that is closed for a sending domain. */
  closures(): Map<string, SiteClosure> {
    const closures = new Map<string, SiteClosure>()
    for (const { path, domainId, closed, since, message, probeAt, list } of this.#troubles.values()) {
      if (!closed || (domainId !== null && closures.has(path))) continue
      const sendingDomain = domainId === null ? null : this.#parts.domainName(domainId)
      closures.set(path, { since, reason: message, nextTryAt: probeAt, sendingDomain, list })
    }
    return closures
  }

  /** The closed paths that this node has met itself and others may meet, by key of the trouble. */
  *closedHere(): Generator<[key: string, closed: ClosedPath]> {
    for (const [key, { closed, learnt, path, domainId, kind, message, list, since, probeAt }] of this
      .#troubles) {
      // Another node may reach the proxy.
      if (closed && !learnt && kind !== 'source')
        yield [key, { path, domainId, kind, message, list, since, probeAt }]
    }
  }

  /**
   * Another node has closed the path, or this one before its last start; `now`, and `metAt`, when it met the trouble
   * last, in Unix ms. The next try is left to that node, as long as it makes any.
   */
  learn(key: string, closed: ClosedPath, now: number, metAt: number): void {
    const known = this.#troubles.get(key)
    const { kind, message, list, since, path, domainId } = closed
    const probeAt = Math.max(now, closed.probeAt) + HEAD_START_MS
    if (known?.closed) {
      known.metAt = Math.max(known.metAt, metAt)
      waitUntil(known, Math.max(known.probeAt, probeAt), now)
      return
    }
    const facts = { path, domainId, message, list, since, metAt, kind: kind as Trouble['kind'] }
    this.#troubles.set(key, {
      ...newTrouble(facts),
      closed: true,
      learnt: true,
      held: known?.held ?? new Set(),
      probeAt,
      pause: probeAt - now,
    })
    this.#forget(now)
  }

  /** Another node has found the path open. */
  reopen(key: string): void {
    const trouble = this.#troubles.get(key)
    if (!trouble?.closed) return
    this.#troubles.delete(key)
    for (const domainId of trouble.held) void this.#release(domainId)
  }

  /** Proxies of source addresses answer again, or addresses are here again. */
  sourcesReturned(): void {
    for (const [key, { kind }] of this.#troubles) if (kind === 'source') this.reopen(key)
  }

  /** The keys of paths that other nodes had closed and that this node has found open, since the last call. */
  takeOpened(): string[] {
    const opened = [...this.#opened]
    this.#opened.clear()
    return opened
  }

  /** The closed paths that this node would try, and those that it is trying for long; `now` in Unix ms. */
  *wantedTries(now: number): Generator<{ key: string; insisted: boolean }> {
    for (const [key, { closed, probe, tryWanted, tryUntil }] of this.#troubles) {
      const ends = probe !== null && tryUntil > 0 && tryUntil - now < RENEW_MS
      if (closed && (tryWanted !== null || ends)) yield { key, insisted: tryWanted === 'insisted' }
    }
  }

  /** Whether this node (`own`) or another one tries the path; all others wait until then (Unix ms). */
  tryDecided(key: string, own: boolean, until: number, now: number): void {
    const trouble = this.#troubles.get(key)
    if (trouble === undefined) return
    trouble.tryWanted = null
    if (own) trouble.tryUntil = until
    else {
      waitUntil(trouble, Math.max(trouble.probeAt, until), now)
      trouble.insistedAt = now
    }
  }

  /** The tries of this node that have ended since the last call, and the time of the next one (Unix ms; 0: at once). */
  takeTried(): { key: string; next: number }[] {
    const tried = [...this.#tried].map((key) => {
      const trouble = this.#troubles.get(key)
      return { key, next: trouble?.closed ? trouble.probeAt : 0 }
    })
    this.#tried.clear()
    return tried
  }

  /** Whether mail of the sending domain may take the path now, or would be the next to try it. */
  isOpen({ key }: Pick<Path, 'key'>, domainId: string, now: number): boolean {
    if (this.#troubles.size === 0) return true
    return keysFor(key, domainId).every((each) => {
      const trouble = this.#troubles.get(each)
      return !trouble?.closed || (trouble.probe === null && isDue(trouble, now))
    })
  }

  /**
   * Null when the delivery may begin: the usual case. `asks`: it tries the path once the nodes have decided which of
   * them does. `now` in Unix ms.
   */
  closedFor(ready: ReadyDelivery, now: number): ReturnReason | 'asks' | null {
    if (this.#troubles.size === 0) return null
    const met = keysOf(ready).flatMap((path) => this.#troubles.get(path) ?? [])
    const closed = met.filter((trouble) => trouble.closed)
    const insisted = insists(ready)
    for (const trouble of closed) {
      const sooner = insisted && this.#insist(trouble, now)
      const isNext = trouble.probe === null && isDue(trouble, now)
      if (isNext && (this.alone || now < trouble.tryUntil)) continue
      const asks = isNext && trouble.tryWanted === null
      if (isNext && trouble.tryWanted !== 'insisted') trouble.tryWanted = insisted ? 'insisted' : 'due'
      if (asks) return 'asks'
      // The due times are spread, so that another delivery can try the path if this one does not; all are released when
      // the path is clear.
      const dueAt = Math.max(now, trouble.probeAt) + (sooner ? 0 : this.#parts.pauses.spread())
      const message = `Not attempted, because other mail on this path failed: ${trouble.message}`
      return { dueAt, heldFor: 'path', message, postpones: true, metAt: trouble.metAt }
    }
    for (const trouble of closed) {
      trouble.probe = ready
      if (insisted) trouble.insistedAt = now
    }
    return null
  }

  /** The delivery was given back because its path is closed, and that is now durable. */
  heldWritten(ready: ReadyDelivery): void {
    const closed = keysOf(ready)
      .flatMap((path) => this.#troubles.get(path) ?? [])
      .filter((trouble) => trouble.closed)
    for (const { held } of closed) held.add(ready.email.domainId)
    // The path was clear again before this delivery could be released.
    if (closed.length === 0) void this.#release(ready.email.domainId)
  }

  /** One release at a time: deliveries given back meanwhile are released by the next one. */
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

  /** True when the path is tried sooner because of it. */
  #insist(trouble: Trouble, now: number): boolean {
    const soonest = Math.max(now, trouble.insistedAt + INSIST_MS)
    if (soonest >= trouble.probeAt) return false
    waitUntil(trouble, soonest, now)
    return true
  }

  /**
   * Learns from an attempt. `exhausted`: fewer sessions or messages are no answer to "too many", so it is to wait.
   * Returns when the postponed recipients are due again; null to let each recipient's own patience decide.
   */
  ended(ready: ReadyDelivery, result: DeliveryResult, exhausted: boolean, now: number): number | null {
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
    const trouble = this.#met(path, hindrance, now, ready)
    waitUntil(trouble, Math.max(trouble.probeAt, result.notBefore ?? 0, now + (hindrance.waitMs ?? 0)), now)
    if (!hindrance.wide) this.#unknown(whole, ready, now)
    const certain = hindrance.kind === 'busy' ? exhausted : hindrance.wide
    if (!trouble.closed && !certain && trouble.refused.size < IN_A_ROW) return null
    trouble.closed = true
    this.#tell(path, ready, hindrance, trouble)
    return trouble.probeAt
  }

  #met(
    key: string,
    { kind, message, wide, list: named }: HindranceReport,
    now: number,
    { path, email }: ReadyDelivery,
  ): Trouble {
    const list = named ?? null
    let trouble = this.#troubles.get(key)
    if (trouble === undefined) {
      const domainId = wide ? null : email.domainId
      trouble = newTrouble({ path: path.key, domainId, kind, message, list, since: now, metAt: now })
    }
    // Moved to the end, so that the troubles that were met longest ago come first.
    this.#troubles.delete(key)
    this.#troubles.set(key, trouble)
    trouble.kind = kind
    trouble.message = message
    trouble.list = list
    trouble.learnt = false
    if (trouble.refused.size < IN_A_ROW) trouble.refused.add(email.id)
    trouble.probe = null
    this.#tryEnded(key, trouble)
    trouble.metAt = now
    waitUntil(trouble, now + this.#parts.pauses.after(now - trouble.since, kind === 'credentials'), now)
    this.#forget(now)
    return trouble
  }

  /** Forgets paths that no mail has taken for long, and those beyond the limit. */
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
    this.#tryEnded(key, trouble)
    if (trouble.learnt) this.#opened.add(key)
    if (trouble.told) {
      const site = path.site.name
      this.#parts.log.info({ site }, 'The path is open again; the waiting mail is sent now')
    }
    // A provider's limit is reached again and again; any other trouble is news.
    if (trouble.kind !== 'busy') this.#told.delete(reportKey(key, trouble.kind))
    for (const domainId of trouble.held) void this.#release(domainId)
  }

  /** The attempt ended before there was an answer about the path. */
  #unknown(path: string, ready: ReadyDelivery, now: number): void {
    const trouble = this.#troubles.get(path)
    if (trouble?.probe !== ready) return
    trouble.probe = null
    this.#tryEnded(path, trouble)
    waitUntil(trouble, now + this.#parts.pauses.after(now - trouble.since), now)
  }

  #tryEnded(key: string, trouble: Trouble): void {
    if (trouble.tryUntil === 0) return
    trouble.tryUntil = 0
    this.#tried.add(key)
  }

  #tell(key: string, { path, email }: ReadyDelivery, report: HindranceReport, trouble: Trouble): void {
    const { kind, message, wide, list } = report
    const { site, policy } = path
    const relay = site.kind === 'relay'
    // Servers of recipient domains that are down are no reason to alert the operator.
    if (kind === 'unreachable' && !relay) return
    // A proxy fails mail to all sites, and is named once.
    const toldOf = reportKey(kind === 'source' ? path.source.name : key, kind)
    const throttle = this.#told.get(toldOf) ?? new LogThrottle(TELL_MS)
    this.#told.set(toldOf, throttle)
    if (throttle.due() === null) return
    if (this.#toldAny.due() === null) {
      // Not logged after all, so the next refusal may be.
      throttle.reset()
      return
    }
    trouble.told = true
    const { log, domainName } = this.#parts
    if (kind === 'source') {
      const line = `${message}. Mail leaves from other source addresses, or waits without using up attempts.`
      log.error({ source: path.source.name, kind }, line)
      return
    }
    const own = policy.id !== DEFAULT_ROUTE
    const who = relay ? (own ? `The relay ${site.name}` : 'The relay') : `The mail servers of ${site.name}`
    const what = kind === 'busy' ? 'no more mail for now' : 'no mail'
    const whose = wide ? '' : ` from ${domainName(email.domainId)}`
    const advice =
      relay && kind !== 'busy' && kind !== 'sender'
        ? ` Check ${own ? 'its route' : 'POSTROAD_DELIVERY'} (host, port, tls, user, password).`
        : ''
    const listed =
      list === undefined ? '' : ` The address is on ${list.name}; ask for removal: ${list.removal}.`
    const line = `${who} ${relay ? 'accepts' : 'accept'} ${what}${whose}: ${message}. Mail waits without using up attempts, and is retried.${listed}${advice}`
    if (kind === 'busy') log.warn({ site: site.name, kind }, line)
    else log.error({ site: site.name, kind }, line)
  }
}

type TroubleFacts = Pick<Trouble, 'path' | 'domainId' | 'kind' | 'message' | 'list' | 'since' | 'metAt'>

function waitUntil(trouble: Trouble, at: number, now: number): void {
  trouble.probeAt = at
  trouble.pause = Math.max(0, at - now)
}

/** A clock that was set back leaves `probeAt` further ahead than it ever was. */
function isDue(trouble: Trouble, now: number): boolean {
  if (trouble.probeAt - now > trouble.pause) trouble.probeAt = now + trouble.pause
  return now >= trouble.probeAt
}

/** A trouble that has not closed its path yet. */
function newTrouble(facts: TroubleFacts): Trouble {
  return {
    ...facts,
    refused: new Set(),
    closed: false,
    probeAt: facts.metAt,
    pause: 0,
    probe: null,
    insistedAt: 0,
    held: new Set(),
    told: false,
    learnt: false,
    tryUntil: 0,
    tryWanted: null,
  }
}

/** True when a person with a right to decide about this path asked for another try. */
function insists({ recipients, path }: ReadyDelivery): boolean {
  const own = path.policy.id !== DEFAULT_ROUTE
  return recipients.some(
    ({ postponedSince }) => postponedSince === BY_HAND.operator || (own && postponedSince === BY_HAND.member),
  )
}

function reportKey(path: string, kind: HindranceReport['kind']): string {
  return `${path}\0${kind}`
}

/** The keys of the path as a whole, and of this sending domain's part of it. */
function keysOf({ path, email }: ReadyDelivery): [whole: string, own: string] {
  return keysFor(path.key, email.domainId)
}

function keysFor(path: string, domainId: string): [whole: string, own: string] {
  return [path, `${path}\0${domainId}`]
}
