/** Goes from server to server until every recipient has an answer: the loop that direct and relay delivery share. */
import { isIP } from 'node:net'
import { monotonic } from '../../common/clock.ts'
import { RecentEntries } from '../../common/recent-entries.ts'
import type { AttemptTls } from '../../email/attempt-tls.ts'
import { notAttempted } from '../../email/not-attempted.ts'
import type { TlsSession } from '../../mail/domain-report/tls-report.ts'
import { type OutgoingProxy, proxyName } from '../../network/proxy/proxy.ts'
import { authoritiesKey } from '../dane/authorities.ts'
import { proofKey } from '../dane/demand.ts'
import type { DeliveryRecipient, HindranceReport, RecipientOutcome } from '../delivery.ts'
import { CONSEQUENCES, type Hindrance, hinders } from '../judge/finding.ts'
import type { RouteKind } from '../judge/judge.ts'
import {
  asTemporary,
  failureOfError,
  failureOfException,
  failureOfReply,
  mostTelling,
  outcomeOfFailure,
  outcomeOfReply,
  type RouteFailure,
  releasedOutcome,
} from '../outcome.ts'
import type { Exit } from '../path/source.ts'
import type { ReplyRule } from '../sites/site-block.ts'
import { isOfProxy, isUnreachable, SmtpError } from '../smtp/error.ts'
import type { Fallback } from '../smtp/first-connection.ts'
import { clip } from '../smtp/reply.ts'
import { keptWaiting } from '../smtp/session.ts'
import type { SmtpTarget } from '../smtp/target.ts'
import { defaultTimeouts, type SmtpTimeouts } from '../smtp/timeouts.ts'
import type { TlsOutcome } from '../smtp/tls.ts'
import type { RecipientReply } from '../smtp/transaction.ts'
import { familyName, hasNoWayOut, Ipv6Reachability, type ServerAddresses } from './addresses.ts'
import { HostMemory } from './host-memory.ts'
import { withOwnDemand } from './own-demand.ts'
import type { ProbePauses } from './probe-pauses.ts'
import type { RouteRequest, RouteResult } from './route.ts'
import { SessionAtDot } from './session-at-dot.ts'
import type { PooledSession, SessionPool } from './session-pool.ts'
import { type CountedPolicy, failedSession, openedSession } from './tls-sessions.ts'

/** The settings for a connection to a server, except its address. */
export type ServerTarget = Omit<SmtpTarget, 'address' | 'localAddress' | 'proxy' | 'timeouts'>

/** The settings for connections to a server, or the reason why it must not be contacted. */
export type ServerChoice = (
  | { kind: 'target'; target: ServerTarget }
  | { kind: 'none'; failure: RouteFailure }
) & {
  /**
   * Makes the policy under which sessions are counted; called only for a session that counts. Absent or null: sessions
   * are not counted.
   */
  counted?: (() => CountedPolicy) | null
}

/** A server to try. Its target and addresses are looked up only when its turn comes. */
export interface Server {
  target: () => Promise<ServerChoice>
  /** The address to try first: an earlier attempt ended there. */
  preferredAddress: string | null
  addresses: () => Promise<ServerAddresses>
  /** Where a connection to `address` leaves from; null or absent: the system chooses. */
  from?: (address: string) => Exit | null
}

/** A server that sessions are opened with. */
interface ServerEndpoint {
  target: ServerTarget
  /** The key of its sessions in the pool. */
  key: string
  /** The policy under which its sessions are counted. */
  counted: (() => CountedPolicy) | null
  from: NonNullable<Server['from']>
  /** The address that an earlier attempt ended at. No other address is tried while it is slow to answer. */
  preferred: string | null
}

export interface WalkLimits {
  timeouts: Partial<SmtpTimeouts>
  /** The most servers that had an address to connect to. */
  maxServers: number
  addressesPerServer: number
  /** Milliseconds from the start after which no further server is tried. */
  attempt: number
  /**
   * Milliseconds that a server has for each answer, and for opening a session, when other mail needs the session.
   * Healthy servers that test a client let it wait for six seconds at the greeting.
   */
  silence: number
}

