import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { RelayRoute } from '../../config/settings.ts'
import type { HostAddress } from '../../dns/resolver.ts'
import type { RecipientOutcome } from '../delivery.ts'
import { asTemporary, outcomeOfFailure, type RouteFailure } from '../outcome.ts'
import { alternate, Ipv6Reachability, type ServerAddresses } from './addresses.ts'
import type { Leg, Route, RouteLog, RouteResult } from './route.ts'
import { type Server, ServerWalk, type WalkLimits } from './server-walk.ts'
import { SessionPool } from './session-pool.ts'

export interface RelayOptions {
  relay: RelayRoute
  /** EHLO name. */
  hostname: string
  /** PEM, instead of the built-in authorities. */
  ca?: string[]
  limits: WalkLimits
  log: RouteLog
}

/** Milliseconds between two log lines about the same trouble. */
const LOG_PAUSE = 60_000

/**
 * Milliseconds without a further try after the relay refused the credentials: providers lock an account after some failed
 * logins, and a whole queue would be that many.
 */
const REFUSED_PAUSE = 60_000

/**
 * RFC 4954 6: the relay wants (other) credentials: 530 authentication required, 534 mechanism too weak, 535 credentials
 * invalid, 538 encryption required. Whoever set the relay up is to blame, never a recipient.
 */
const AUTHENTICATION_CODES = new Set([530, 534, 535, 538])

/**
 * Hands everything to the one server that the operator named. Its name is looked up as any program's would be (hosts file
 * included) and may lie in a private network. What keeps us from talking to it is never a recipient's fault.
 */
export class Relay implements Route {
  readonly #options: RelayOptions
  readonly #server: Server
  readonly #pool = new SessionPool({
    idleTimeout: 30_000,
    maxTransactions: 1000,
    maxAge: 10 * 60_000,
    maxIdle: 500,
  })
  readonly #ipv6 = new Ipv6Reachability()
  #loggedAt = Number.NEGATIVE_INFINITY
  #refused: { failure: RouteFailure; until: number } | null = null

  constructor(options: RelayOptions) {
    this.#options = options
    const { ca, hostname } = options
    const { host, port, implicitTls, tls, user, password, auth } = options.relay
    const credentials = user === null ? null : { user, password: password ?? '', mechanism: auth }
    const site = { host, port, implicitTls, tls, credentials, helo: hostname, ...(ca && { ca }) }
    this.#server = {
      site: () => Promise.resolve(site),
      preferredAddress: null,
      addresses: () => relayAddresses(host, this.#ipv6),
    }
  }

  async deliver(leg: Leg): Promise<RouteResult> {
    if (this.#refused !== null && performance.now() < this.#refused.until) {
      const { failure } = this.#refused
      leg.dialogue.note(
        `Not tried, as the relay refused the credentials less than a minute ago: ${failure.message}`,
      )
      return {
        outcomes: leg.recipients.map(({ position }) => outcomeOfFailure(position, failure)),
        server: null,
        tls: null,
      }
    }
    const walk = await new ServerWalk(leg, this.#pool, this.#options.limits, this.#ipv6).visit([this.#server])
    const failure = asTemporary(walk.failures.at(-1) ?? noReason)
    if (walk.left.length > 0) this.#complain(failure)
    const settled = walk.settled.map((outcome) => this.#excuse(outcome))
    const left = walk.left.map(({ position }) => outcomeOfFailure(position, failure))
    return { outcomes: [...settled, ...left], server: walk.server, tls: walk.tls }
  }

  destroy(): void {
    this.#pool.destroy()
  }

  #excuse(outcome: RecipientOutcome): RecipientOutcome {
    const { position, verdict, code, message, enhancedCode = '5.7.0' } = outcome
    if (verdict !== 'bounced' || !wantsCredentials(code)) return outcome
    const failure = asTemporary({
      permanent: true,
      ...(code !== undefined && { code }),
      enhancedCode,
      message,
    })
    this.#complain(failure)
    return outcomeOfFailure(position, failure)
  }

  #complain(failure: RouteFailure): void {
    const now = performance.now()
    if (wantsCredentials(failure.code)) this.#refused = { failure, until: now + REFUSED_PAUSE }
    if (now - this.#loggedAt < LOG_PAUSE) return
    this.#loggedAt = now
    const { host, port, user } = this.#options.relay
    const { message, code = null, enhancedCode } = failure
    const advice = 'Mail waits and is tried again; check POSTROAD_DELIVERY (host, port, tls, user, password).'
    this.#options.log('error', `The relay takes no mail: ${message}. ${advice}`, {
      relay: `${host}:${port}`,
      user,
      code,
      enhancedCode,
    })
  }
}

function wantsCredentials(code: number | undefined): boolean {
  return code !== undefined && AUTHENTICATION_CODES.has(code)
}

const noReason: RouteFailure = { permanent: false, enhancedCode: '4.4.1', message: 'No connection was tried' }

async function relayAddresses(host: string, ipv6: Ipv6Reachability): Promise<ServerAddresses> {
  if (isIP(host) !== 0) return { kind: 'addresses', addresses: [host] }
  try {
    const found = await lookup(host, { all: true, order: 'verbatim' })
    const addresses = found.map(
      ({ address, family }): HostAddress => ({ address, family: family === 6 ? 6 : 4 }),
    )
    return { kind: 'addresses', addresses: alternate(addresses, ipv6.likely) }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const message = `The name of the relay, ${host}, could not be looked up (${reason})`
    return { kind: 'none', failure: { permanent: false, enhancedCode: '4.4.3', message } }
  }
}
