/** Goes from server to server until every recipient has an answer: the loop that direct and relay delivery share. */
import { monotonic } from '../../common/clock.ts'
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
  released,
} from '../outcome.ts'
import { isUnreachable, SmtpError } from '../smtp/error.ts'
import type { SmtpTarget } from '../smtp/target.ts'
import { defaultTimeouts, type SmtpTimeouts } from '../smtp/timeouts.ts'
import type { RecipientReply } from '../smtp/transaction.ts'
import { Ipv6Reachability, type ServerAddresses } from './addresses.ts'
import { HostMemory } from './host-memory.ts'
import type { ProbePauses } from './probe-pauses.ts'
import type { RouteRequest, RouteResult } from './route.ts'
import type { PooledSession, SessionPool } from './session-pool.ts'

/** How to talk to a server, at whatever address it is found. */
export type ServerTarget = Omit<SmtpTarget, 'address' | 'timeouts'>

/** A server to try. What it takes to know more about it is asked only when its turn comes. */
export interface Server {
  target: () => Promise<ServerTarget>
  /** Of these addresses that one first: an earlier attempt ended there. */
  preferredAddress: string | null
  addresses: () => Promise<ServerAddresses>
}

export interface WalkLimits {
  timeouts: Partial<SmtpTimeouts>
  /** Servers that had an address to connect to. */
  maxServers: number
  addressesPerServer: number
  /** Milliseconds from the start after which no further server is tried. */
  attempt: number
}

export const walkLimits: WalkLimits = {
  timeouts: {},
  maxServers: 6,
  addressesPerServer: 4,
  attempt: 15 * 60_000,
}

/**
 * Milliseconds to wait for a connection while there is another address to go to (RFC 8305 would not even wait that
 * long).
 */
const IMPATIENT_CONNECT = 10_000

/** What all walks of a route share: its sessions, and what they have found out. */
export class RouteState {
  readonly route: RouteKind
  readonly limits: WalkLimits
  readonly pool: SessionPool
  readonly hosts: HostMemory
  readonly ipv6 = new Ipv6Reachability()

  constructor(route: RouteKind, limits: WalkLimits, pauses: ProbePauses, pool: SessionPool) {
    this.route = route
    this.limits = limits
    this.pool = pool
    this.hosts = new HostMemory(pauses)
  }
}

/** The pooled session had been closed by the server before anything was asked of it: says nothing about the message. */
function wasStale(replies: RecipientReply[]): boolean {
  return replies.every(
    ({ verdict, stage, code }) =>
      verdict === 'deferred' &&
      (stage === 'mail' || stage === 'idle') &&
      (code === undefined || code === 421),
  )
}

/** Under which its sessions are pooled. */
function sessionKey({ host, port, implicitTls, tls, credentials }: ServerTarget): string {
  return `${host}\0${port}\0${implicitTls}\0${tls}\0${credentials?.user ?? ''}`
}

/**
 * One server after the other, until every recipient has an answer that no other server would change (RFC 5321 5.1;
 * which these are: judge/finding.ts). What is left then is judged by the most telling of the answers it got.
 */
export class ServerWalk {
  readonly #state: RouteState
  readonly #pinned: boolean
  readonly #request: RouteRequest
  readonly #deadline: number
  /** Recipients without a final answer. */
  #left: DeliveryRecipient[]
  #settled: RecipientOutcome[] = []
  /** Why nothing was taken: for all that were left at that time, and by position. */
  readonly #failures: RouteFailure[] = []
  readonly #ofRecipient = new Map<number, RouteFailure[]>()
  /** Unix ms: when the first of the hosts that were not asked is asked again. */
  #notBefore = Number.POSITIVE_INFINITY
  #server: string | null = null
  #tls: string | null = null

  /** `pinned`: no other servers may be asked, so that what ends a recipient here may not be the last word. */
  constructor(request: RouteRequest, state: RouteState, pinned = false) {
    this.#state = state
    this.#pinned = pinned
    this.#request = request
    this.#left = request.delivery.recipients
    this.#deadline = performance.now() + state.limits.attempt
  }

