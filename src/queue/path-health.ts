import type { Log } from '../common/logging.ts'
import type { DeliveryResult, TroubleReport } from '../delivery/delivery.ts'
import { DEFAULT_ROUTE } from '../delivery/path/path.ts'
import type { ProbePauses } from '../delivery/route/probe-pauses.ts'
import { BY_HAND } from '../email/lifecycle.ts'
import type { ClosedPath, SiteClosure } from '../store/store.ts'
import type { GiveBackReason } from './attempt.ts'
import type { LaneState } from './closed-lanes.ts'
import { closedByKind, closedByList, closedHere, closuresByPath } from './closed-parts.ts'
import { closedWait } from './closed-wait.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { Extent } from './evidence.ts'
import { HeldMail } from './held-mail.ts'
import { pauseFor } from './pacing.ts'
import { type PathMail, type PathPart, partKeys, partsOf } from './path-part.ts'
import { PathReleases } from './path-releases.ts'
import type { PresentSources } from './present-sources.ts'
import type { ClosureNames } from './site-closure.ts'
import {
  factsOf,
  IN_A_ROW,
  isCertain,
  isDue,
  leaveUntil,
  newTrouble,
  restartCount,
  type Trouble,
  type TroubleFacts,
  waitUntil,
} from './trouble.ts'
import { TroubleLog } from './trouble-log.ts'
import { Troubles } from './troubles.ts'

/**
 * The shortest time between two tries of a closed path, however much mail `queue retry` makes due: providers lock
 * accounts.
 */
const INSIST_MS = 10_000

/** The right to a try that is still under way is renewed this many milliseconds before it ends. */
const RENEW_MS = 20_000

/** Milliseconds by which the node that has closed a path may try it before the others. */
const HEAD_START_MS = 15_000

interface PathHealthParts extends ClosureNames {
  pauses: ProbePauses
  /** See path-releases.ts. */
  release(domainId: string, domains: readonly string[] | null): Promise<void>
  log: Log
}

/**
 * Paths in trouble: a relay that refuses our credentials, servers that block our address or take no more mail from us.
 * Mail on such a path waits without spending an attempt, while one delivery at a time tries whether the path is clear
 * again, with growing pauses. Only the part of the path that the trouble concerns is closed (evidence.ts).
 */
export class PathHealth {
  readonly #parts: PathHealthParts
  readonly #troubles = new Troubles()
  readonly #log: TroubleLog
  /** The keys that `takeOpened` returns next. */
  readonly #opened = new Set<string>()
  /** Keys of troubles whose try has ended here, until `takeTried`. */
  readonly #tried = new Set<string>()
  /** True while no other node delivers: it needs no right to try a closed path. */
  alone = true
  /** The sources that nodes have. The closures of others are not counted. */
  sources: PresentSources = null
  readonly #releases: PathReleases
  #openings = 0

  constructor(parts: PathHealthParts) {
    this.#parts = parts
    this.#releases = new PathReleases((domainId, domains) => parts.release(domainId, domains))
    this.#log = new TroubleLog(parts)
  }

  /** How often a path has opened so far. */
  get openings(): number {
    return this.#openings
  }

