/** Goes from server to server until every recipient has an answer: the loop that direct and relay delivery share. */
import type { DeliveryRecipient, RecipientOutcome } from '../delivery.ts'
import {
  failureOfError,
  failureOfException,
  outcomeOfReply,
  type RouteFailure,
  released,
} from '../outcome.ts'
import { SmtpError } from '../smtp/error.ts'
import type { SmtpTarget } from '../smtp/target.ts'
import { defaultTimeouts, type SmtpTimeouts } from '../smtp/timeouts.ts'
import type { RecipientReply } from '../smtp/transaction.ts'
import type { Ipv6Reachability, ServerAddresses } from './addresses.ts'
import type { Leg } from './route.ts'
import type { PooledSession, SessionPool } from './session-pool.ts'

/** How to talk to a server, wherever it is found. */
export type Site = Omit<SmtpTarget, 'address' | 'timeouts'>

/** A server to try. What it takes to know more about it is asked only when its turn comes. */
export interface Server {
  site: () => Promise<Site>
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

/** Milliseconds to wait for a connection while there is another address to go to (RFC 8305 would not even wait that long). */
const IMPATIENT_CONNECT = 10_000

export interface WalkResult {
  /** Of the recipients that got an answer which no other server would change. */
  settled: RecipientOutcome[]
  /** The recipients that no server took responsibility for, or against. */
  left: DeliveryRecipient[]
  /** Why not, in the order it happened. Empty only if nothing is left. */
  failures: RouteFailure[]
  server: string | null
  tls: string | null
}

/**
 * Whether another server may be asked at once. Yes when the session broke down or the server as a whole declined before the
 * message was handed over; no once it has spoken about a recipient or the message: it is the one to ask again later, since
 * greylisting remembers who came where.
 */
function anotherServerMayHelp({ verdict, stage, code }: RecipientReply): boolean {
  if (verdict !== 'deferred' || stage === 'dot') return false
  return stage === 'mail' || code === undefined || code === 421
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

function siteKey({ host, port, implicitTls, tls, credentials }: Site): string {
  return `${host}\0${port}\0${implicitTls}\0${tls}\0${credentials?.user ?? ''}`
}

export class ServerWalk {
  readonly #leg: Leg
  readonly #pool: SessionPool
  readonly #limits: WalkLimits
  readonly #ipv6: Ipv6Reachability
  readonly #deadline: number
  readonly #result: WalkResult

  constructor(leg: Leg, pool: SessionPool, limits: WalkLimits, ipv6: Ipv6Reachability) {
    this.#leg = leg
    this.#pool = pool
    this.#limits = limits
    this.#ipv6 = ipv6
    this.#deadline = performance.now() + limits.attempt
    this.#result = { settled: [], left: leg.recipients, failures: [], server: null, tls: null }
  }

  /** Rejects only for a fault of our own (the message cannot be composed), and only while nobody has an answer. */
  async visit(servers: Server[]): Promise<WalkResult> {
    let visited = 0
    for (const server of servers) {
      if (this.#result.left.length === 0 || !this.#mayGoOn()) break
      if (visited >= this.#limits.maxServers || performance.now() >= this.#deadline) {
        const limit = visited >= this.#limits.maxServers ? `${visited} servers` : 'the time of one attempt'
        this.#fail({
          permanent: false,
          enhancedCode: '4.4.1',
          message: `No answer within ${limit}; last: ${this.#result.failures.at(-1)?.message ?? 'none'}`,
        })
        break
      }
      try {
        if (await this.#visitServer(server)) visited++
      } catch (error) {
        if (this.#result.settled.length === 0) throw error
        // What other servers said before stays true; nobody else is asked.
        this.#fail(failureOfException(error))
        break
      }
    }
    if (this.#leg.stopping.aborted) this.#mayGoOn()
    return this.#result
  }

  /** False when the server could not even be looked for. */
  async #visitServer(server: Server): Promise<boolean> {
    const site = await server.site()
    const key = siteKey(site)
    const idle = this.#pool.take(key, server.preferredAddress)
    if (idle !== null && (await this.#transact(idle))) return true
    const found = await server.addresses()
    if (found.kind === 'none') {
      this.#leg.dialogue.note(found.failure.message)
      this.#fail(found.failure)
      return false
    }
    const addresses = preferring(server.preferredAddress, found.addresses).slice(
      0,
      this.#limits.addressesPerServer,
    )
    for (const [index, address] of addresses.entries()) {
      if (this.#result.left.length === 0 || performance.now() >= this.#deadline) break
      if (!this.#mayGoOn()) break
      const session = await this.#open(site, key, address, index === addresses.length - 1)
      if (session !== null) await this.#transact(session)
    }
    return true
  }

  /** Gives what is left back when nothing may be handed over any more. */
  #mayGoOn(): boolean {
    const { mayHandOver, stopping } = this.#leg
    if (mayHandOver() && !stopping.aborted) return true
    const why = stopping.aborted ? 'Not tried: the service is stopping' : 'Not tried: the lease was over'
    this.#settle(this.#result.left.map(({ position }) => released(position, why)))
    return false
  }

  async #open(site: Site, key: string, address: string, last: boolean): Promise<PooledSession | null> {
    const remaining = Math.max(1, this.#deadline - performance.now())
    const limits = { ...defaultTimeouts, ...this.#limits.timeouts }
    const timeouts = {
      ...limits,
      connect: last ? limits.connect : Math.min(limits.connect, IMPATIENT_CONNECT),
      opening: Math.min(limits.opening, remaining),
    }
    const target: SmtpTarget = { ...site, address, timeouts }
    const { dialogue, stopping } = this.#leg
    try {
      return await this.#pool.open(key, target, dialogue, stopping)
    } catch (error) {
      if (!this.#mayGoOn()) return null
      this.#ipv6.failed(address, error)
      if (!mayGoInClear(target, error)) {
        this.#openFailed(target, error)
        return null
      }
      // RFC 7435 3: with an opportunistic policy, broken encryption is no reason to withhold the mail.
      dialogue.note(`TLS could not be had (${error.message}); trying once without, as the policy allows`)
    }
    try {
      return await this.#pool.open(key, { ...target, tls: 'off' }, dialogue, stopping)
    } catch (error) {
      if (this.#mayGoOn()) this.#openFailed(target, error)
      return null
    }
  }

  #openFailed(target: SmtpTarget, error: unknown): void {
    if (error instanceof SmtpError)
      this.#fail(failureOfError(error, `${target.host} [${target.address}]:${target.port}`))
    else throw error
  }

  /** False when the session turned out to be stale, so that the same server should be asked again on a new one. */
  async #transact(pooled: PooledSession): Promise<boolean> {
    const { delivery, message, mayHandOver, dialogue } = this.#leg
    const recipients = this.#result.left
    const { session } = pooled
    let replies: RecipientReply[]
    try {
      replies = await session.send(
        {
          sender: delivery.sender,
          recipients: recipients.map(({ address }) => address),
          message,
          mayHandOver,
        },
        dialogue,
      )
    } finally {
      this.#pool.release(pooled)
    }
    if (pooled.reused && wasStale(replies)) {
      dialogue.note(`The open connection to ${session.server} had ended meanwhile; opening another`)
      return false
    }
    this.#result.server = session.server
    this.#result.tls = session.tls
    const settled: RecipientOutcome[] = []
    let declined: RecipientReply | undefined
    for (const [index, { position }] of recipients.entries()) {
      const reply = replies[index]
      if (reply === undefined) throw new Error(`No reply for recipient ${index} of ${recipients.length}`)
      if (anotherServerMayHelp(reply)) declined = reply
      else settled.push(outcomeOfReply(position, reply))
    }
    this.#settle(settled)
    if (declined !== undefined) {
      const { code, enhancedCode = '4.4.2', message: sentence } = declined
      this.#fail({ permanent: false, ...(code !== undefined && { code }), enhancedCode, message: sentence })
    }
    return true
  }

  #settle(outcomes: RecipientOutcome[]): void {
    if (outcomes.length === this.#result.left.length && this.#result.settled.length === 0) {
      // All at once, as nearly always.
      this.#result.settled = outcomes
      this.#result.left = []
      return
    }
    const positions = new Set(outcomes.map(({ position }) => position))
    this.#result.settled.push(...outcomes)
    this.#result.left = this.#result.left.filter(({ position }) => !positions.has(position))
  }

  #fail(failure: RouteFailure): void {
    this.#result.failures.push(failure)
  }
}

/**
 * Only while nothing but mail is at stake: credentials never follow into the clear, and a policy that asks for TLS is never
 * relaxed.
 */
function mayGoInClear(target: SmtpTarget, error: unknown): error is SmtpError {
  if (!(error instanceof SmtpError) || error.stage !== 'starttls') return false
  return target.tls === 'opportunistic' && !target.implicitTls && target.credentials === null
}

function preferring(preferred: string | null, addresses: string[]): string[] {
  if (preferred === null || !addresses.includes(preferred)) return addresses
  return [preferred, ...addresses.filter((address) => address !== preferred)]
}