  /** Rejects only for a fault of our own (the message cannot be composed), and only while nobody has an answer. */
  async visit(servers: Server[]): Promise<RouteResult> {
    const { maxServers } = this.#state.limits
    let visited = 0
    for (const server of servers) {
      if (this.#left.length === 0 || !this.#mayGoOn()) break
      if (visited >= maxServers || performance.now() >= this.#deadline) {
        const limit = visited >= maxServers ? `${visited} servers` : 'the time of one attempt'
        this.#request.dialogue.note(`no further server is asked: ${limit}`)
        this.#failAll({
          finding: 'server',
          enhancedCode: '4.4.1',
          message: `No server took it within ${limit}`,
        })
        break
      }
      try {
        if (await this.#visitServer(server)) visited++
      } catch (error) {
        if (this.#settled.length === 0) throw error
        // What other servers said before stays true; nobody else is asked.
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
    const hindrance =
      decisive.find(({ finding, unreachable }) => hinders(finding) || unreachable) ??
      this.failures.find(isBusy)
    if (hindrance !== undefined) result.hindrance = reportOf(hindrance, this.#state.route)
    if (hindrance?.finding === 'unreachable') result.notBefore = this.#notBefore
    return result
  }

  /** What was met on the way; nothing when the first server took the mail. */
  get failures(): RouteFailure[] {
    return [...this.#failures, ...[...this.#ofRecipient.values()].flat()]
  }

  /** Which of the failures decides about a recipient that is left. */
  #decisive(position: number): RouteFailure {
    const failure = mostTelling([...(this.#ofRecipient.get(position) ?? []), ...this.#failures])
    return this.#pinned ? asTemporary(failure) : failure
  }

  /** False when the server could not even be looked for. */
  async #visitServer(server: Server): Promise<boolean> {
    const { pool, limits } = this.#state
    const target = await server.target()
    const key = sessionKey(target)
    const idle = pool.take(key, server.preferredAddress)
    if (idle !== null) {
      this.#request.dialogue.note(`on the open connection to ${idle.session.server}`)
      if (await this.#transact(idle)) return true
    }
    const found = await server.addresses()
    if (found.kind === 'none') {
      this.#request.dialogue.note(found.failure.message)
      this.#failAll(found.failure)
      return false
    }
    const addresses = preferring(server.preferredAddress, found.addresses).slice(0, limits.addressesPerServer)
    let asked = await this.#ask(target, key, addresses, (address) => this.#mayAsk(target, address))
    // A relay is the only way there is, and who sends us sees to it that one asks at a time (queue/path-health.ts).
    if (!asked && this.#state.route === 'relay') asked = await this.#ask(target, key, addresses, () => true)
    return asked
  }

  /**
   * One address after the other until there is a session; what is answered there is the word of the server. False when
   * none was asked.
   */
  async #ask(
    target: ServerTarget,
    key: string,
    addresses: string[],
    mayAsk: (address: string) => boolean,
  ): Promise<boolean> {
    let asked = false
    for (const [index, address] of addresses.entries()) {
      if (this.#left.length === 0 || performance.now() >= this.#deadline || !this.#mayGoOn()) break
      if (!mayAsk(address)) continue
      asked = true
      const session = await this.#open(target, key, address, index === addresses.length - 1)
      if (session === null) continue
      await this.#transact(session)
      break
    }
    return asked
  }

  /** False for a host that could not be reached a moment ago. */
  #mayAsk({ host, port }: ServerTarget, address: string): boolean {
    const waits = this.#state.hosts.waits(`${address}:${port}`)
    if (waits === 0) return true
    const message = `${host} [${address}]:${port} could not be reached a moment ago, and is not asked again yet`
    this.#request.dialogue.note(message)
    this.#notBefore = Math.min(this.#notBefore, Math.ceil(Date.now() + waits))
    this.#failAll({ finding: 'unreachable', enhancedCode: '4.4.1', message, unreachable: true })
    return false
  }

  /** Gives what is left back when nothing may be handed over any more. */
  #mayGoOn(): boolean {
    const { mayHandOver, stopping } = this.#request
    if (mayHandOver() && !stopping.aborted) return true
    const why = stopping.aborted ? 'Not tried: the service is stopping' : 'Not tried: the lease was over'
    this.#settle(this.#left.map(({ position }) => released(position, why)))
    return false
  }

  async #open(
    server: ServerTarget,
    key: string,
    address: string,
    last: boolean,
  ): Promise<PooledSession | null> {
    const { pool, ipv6, hosts, limits: walk } = this.#state
    const remaining = Math.max(1, this.#deadline - performance.now())
    const limits = { ...defaultTimeouts, ...walk.timeouts }
    const timeouts = {
      ...limits,
      connect: last ? limits.connect : Math.min(limits.connect, IMPATIENT_CONNECT),
      opening: Math.min(limits.opening, remaining),
    }
    const target: SmtpTarget = { ...server, address, timeouts }
    const { dialogue, stopping } = this.#request
    const name = `${address}:${target.port}`
    const begunAt = monotonic()
    let trying = target
    for (let tries = 1; ; tries++) {
      try {
        const session = await pool.open(key, trying, dialogue, stopping)
        hosts.reached(name)
        return session
      } catch (error) {
        if (!this.#mayGoOn()) return null
        if (!mayGoInClear(trying, error)) {
          ipv6.failed(address, error)
          if (isUnreachable(error)) hosts.failed(name, begunAt)
          else hosts.reached(name)
          this.#openFailed(target, error)
          return null
        }
        // RFC 7435 3: with an opportunistic policy, broken encryption is no reason to withhold the mail; but once may
        // be chance.
        if (tries > 1) trying = { ...target, tls: 'off' }
        const next = tries > 1 ? 'trying without, as the policy allows' : 'trying once more'
        dialogue.note(`TLS could not be had (${error.message}); ${next}`)
      }
    }
  }

  #openFailed(target: SmtpTarget, error: unknown): void {
    if (!(error instanceof SmtpError)) throw error
    const name = `${target.host} [${target.address}]:${target.port}`
    this.#failAll(failureOfError(error, name, this.#state.route))
  }

  /** False when the session turned out to be stale, so that the same server should be asked again on a new one. */
  async #transact(pooled: PooledSession): Promise<boolean> {
    const { delivery, message, mayHandOver, handOver = mayHandOver, dialogue } = this.#request
    const { session } = pooled
    let recipients = this.#left
    let refusedAll = false
    try {
      for (let first = true; recipients.length > 0; first = false) {
        const addresses = recipients.map(({ address }) => address)
        const replies = await session.send(
          { sender: delivery.email.sender, recipients: addresses, message, mayHandOver, handOver },
          dialogue,
        )
        if (first && pooled.reused && wasStale(replies)) {
          dialogue.note(`The open connection to ${session.server} had ended meanwhile; opening another`)
          return false
        }
        this.#talkingTo(session)
        refusedAll = replies.every(({ code = 0 }) => code >= 400 && code < 500)
        const crowded = this.#hear(recipients, replies, session.server)
        // RFC 5321 4.5.3.1.10: who was one too many goes with the next transaction, as long as that gets us on.
        recipients = session.usable && crowded.length < recipients.length ? crowded : []
      }
    } finally {
      // postscreen lets nobody through on the connection that it tests us on, whatever comes later.
      this.#state.pool.release(pooled, !refusedAll)
    }
    return true
  }

  /** Whoever is settled by now had the answer of the server before. */
  #talkingTo({ server, tls }: PooledSession['session']): void {
    if (this.#server !== null && server !== this.#server) {
      for (const outcome of this.#settled) {
        if (outcome.tls === undefined) outcome.tls = this.#tls
        outcome.server ??= this.#server
      }
    }
    this.#server = server
    this.#tls = tls
  }

  /** Returns those who were one too many for this transaction. */
  #hear(recipients: DeliveryRecipient[], replies: RecipientReply[], server: string): DeliveryRecipient[] {
    const settled: RecipientOutcome[] = []
    const crowded: DeliveryRecipient[] = []
    for (const [index, recipient] of recipients.entries()) {
      const { position } = recipient
      const reply = replies[index]
      if (reply === undefined) throw new Error(`No reply for recipient ${index} of ${recipients.length}`)
      const failure = failureOfReply(reply, server, this.#state.route)
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
      // All at once, as nearly always.
      this.#settled = outcomes
      this.#left = []
      return
    }
    const positions = new Set(outcomes.map(({ position }) => position))
    this.#settled.push(...outcomes)
    this.#left = this.#left.filter(({ position }) => !positions.has(position))
  }

  #failAll(failure: RouteFailure): void {
    this.#failures.push(failure)
  }
}

function isBusy({ finding }: RouteFailure): boolean {
  return finding === 'busy'
}

/**
 * What was said before MAIL, or about the account, concerns all mail; so does a limit. But the words of a 5yz may be a
 * recipient's own (RFC 5429 2.1), and what anybody can have a server say must not keep others from it.
 */
function reportOf(
  { finding, server, code = 0, message, unreachable }: RouteFailure,
  route: RouteKind,
): HindranceReport {
  const kind = finding as Hindrance
  // Whether it was asked a moment ago or now, nobody answered.
  if (unreachable) return { kind: 'unreachable', wide: true, message }
  const limit = kind === 'busy' && (route === 'relay' || code < 500)
  return { kind, wide: server === undefined || kind === 'credentials' || limit, message }
}

/**
 * Only while nothing but mail is at stake: credentials never follow into the clear, and a policy that asks for TLS is
 * never relaxed.
 */
function mayGoInClear(target: SmtpTarget, error: unknown): error is SmtpError {
  if (!(error instanceof SmtpError) || error.stage !== 'starttls') return false
  return target.tls === 'opportunistic' && !target.implicitTls && target.credentials === null
}

function preferring(preferred: string | null, addresses: string[]): string[] {
  if (preferred === null || !addresses.includes(preferred)) return addresses
  return [preferred, ...addresses.filter((address) => address !== preferred)]
}
