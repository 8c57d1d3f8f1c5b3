/** Opens a session at an address of a server: proxies, encryption, and what a failure means for the attempt. */
import { monotonic } from '../../common/clock.ts'
import { serverName } from '../../email/server-name.ts'
import type { TlsSession } from '../../mail/domain-report/tls-report.ts'
import { type OutgoingProxy, proxyName } from '../../network/proxy/proxy.ts'
import { authoritiesKey } from '../dane/authorities.ts'
import { failureOfError } from '../outcome.ts'
import { isOfProxy, isUnreachable, SmtpError } from '../smtp/error.ts'
import type { Fallback } from '../smtp/first-connection.ts'
import { clipMessage } from '../smtp/reply.ts'
import { cutShortText } from '../smtp/session.ts'
import type { SmtpTarget } from '../smtp/target.ts'
import { defaultTimeouts } from '../smtp/timeouts.ts'
import { familyName } from './addresses.ts'
import type { AttemptEnd } from './attempt-end.ts'
import type { RecipientAnswers } from './recipient-answers.ts'
import type { RouteRequest } from './route.ts'
import type { RouteState } from './route-state.ts'
import { attemptTls, type ServerEndpoint } from './server.ts'
import type { PooledSession } from './session-pool.ts'
import { sessionFailure, sessionResult } from './tls-sessions.ts'

/**
 * Milliseconds to wait for a connection while there is another address to try (RFC 8305 would not even wait that long).
 */
const IMPATIENT_CONNECT = 10_000

export class SessionOpening {
  readonly #request: RouteRequest
  readonly #state: RouteState
  readonly #answers: RecipientAnswers
  readonly #end: AttemptEnd
  /** Names of the proxies that have failed: no other server is asked through them. */
  readonly #failedProxies = new Set<string>()
  readonly #tlsSessions: TlsSession[] = []
  /** The session that is being opened: since when (monotonic), and how to give it up. */
  #opening: { since: number; abandon: AbortController } | null = null

  constructor(request: RouteRequest, state: RouteState, answers: RecipientAnswers, end: AttemptEnd) {
    this.#request = request
    this.#state = state
    this.#answers = answers
    this.#end = end
  }

  /** The sessions so far, for reports about TLS. */
  get tlsSessions(): TlsSession[] {
    return this.#tlsSessions
  }

  count(session: TlsSession | null): void {
    if (session !== null) this.#tlsSessions.push(session)
  }

  hasFailed(proxy: OutgoingProxy | undefined): boolean {
    return proxy !== undefined && this.#failedProxies.has(proxyName(proxy))
  }

  /** Gives up a session that has been opening for that many milliseconds; true when it did. */
  cutIfSilent(silence: number): boolean {
    if (this.#opening === null || monotonic() - this.#opening.since < silence) return false
    this.#opening.abandon.abort()
    return true
  }

  /** `tried` gets the addresses that were asked. */
  async open(
    { target: server, key, counted, from }: ServerEndpoint,
    address: string,
    { last, spare, tried }: { last: boolean; spare: string | null; tried: Set<string> },
  ): Promise<PooledSession | null> {
    const { ipv6, hosts, limits: walk } = this.#state
    const remaining = Math.max(1, this.#end.timeLeft)
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
    const { dialogue } = this.#request
    const begunAt = monotonic()
    const known = target.dane && authoritiesKey(target.dane)
    let trying = target
    let fault: SmtpError | null = null
    for (let tries = 1; ; tries++) {
      try {
        const session = await this.#connect(key, trying, tries === 1 ? fallback : null)
        hosts.recordSuccess(`${session.session.address}:${target.port}`)
        ipv6.recordSuccess(fallback?.used ? fallback.target : trying)
        this.count(counted && sessionResult(counted(), session.session, session.session.tls, fault))
        return session
      } catch (error) {
        if (!this.#end.mayGoOn()) return null
        if (fallback?.used && trying === target) trying = fallback.target
        if (this.#end.isCut) {
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
          ipv6.recordFailure(trying, error)
          if (isUnreachable(error)) hosts.recordFailure(name, begunAt)
          else if (!isOfProxy(error)) hosts.recordSuccess(name)
          else if (trying.proxy !== undefined) this.#failedProxies.add(proxyName(trying.proxy))
          this.count(counted && sessionFailure(counted(), trying, error))
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

  /** Gives up when the node stops, or when other mail needs the session (`cutIfSilent`). */
  async #connect(key: string, target: SmtpTarget, fallback: Fallback | null): Promise<PooledSession> {
    const { delivery, dialogue, stopping } = this.#request
    const { messagesPerSession } = delivery.path.terms
    const abandon = new AbortController()
    const end = () => abandon.abort()
    if (stopping.aborted) end()
    else stopping.addEventListener('abort', end, { once: true })
    this.#opening = { since: monotonic(), abandon }
    try {
      return await this.#state.pool.open(key, target, dialogue, abandon.signal, messagesPerSession, fallback)
    } finally {
      this.#opening = null
      stopping.removeEventListener('abort', end)
    }
  }

  /** The server may only be slow, so other mail still asks it. */
  #openingCut(target: SmtpTarget): void {
    const asked = serverName(target)
    const message = `${asked} ${cutShortText(this.#state.limits.silence)}`
    this.#request.dialogue.note(message)
    this.#answers.failUnreachable(asked, '4.4.2', message)
  }

  #openFailed(target: SmtpTarget, error: unknown): void {
    if (!(error instanceof SmtpError)) throw error
    if (error.kind === 'tls') {
      this.#answers.withoutSession({ ...attemptTls(target, null), doubt: clipMessage(error.message) })
    }
    const name = serverName(target)
    if (this.#state.ipv6.hasNoWayOut(target, error)) {
      const message = `${name} cannot be reached, because this machine has no way out over ${familyName(target.address)}`
      this.#answers.failUnreachable(name, '4.4.4', message, { noWayOut: true })
      return
    }
    // A relay is not to blame if it lacks what only this mail demands, so its path stays open.
    const isOwn = error.kind === 'tls' && (target.tlsSource === 'message' || target.tlsSource === 'domain')
    const { replies } = this.#request.delivery.path.terms
    this.#answers.failAll(failureOfError(error, name, isOwn ? 'direct' : this.#state.route, replies))
  }
}

/**
 * True only while nothing but the mail itself is at stake: credentials are never sent unencrypted, and a policy that
 * requires TLS is never relaxed.
 */
export function mayGoInClear(target: SmtpTarget, error: unknown): error is SmtpError {
  if (!(error instanceof SmtpError) || error.stage !== 'starttls') return false
  return target.tls === 'opportunistic' && !target.implicitTls && target.credentials === null
}