  /** Number of closed paths that mail could take, by the name of the block list that their servers name. */
  get blocked(): Map<string, number> {
    return closedByList(this.#troubles, this.sources)
  }

  /** Number of closed paths that mail could take, by kind of trouble. */
  get closed(): Map<TroubleReport['kind'], number> {
    return closedByKind(this.#troubles, this.sources)
  }

  /** The closures of each path, by its key: those that concern most mail come first. */
  closures(): Map<string, SiteClosure[]> {
    return closuresByPath(this.#troubles, this.#parts)
  }

  /** The paths that this node has closed itself and that concern other nodes too, by key of the trouble. */
  closedHere(): Iterable<[key: string, closed: ClosedPath]> {
    return closedHere(this.#troubles)
  }

  /**
   * Learns that another node, or this one before its last start, has closed the path. `metAt`: when that node met the
   * trouble last; `now`; both in Unix ms. The next try is left to that node as long as it makes tries, unless this node
   * has met the trouble itself: then it is due on both at the later of the times that they have found out.
   */
  learn(key: string, closed: ClosedPath, now: number, metAt: number): void {
    const known = this.#troubles.get(key)
    const { kind, probeAt: _, ...facts } = closed
    const headStart = known?.closed && !known.learnt ? 0 : HEAD_START_MS
    const probeAt = Math.max(now, closed.probeAt) + headStart
    if (known?.closed) {
      const isNews = metAt > known.metAt
      known.metAt = Math.max(known.metAt, metAt)
      restartCount(known)
      // A try that this node has left to the other one is over.
      if (isNews) known.probeAt = known.ownProbeAt
      leaveUntil(known, probeAt, now)
      return
    }
    const trouble = {
      ...newTrouble({ ...facts, metAt, kind: kind as Trouble['kind'] }),
      closed: true,
      learnt: true,
      held: known?.held ?? new HeldMail(),
      probeAt,
      pause: probeAt - now,
    }
    this.#troubles.put(key, trouble, now)
  }

  /**
   * The ids of companies for whose mail other nodes have closed the path. `whole`: the key of the part for all
   * companies.
   */
  *closedElsewhere(whole: string, kind: TroubleReport['kind']): Generator<string> {
    for (const [, trouble] of this.#troubles.companiesIn(whole)) {
      const { closed, learnt, companyId } = trouble
      if (closed && learnt && trouble.kind === kind && companyId !== null) yield companyId
    }
  }

  /** Another node has found the path open. */
  reopen(key: string): void {
    const trouble = this.#troubles.get(key)
    if (trouble === undefined) {
      this.#releaseForgotten(key)
      return
    }
    if (!trouble.closed) return
    this.#troubles.delete(key)
    this.#openings++
    this.#releases.add(trouble.held)
  }

  #releaseForgotten(key: string): void {
    const left = this.#troubles.takeForgotten(key)
    if (left !== undefined) this.#releases.add(left)
  }

  /** Proxies of source addresses answer again, or this machine has addresses again. */
  sourcesReturned(): void {
    for (const [key, { kind }] of this.#troubles) if (kind === 'source') this.reopen(key)
  }

  /** The keys of paths that other nodes had closed and that this node has found open, since the last call. */
  takeOpened(): string[] {
    const opened = [...this.#opened]
    this.#opened.clear()
    return opened
  }

  /**
   * The closed paths that this node would try, and those whose try by this node takes so long that its right to it must
   * be renewed; `now` in Unix ms.
   */
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
      leaveUntil(trouble, until, now)
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

  /** Whether the mail may take the path now, or would be the next to try it. */
  isOpen(mail: PathMail, now: number): boolean {
    if (this.#troubles.size === 0) return true
    return partKeys(mail).every((key) => {
      const trouble = this.#troubles.get(key)
      return !trouble?.closed || (trouble.probe === null && isDue(trouble, now))
    })
  }

  /** The fate of a delivery of this mail. `due`: it would try the path. */
  stateOf(mail: PathMail, now: number): LaneState {
    let state: LaneState = 'open'
    if (this.#troubles.size === 0) return state
    for (const key of partKeys(mail)) {
      const trouble = this.#troubles.get(key)
      if (!trouble?.closed) continue
      if (trouble.probe !== null || !isDue(trouble, now)) return 'closed'
      if (!this.alone && now >= trouble.tryUntil && trouble.tryWanted !== null) return 'closed'
      state = 'due'
    }
    return state
  }

  /**
   * Null when the delivery may begin: the usual case. `asks`: it tries the path once the nodes have decided which of
   * them does. `now` in Unix ms.
   */
  closedFor(ready: ReadyDelivery, now: number): GiveBackReason | 'asks' | null {
    if (this.#troubles.size === 0) return null
    const troubles = partKeys(ready).flatMap((key) => this.#troubles.get(key) ?? [])
    const closed = troubles.filter((trouble) => trouble.closed)
    const insisted = insists(ready)
    for (const trouble of closed) {
      const isSooner = insisted && this.#insist(trouble, now)
      const isNext = trouble.probe === null && isDue(trouble, now)
      if (isNext && (this.alone || now < trouble.tryUntil)) continue
      const asks = isNext && trouble.tryWanted === null
      if (isNext && trouble.tryWanted !== 'insisted') trouble.tryWanted = insisted ? 'insisted' : 'due'
      if (asks) return 'asks'
      const spread = () => this.#parts.pauses.spread()
      return closedWait(trouble, ready.email.companyId, { isSooner, spread, now })
    }
    for (const trouble of closed) {
      trouble.probe = ready
      if (insisted) trouble.insistedAt = now
    }
    return null
  }

  /** The delivery was given back because its path is closed, and that is now durable. */
  heldWritten(ready: ReadyDelivery): void {
    const closed = partKeys(ready)
      .flatMap((key) => this.#troubles.get(key) ?? [])
      .filter((trouble) => trouble.closed)
    const domains = ready.recipients.map(({ domain }) => domain)
    const { domainId } = ready.email
    for (const { held } of closed) held.add(domainId, domains)
    if (closed.length > 0) return
    // The path was clear again before this delivery was written as held, so no release has reached it.
    const late = new HeldMail()
    late.add(domainId, domains)
    this.#releases.add(late)
  }

  /** Makes the path due for a try sooner. Returns false when the try would not be sooner. */
  #insist(trouble: Trouble, now: number): boolean {
    const soonest = Math.max(now, trouble.insistedAt + INSIST_MS)
    if (soonest >= trouble.probeAt) return false
    waitUntil(trouble, soonest, now)
    return true
  }

  /**
   * Learns from an attempt. `extent`: whom its trouble concerns. `exhausted`: fewer sessions or messages would not help
   * against "too many", so the path has to wait. Returns when the postponed recipients are due again; null to let each
   * recipient's own patience decide.
   */
  ended(
    ready: ReadyDelivery,
    result: DeliveryResult,
    extent: Extent | null,
    exhausted: boolean,
    now: number,
  ): number | null {
    const { pathTrouble, outcomes, server } = result
    const refused =
      pathTrouble !== undefined &&
      extent !== null &&
      (pathTrouble.kind === 'unreachable' || outcomes.some(({ verdict }) => verdict === 'postponed'))
    if (!refused && !this.#troubles.any) return null
    const isDelivered = outcomes.some(({ verdict }) => verdict === 'delivered')
    if (!refused || isDelivered) {
      const answered = outcomes.some(({ verdict }) => verdict !== 'released') && server !== null
      for (const key of partKeys(ready)) {
        if (answered) this.#clear(key, ready)
        else this.#unknown(key, ready, now)
      }
      if (isDelivered) this.#reached(ready)
      return null
    }
    const part = this.#triedBy(ready, pathTrouble, extent.part)
    for (const key of partKeys(ready)) if (key !== part.key) this.#unknown(key, ready, now)
    const facts = factsOf(part, pathTrouble, refusalFacts(ready, outcomes), now)
    if (result.notBefore !== undefined) return this.#untried(part, facts, ready, result.notBefore, now)
    const trouble = this.#met(part, facts, now, ready)
    const { waitMs = 0 } = pathTrouble
    waitUntil(trouble, Math.max(trouble.probeAt, now + pauseFor(waitMs)), now)
    if (!trouble.closed && !isCertain(part, pathTrouble, exhausted) && trouble.refused.size < IN_A_ROW)
      return null
    if (!trouble.closed) this.#absorbNarrower(part, trouble)
    trouble.closed = true
    if (part.companyId === null) this.#absorbCompanies(part, trouble)
    if (this.#log.closed(part, ready.path, pathTrouble)) trouble.wasLogged = true
    return trouble.probeAt
  }

  /** The delivery ended without an answer and comes back no more: another one tries the path. */
  lost(ready: ReadyDelivery, now: number): void {
    if (this.#troubles.size === 0) return
    for (const key of partKeys(ready)) this.#unknown(key, ready, now)
  }

  /** A closed part that the delivery tried has met its trouble again, whatever the evidence of this one try. */
  #triedBy(ready: ReadyDelivery, { kind }: TroubleReport, part: PathPart): PathPart {
    const { whole, servers, company, companyToServers } = partsOf(ready)
    for (const wider of [whole, servers, company, companyToServers]) {
      if (wider.key === part.key) return part
      const trouble = this.#troubles.get(wider.key)
      if (trouble?.probe === ready && trouble.kind === kind) return wider
    }
    return part
  }

  /**
   * No server was tried, because none could be reached a moment ago, so the attempt says nothing new. The next try of
   * the part is due when the servers may be tried again, and its pauses do not grow.
   */
  #untried(part: PathPart, facts: TroubleFacts, ready: ReadyDelivery, again: number, now: number): number {
    const known = this.#troubles.get(part.key)
    const trouble = known ?? newTrouble(facts)
    if (known === undefined) this.#troubles.put(part.key, trouble, now)
    if (trouble.probe === ready || !trouble.closed) waitUntil(trouble, again, now)
    if (trouble.probe === ready) {
      trouble.probe = null
      this.#tryEnded(part.key, trouble)
    }
    trouble.closed = true
    return trouble.probeAt
  }

  #met(part: PathPart, facts: TroubleFacts, now: number, { email, path }: ReadyDelivery): Trouble {
    const trouble = this.#troubles.get(part.key) ?? newTrouble(facts)
    Object.assign(trouble, {
      category: undefined,
      ...facts,
      since: trouble.since,
      learnt: false,
      probe: null,
    })
    this.#troubles.put(part.key, trouble, now)
    if (trouble.refused.size < IN_A_ROW) trouble.refused.add(email.id)
    restartCount(trouble)
    this.#tryEnded(part.key, trouble)
    const isOfOperator = facts.kind === 'credentials'
    const pause = this.#parts.pauses.after(now - trouble.since, isOfOperator, path.limits.backOff)
    waitUntil(trouble, now + pause, now)
    return trouble
  }

  /** A path that is closed for all companies needs no closures for single ones. */
  #absorbCompanies({ key: whole }: PathPart, { held }: Trouble): void {
    for (const [key, trouble] of this.#troubles.companiesIn(whole)) this.#absorb(key, trouble, held)
  }

  /** A trouble of many sending domains gets one try for all of them instead of one for each. */
  #absorbNarrower({ path, companyId, domainId }: PathPart, { kind, held }: Trouble): void {
    // No other kind concerns single sending domains, or less.
    if (domainId !== null || (kind !== 'path' && kind !== 'credentials' && kind !== 'busy')) return
    for (const [key, trouble] of this.#troubles) {
      const isIn = trouble.path === path && (companyId === null || trouble.companyId === companyId)
      if (isIn && trouble.domainId !== null && trouble.kind === kind) this.#absorb(key, trouble, held)
    }
  }

  #absorb(key: string, trouble: Trouble, held: Trouble['held']): void {
    held.addAll(trouble.held)
    this.#tryEnded(key, trouble)
    this.#troubles.delete(key)
  }

  /** Servers that accept mail of one company can be reached by all. */
  #reached(ready: ReadyDelivery): void {
    for (const [key, { kind }] of this.#troubles.companiesIn(partsOf(ready).servers.key)) {
      if (kind === 'unreachable') this.#clear(key, ready)
    }
  }

  #clear(key: string, { path }: ReadyDelivery): void {
    const trouble = this.#troubles.get(key)
    if (trouble === undefined) {
      this.#releaseForgotten(key)
      return
    }
    this.#troubles.delete(key)
    if (!trouble.closed) return
    this.#openings++
    this.#tryEnded(key, trouble)
    if (trouble.learnt) this.#opened.add(key)
    this.#log.opened({ key }, path, trouble.kind, trouble.wasLogged)
    this.#releases.add(trouble.held)
  }

  /** The attempt ended before there was an answer about the path. */
  #unknown(path: string, ready: ReadyDelivery, now: number): void {
    const trouble = this.#troubles.get(path)
    if (trouble?.probe !== ready) return
    trouble.probe = null
    restartCount(trouble)
    this.#tryEnded(path, trouble)
    const { backOff } = ready.path.limits
    waitUntil(trouble, now + this.#parts.pauses.after(now - trouble.since, false, backOff), now)
  }

  #tryEnded(key: string, trouble: Trouble): void {
    if (trouble.tryUntil === 0) return
    trouble.tryUntil = 0
    this.#tried.add(key)
  }
}

/** The company whose mail met a trouble, and the reason of the refusal. */
function refusalFacts(
  { email: { companyId: metBy } }: ReadyDelivery,
  outcomes: DeliveryResult['outcomes'],
): Parameters<typeof factsOf>[2] {
  const refused = outcomes.find(({ verdict }) => verdict === 'postponed') ?? outcomes[0]
  return { metBy, category: refused?.category }
}

/** True when a person with a right to decide about this path asked for another try. */
function insists({ recipients, path }: ReadyDelivery): boolean {
  const own = path.policy.id !== DEFAULT_ROUTE
  return recipients.some(
    ({ postponedSince }) => postponedSince === BY_HAND.operator || (own && postponedSince === BY_HAND.member),
  )
}