export const walkLimits: WalkLimits = {
  timeouts: {},
  maxServers: 6,
  addressesPerServer: 4,
  attempt: 15 * 60_000,
  silence: 10_000,
}

/**
 * Milliseconds to wait for a connection while there is another address to try (RFC 8305 would not even wait that long).
 */
const IMPATIENT_CONNECT = 10_000

/**
 * The number of servers that may refuse this service before no other server of the site is tried (Postfix tries two as
 * well).
 */
const MOST_REFUSING = 2

/** Milliseconds for which a server gets no envelope behind a final dot after it has not taken one. */
const APART_MS = 24 * 3_600_000

/** The state that all walks of a route share: sessions, unreachable hosts, and whether IPv6 works. */
export class RouteState {
  readonly route: RouteKind
  readonly limits: WalkLimits
  readonly pool: SessionPool
  readonly hosts: HostMemory
  readonly ipv6 = new Ipv6Reachability()
  /** Keys of servers that have not taken an envelope behind a final dot. */
  readonly #dotsApart = new RecentEntries<true>(10_000, { ttl: APART_MS })

  constructor(route: RouteKind, limits: WalkLimits, pauses: ProbePauses, pool: SessionPool) {
    this.route = route
    this.limits = limits
    this.pool = pool
    this.hosts = new HostMemory(pauses)
  }

  takesNext(pooled: PooledSession, key: string): boolean {
    return this.pool.takesNext(pooled) && !this.#dotsApart.has(key)
  }

  /** The server has lost, refused or ignored an envelope behind a final dot: none is written there for a day. */
  keepDotsApart(key: string): void {
    this.#dotsApart.set(key, true)
  }
}

/** True when the server no longer served the pooled session, which says nothing about the message. */
function wasStale(replies: RecipientReply[]): boolean {
  return replies.every(
    ({ verdict, stage, code }) =>
      verdict === 'deferred' &&
      (stage === 'mail' || stage === 'idle') &&
      (code === undefined || code === 421),
  )
}

/** Completes "The open connection to mx …". */
function staleness({ kind, code }: RecipientReply): string {
  if (kind === 'timeout') return 'gave no answer'
  if (kind === 'protocol') return 'gave a malformed answer'
  return kind === 'reply' && code === undefined ? 'did not take the envelope' : 'was closed meanwhile'
}

/** The key under which the sessions of a server are pooled. */
function sessionKey({ host, port, implicitTls, tls, dane, credentials }: ServerTarget): string {
  const key = `${host}\0${port}\0${implicitTls}\0${tls}\0${credentials?.user ?? ''}`
  return dane === undefined ? key : `${key}\0${proofKey(dane)}`
}

/**
 * Asks one server after the other, until every recipient has an answer that no other server would change (RFC 5321 5.1;
 * judge/finding.ts lists those). A recipient without such an answer gets the most telling of its answers.
 */
export class ServerWalk {
  readonly #state: RouteState
  readonly #pinned: boolean
  readonly #request: RouteRequest
  readonly #deadline: number
  /** Recipients without a final answer. */
  #left: DeliveryRecipient[]
  #settled: RecipientOutcome[] = []
  /** Failures so far: some concern all recipients that were left at the time, others single recipients by position. */
  readonly #failures: RouteFailure[] = []
  readonly #ofRecipient = new Map<number, RouteFailure[]>()
  /** Names of the proxies that have failed: no other server is asked through them. */
  readonly #failedProxies = new Set<string>()
  /** Unix ms: when the first of the skipped hosts is asked again. */
  #notBefore = Number.POSITIVE_INFINITY
  readonly #sessions: TlsSession[] = []
  #server: string | null = null
  #tls: AttemptTls | null = null
  /** The session that was offered to the next delivery. */
  #atDot: SessionAtDot | null = null
  /** The session that is being opened: since when (monotonic), and how to give it up. */
  #opening: { since: number; abandon: AbortController } | null = null
  #session: PooledSession['session'] | null = null
  /** The attempt was cut short, because other mail needs the session: no further server is asked. */
  #isCut = false

  /** `pinned`: no other server may be asked, so a refusal here is not taken as final. */
  constructor(request: RouteRequest, state: RouteState, pinned = false) {
    this.#state = state
    this.#pinned = pinned
    this.#request = request
    this.#left = request.delivery.recipients
    this.#deadline = performance.now() + state.limits.attempt
    request.cutShort = () => this.#cutShort()
  }

  /**
   * Rejects only for a fault of our own (the message cannot be composed), and only while no recipient has an answer.
   */
  async visit(servers: Server[]): Promise<RouteResult> {
    const { maxServers } = this.#state.limits
    let visited = 0
    for (const server of servers) {
      if (this.#left.length === 0 || this.#isCut || !this.#mayGoOn()) break
      if (visited >= MOST_REFUSING && this.#isRefused()) break
      if (visited >= maxServers || performance.now() >= this.#deadline) {
        const limit = visited >= maxServers ? `${visited} servers` : 'the time of one attempt'
        this.#request.dialogue.note(`no further servers are tried: ${limit}`)
        this.#failAll({
          finding: 'server',
          enhancedCode: '4.4.1',
          message: `No server accepted the message within ${limit}`,
        })
        break
      }
      try {
        if (await this.#visitServer(server)) visited++
      } catch (error) {
        if (this.#settled.length === 0) throw error
        // The answers of earlier servers stand; no further server is asked.
        this.#failAll(failureOfException(error))
        break
      }
    }
    if (this.#request.stopping.aborted) this.#mayGoOn()
    const decisive = this.#left.map(({ position }) => this.#decisive(position))
    const left = this.#left.map(({ position }, index) => outcomeOfFailure(position, decisive[index]!))
    const result: RouteResult = {
      outcomes: left.length === 0 ? this.#settled : [...this.#settled, ...left],
      server: this.#server,
      tls: this.#tls,
    }
    if (this.#sessions.length > 0) result.tlsSessions = this.#sessions
    const hindrance =
      decisive.find(({ finding, unreachable }) => hinders(finding) || unreachable) ??
      this.failures.find(isBusy)
    if (hindrance !== undefined) result.hindrance = reportOf(hindrance)
    const wasSpared = hindrance?.finding === 'unreachable' && !this.#isCut
    if (wasSpared && this.#notBefore < Number.POSITIVE_INFINITY) result.notBefore = this.#notBefore
    return result
  }

  /**
   * The servers of a site share its rules, so after two refusals of this service there is no use in trying more of
   * them.
   */
  #isRefused(): boolean {
    const refusing = this.failures.filter(({ finding }) => finding === 'busy' || finding === 'path')
    if (new Set(refusing.map(({ server }) => server)).size < MOST_REFUSING) return false
    this.#request.dialogue.note('no further servers are tried: two of them refuse this service')
    return true
  }

  #cutShort(): boolean {
    const { dialogue } = this.#request
    const { route, limits } = this.#state
    if (this.#session?.isAtDot(dialogue)) return true
    // The mail that waits mostly goes to the same relay, and a relay that is closed holds up all of it.
    if (this.#isCut || route !== 'direct') return false
    if (this.#opening !== null) {
      if (monotonic() - this.#opening.since < limits.silence) return false
      this.#isCut = true
      this.#opening.abandon.abort()
    } else if (this.#session?.cutIfSilent(dialogue, limits.silence)) this.#isCut = true
    return false
  }

  /** The failures so far; none when the first server took the mail. */
  get failures(): RouteFailure[] {
    return [...this.#failures, ...[...this.#ofRecipient.values()].flat()]
  }

  get #replies(): readonly ReplyRule[] {
    return this.#request.delivery.path.terms.replies
  }

  /** The failure that decides about a recipient that is left. */
  #decisive(position: number): RouteFailure {
    const failure = mostTelling([...(this.#ofRecipient.get(position) ?? []), ...this.#failures])
    return this.#pinned ? asTemporary(failure) : failure
  }

  /** Returns false when no address of the server was asked. */
  async #visitServer(server: Server): Promise<boolean> {
    const { pool, limits } = this.#state
    const choice = await server.target()
    const { counted = null } = choice
    if (choice.kind === 'none') {
      this.#count(counted && failedSession(counted(), null))
      return this.#passOver(choice.failure)
    }
    const target = withOwnDemand(choice.target, this.#request.delivery.email.tls)
    const key = sessionKey(target)
    const behind = await this.#behind(key)
    if (behind === null && !this.#mayGoOn()) return true
    const open = behind ?? pool.take(key, server.preferredAddress)
    if (open !== null) {
      const where = open.behind ? 'behind the message before, on' : 'on'
      this.#request.dialogue.note(`${where} the open connection to ${open.session.server}`)
      if (await this.#transact(open, target, key)) return true
    }
    const found = await server.addresses()
    if (found.kind === 'none') return this.#passOver(found.failure)
    const addresses = preferring(server.preferredAddress, found.addresses).slice(0, limits.addressesPerServer)
    const endpoint: ServerEndpoint = {
      target,
      key,
      counted,
      from: server.from ?? (() => null),
      preferred: server.preferredAddress,
    }
    let asked = await this.#ask(endpoint, addresses, (address) => this.#mayAsk(target, address))
    // A relay is the only way out, so a host that was unreachable a moment ago is tried all the same. The queue lets
    // only one delivery at a time do so (queue/path-health.ts).
    if (!asked && this.#state.route === 'relay') asked = await this.#ask(endpoint, addresses, () => true)
    return asked
  }

  /**
   * The session of the delivery before this one, while that one waits for the answer to its dot. If that session does
   * not suit, waits for its end, because the limits of the path count it for this delivery.
   */
  async #behind(key: string): Promise<PooledSession | null> {
    const { behind } = this.#request
    if (behind === undefined || behind.isLeft) return null
    const session = this.#state.pool.join(behind, key)
    if (session === null) await behind.left
    return session
  }

  #passOver(failure: RouteFailure): false {
    this.#request.dialogue.note(failure.message)
    this.#failAll(failure)
    return false
  }

  /**
   * Tries one address after the other until there is a session; the answer there is the answer of the server. False
   * when no address was asked.
   */
  async #ask(
    endpoint: ServerEndpoint,
    addresses: string[],
    mayAsk: (address: string) => boolean,
  ): Promise<boolean> {
    let asked = false
    const tried = new Set<string>()
    for (const [index, address] of addresses.entries()) {
      if (this.#left.length === 0 || this.#isCut || performance.now() >= this.#deadline) break
      if (!this.#mayGoOn()) break
      if (tried.has(address) || this.#hasFailed(endpoint.from(address)?.proxy) || !mayAsk(address)) continue
      asked = true
      const next = addresses[index + 1]
      const spare = next !== undefined && this.#standsIn(endpoint, address, next) ? next : null
      const last = index === addresses.length - 1
      const session = await this.#open(endpoint, address, { last, spare, tried })
      if (session === null) continue
      await this.#transact(session, endpoint.target, endpoint.key)
      break
    }
    return asked
  }

  /** False for a host that could not be reached a moment ago. */
  #mayAsk({ host, port }: ServerTarget, address: string): boolean {
    const waits = this.#state.hosts.waits(`${address}:${port}`)
    if (waits === 0) return true
    const message = `${host} [${address}]:${port} could not be reached a moment ago, and is not tried again yet`
    this.#request.dialogue.note(message)
    this.#notBefore = Math.min(this.#notBefore, Math.ceil(Date.now() + waits))
    const asked = `${host} [${address}]:${port}`
    this.#failAll({ finding: 'unreachable', enhancedCode: '4.4.1', message, unreachable: true, asked })
    return false
  }

  #hasFailed(proxy: OutgoingProxy | undefined): boolean {
    return proxy !== undefined && this.#failedProxies.has(proxyName(proxy))
  }

  /** Whether to connect to the next address as well while the first one does not answer. */
  #standsIn({ target: { port }, preferred }: ServerEndpoint, address: string, next: string): boolean {
    if (isIP(next) === isIP(address) || address === preferred) return false
    return !this.#state.hosts.isUnreachable(`${next}:${port}`)
  }

  /** Returns false, and releases the remaining recipients, when nothing may be handed over any more. */
  #mayGoOn(): boolean {
    const { mayHandOver, stopping } = this.#request
    if (mayHandOver() && !stopping.aborted) return true
    const why = stopping.aborted
      ? notAttempted('the service is stopping')
      : notAttempted('the lease had expired')
    this.#settle(this.#left.map(({ position }) => releasedOutcome(position, why)))
    return false
  }

  async #open(
    { target: server, key, counted, from }: ServerEndpoint,
    address: string,
    { last, spare, tried }: { last: boolean; spare: string | null; tried: Set<string> },
  ): Promise<PooledSession | null> {
    const { pool, ipv6, hosts, limits: walk } = this.#state
    const remaining = Math.max(1, this.#deadline - performance.now())
    const limits = { ...defaultTimeouts, ...walk.timeouts }
    const timeouts = {
      ...limits,
      connect: last ? limits.connect : Math.min(limits.connect, IMPATIENT_CONNECT),
      opening: Math.min(limits.opening, remaining),
    }
    const targetAt = (at: string): SmtpTarget => {
      return { ...server, address: at, ...from(at), timeouts }
    }
    const target = targetAt(address)
    const fallback: Fallback | null = spare === null ? null : { target: targetAt(spare), used: false }
    const { delivery, dialogue, stopping } = this.#request
    const { messagesPerSession } = delivery.path.terms
    const begunAt = monotonic()
    const known = target.dane && authoritiesKey(target.dane)
    let trying = target
    let fault: SmtpError | null = null
    for (let tries = 1; ; tries++) {
      try {
        const now = tries === 1 ? fallback : null
        const abandon = new AbortController()
        const end = () => abandon.abort()
        if (stopping.aborted) end()
        else stopping.addEventListener('abort', end, { once: true })
        this.#opening = { since: monotonic(), abandon }
        const session = await pool
          .open(key, trying, dialogue, abandon.signal, messagesPerSession, now)
          .finally(() => {
            this.#opening = null
            stopping.removeEventListener('abort', end)
          })
        hosts.recordSuccess(`${session.session.address}:${target.port}`)
        this.#count(counted && openedSession(counted(), session.session, session.session.tls, fault))
        return session
      } catch (error) {
        if (!this.#mayGoOn()) return null
        if (fallback?.used && trying === target) trying = fallback.target
        if (this.#isCut) {
          this.#openingCut(trying)
          return null
        }
        const { address: used } = trying
        tried.add(used)
        const name = `${used}:${target.port}`
        // The failed handshake may have shown an authority with which the next handshake succeeds.
        if (tries === 1 && target.dane !== undefined && authoritiesKey(target.dane) !== known) {
          dialogue.note('trying once more, with the authority that the TLSA records name')
          continue
        }
        if (!mayGoInClear(trying, error)) {
          ipv6.recordFailure(used, error)
          if (isUnreachable(error)) hosts.recordFailure(name, begunAt)
          else if (!isOfProxy(error)) hosts.recordSuccess(name)
          else if (trying.proxy !== undefined) this.#failedProxies.add(proxyName(trying.proxy))
          this.#count(counted && failedSession(counted(), trying, error))
          this.#openFailed(trying, error)
          return null
        }
        fault = error
        // RFC 7435 3: with an opportunistic policy, broken encryption is no reason to withhold the mail; but a single
        // failure may be chance.
        if (tries > 1) trying = { ...trying, tls: 'off' }
        const next = tries > 1 ? 'trying without, as the policy allows' : 'trying once more'
        dialogue.note(`TLS failed (${error.message}); ${next}`)
      }
    }
  }

  /** The server may only be slow, so other mail still asks it. */
  #openingCut({ host, address, port }: SmtpTarget): void {
    const asked = `${host} [${address}]:${port}`
    const message = `${asked} ${keptWaiting(this.#state.limits.silence)}`
    this.#request.dialogue.note(message)
    this.#failUnreachable(asked, '4.4.2', message)
  }

  #count(session: TlsSession | null): void {
    if (session !== null) this.#sessions.push(session)
  }

  #openFailed(target: SmtpTarget, error: unknown): void {
    if (!(error instanceof SmtpError)) throw error
    // Recorded only while no transaction has begun: after that, the server of the transaction is recorded.
    if (error.kind === 'tls' && this.#server === null) {
      this.#tls = { ...attemptTls(target, null), doubt: clip(error.message) }
    }
    const name = `${target.host} [${target.address}]:${target.port}`
    if (error.kind === 'connect' && hasNoWayOut(target.address, error)) {
      const message = `${name} cannot be reached, because this machine has no way out over ${familyName(target.address)}`
      this.#failUnreachable(name, '4.4.4', message)
      return
    }
    // A relay is not to blame if it lacks what only this mail demands, so its path stays open.
    const isOwn = error.kind === 'tls' && target.tlsSource === 'domain'
    this.#failAll(failureOfError(error, name, isOwn ? 'direct' : this.#state.route, this.#replies))
  }

  /** False when the session turned out to be stale, so that the caller asks the same server again on a new one. */
  async #transact(pooled: PooledSession, target: ServerTarget, key: string): Promise<boolean> {
    const { sender, envelopeId, message, mayHandOver, handOver = mayHandOver, dialogue } = this.#request
    const { session } = pooled
    const onDot = () => this.#offer(pooled, key, target.host)
    let recipients = this.#left
    let refusedAll = false
    this.#session = session
    try {
      for (let first = true; recipients.length > 0; first = false) {
        const addresses = recipients.map(({ address }) => address)
        const replies = await session.send(
          { sender, envelopeId, recipients: addresses, message, mayHandOver, handOver, onDot },
          dialogue,
        )
        if (first && pooled.reused && !this.#isCut && wasStale(replies)) {
          const [reply] = replies as [RecipientReply]
          dialogue.note(`The open connection to ${session.server} ${staleness(reply)}; opening another`)
          if (reply.untried === 'lost') this.#state.keepDotsApart(key)
          return false
        }
        this.#talkingTo(session, target)
        refusedAll = replies.every(({ code = 0 }) => code >= 400 && code < 500)
        const crowded = this.#hear(recipients, replies, session.server)
        // RFC 5321 4.5.3.1.10: recipients over the server's limit go with the next transaction, as long as each
        // transaction gets some of them through.
        recipients = session.usable && crowded.length < recipients.length ? crowded : []
      }
    } finally {
      this.#session = null
      // postscreen accepts no mail on the connection on which it tests a client, whatever comes later.
      this.#state.pool.release(pooled, !refusedAll)
      this.#atDot?.leave()
    }
    if (this.#atDot !== null && this.#left.length > 0) this.#request.onApart?.()
    return true
  }

  /** The message waits for its answer: the next delivery may begin behind it, if the session has room for it. */
  #offer(pooled: PooledSession, key: string, host: string): void {
    const { onDot, delivery } = this.#request
    if (!delivery.path.terms.envelopeBehindDot) return
    // After a failure, the next delivery would begin with another server.
    if (onDot === undefined || this.failures.length > 0 || !this.#state.takesNext(pooled, key)) return
    this.#atDot = new SessionAtDot(pooled.session, key, host)
    onDot(this.#atDot)
  }

  /** The recipients settled so far had their answer from an earlier server. */
  #talkingTo({ server, tls }: PooledSession['session'], target: ServerTarget): void {
    if (this.#server !== null && server !== this.#server) {
      for (const outcome of this.#settled) {
        if (outcome.tls === undefined) outcome.tls = this.#tls
        outcome.server ??= this.#server
      }
    }
    this.#server = server
    this.#tls = attemptTls(target, tls)
  }

  /** Returns the recipients that were over the server's limit for this transaction. */
  #hear(recipients: DeliveryRecipient[], replies: RecipientReply[], server: string): DeliveryRecipient[] {
    const settled: RecipientOutcome[] = []
    const crowded: DeliveryRecipient[] = []
    for (const [index, recipient] of recipients.entries()) {
      const { position } = recipient
      const reply = replies[index]
      if (reply === undefined) throw new Error(`No reply for recipient ${index} of ${recipients.length}`)
      const found = failureOfReply(reply, server, this.#state.route, this.#replies)
      const isCut = this.#isCut && reply.kind === 'timeout'
      const cut = { finding: 'unreachable', unreachable: true, asked: server } as const
      const failure: RouteFailure | null = found && isCut ? { ...found, ...cut } : found
      if (failure === null) settled.push(outcomeOfReply(position, reply))
      else if (!CONSEQUENCES[failure.finding].asksNext) settled.push(outcomeOfFailure(position, failure))
      else {
        if (failure.finding === 'crowded') crowded.push(recipient)
        const others = this.#ofRecipient.get(position)
        if (others === undefined) this.#ofRecipient.set(position, [failure])
        else others.push(failure)
      }
    }
    this.#settle(settled)
    return crowded
  }

  #settle(outcomes: RecipientOutcome[]): void {
    if (outcomes.length === this.#left.length && this.#settled.length === 0) {
      // All recipients at once, the usual case.
      this.#settled = outcomes
      this.#left = []
      return
    }
    const positions = new Set(outcomes.map(({ position }) => position))
    this.#settled.push(...outcomes)
    this.#left = this.#left.filter(({ position }) => !positions.has(position))
  }

  #failUnreachable(asked: string, enhancedCode: string, message: string): void {
    this.#failAll({ finding: 'unreachable', enhancedCode, message, unreachable: true, asked })
  }

  #failAll(failure: RouteFailure): void {
    this.#failures.push(failure)
  }
}

function isBusy({ finding }: RouteFailure): boolean {
  return finding === 'busy'
}

/** The trouble in the form that the queue gets it; queue/evidence.ts decides whom it concerns. */
function reportOf({
  finding,
  server,
  asked = server,
  toMail = false,
  code,
  message,
  unreachable,
  waitMs,
  excess,
  list,
}: RouteFailure): HindranceReport {
  // No server answered, whether it was asked now or a moment ago.
  if (unreachable) {
    return { kind: 'unreachable', met: 'connection', message, ...(asked !== undefined && { server: asked }) }
  }
  const kind = finding as Hindrance
  const ofSession = server === undefined || kind === 'credentials'
  const report: HindranceReport = {
    kind,
    met: ofSession ? 'session' : toMail ? 'mail' : 'recipient',
    message,
  }
  if (asked !== undefined) report.server = asked
  if (code !== undefined) report.code = code
  if (waitMs !== undefined) report.waitMs = waitMs
  if (excess !== undefined) report.excess = excess
  if (list !== undefined) report.list = list
  return report
}

/**
 * True only while nothing but the mail itself is at stake: credentials are never sent unencrypted, and a policy that
 * requires TLS is never relaxed.
 */
export function mayGoInClear(target: SmtpTarget, error: unknown): error is SmtpError {
  if (!(error instanceof SmtpError) || error.stage !== 'starttls') return false
  return target.tls === 'opportunistic' && !target.implicitTls && target.credentials === null
}

function attemptTls({ tls, tlsSource = 'default' }: ServerTarget, used: TlsOutcome | null): AttemptTls {
  const demand = { demand: tls === 'off' ? ('none' as const) : tls, source: tlsSource }
  if (used === null) return { version: null, cipher: null, ...demand, verified: false, doubt: null }
  const { protocol: version, cipher, verified, doubt } = used
  return { version, cipher, ...demand, verified, doubt }
}

function preferring(preferred: string | null, addresses: string[]): string[] {
  if (preferred === null || !addresses.includes(preferred)) return addresses
  return [preferred, ...addresses.filter((address) => address !== preferred)]
}
