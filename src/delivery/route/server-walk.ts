/** Goes from server to server until every recipient has an answer: the loop that direct and relay delivery share. */
import { monotonic } from '../../common/clock.ts'
import { failureOfException, type RouteFailure } from '../outcome.ts'
import type { RecipientReply } from '../smtp/transaction.ts'
import { withOwnDemand } from './own-demand.ts'
import type { RouteRequest, RouteResult } from './route.ts'
import type { RouteState } from './route-state.ts'
import { type Server, type ServerEndpoint, type ServerTarget, sessionKey } from './server.ts'
import { SessionAtDot } from './session-at-dot.ts'
import { SessionOpening } from './session-opening.ts'
import type { PooledSession } from './session-pool.ts'
import { failedSession } from './tls-sessions.ts'
import { MOST_REFUSING } from './walk-answers.ts'

/**
 * Asks one server after the other, until every recipient has an answer that no other server would change (RFC 5321 5.1;
 * judge/finding.ts lists those). A recipient without such an answer gets the most telling of its answers.
 */
export class ServerWalk extends SessionOpening {
  /** The session that was offered to the next delivery. */
  #atDot: SessionAtDot | null = null
  #session: PooledSession['session'] | null = null

  constructor(request: RouteRequest, state: RouteState, pinned = false) {
    super(request, state, pinned)
    request.cutShort = () => this.#cutShort()
  }

  /**
   * Rejects only for a fault of our own (the message cannot be composed), and only while no recipient has an answer.
   */
  async visit(servers: Server[]): Promise<RouteResult> {
    const { maxServers } = this.state.limits
    let visited = 0
    for (const server of servers) {
      if (this.left.length === 0 || this.isCut || !this.mayGoOn()) break
      if (visited >= MOST_REFUSING && this.isRefused()) break
      if (visited >= maxServers || performance.now() >= this.deadline) {
        const limit = visited >= maxServers ? `${visited} servers` : 'the time of one attempt'
        this.request.dialogue.note(`no further servers are tried: ${limit}`)
        this.failAll({
          finding: 'server',
          enhancedCode: '4.4.1',
          message: `No server accepted the message within ${limit}`,
        })
        break
      }
      try {
        if (await this.#visitServer(server)) visited++
      } catch (error) {
        if (this.settled.length === 0) throw error
        // The answers of earlier servers stand; no further server is asked.
        this.failAll(failureOfException(error))
        break
      }
    }
    if (this.request.stopping.aborted) this.mayGoOn()
    return this.result()
  }

  #cutShort(): boolean {
    const { dialogue } = this.request
    const { route, limits } = this.state
    if (this.#session?.isAtDot(dialogue)) return true
    // The mail that waits mostly goes to the same relay, and a relay that is closed holds up all of it.
    if (this.isCut || route !== 'direct') return false
    if (this.opening !== null) {
      if (monotonic() - this.opening.since < limits.silence) return false
      this.isCut = true
      this.opening.abandon.abort()
    } else if (this.#session?.cutIfSilent(dialogue, limits.silence)) this.isCut = true
    return false
  }

  /** Returns false when no address of the server was asked. */
  async #visitServer(server: Server): Promise<boolean> {
    const { pool, limits } = this.state
    const choice = await server.target()
    const { counted = null } = choice
    if (choice.kind === 'none') {
      this.count(counted && failedSession(counted(), null))
      return this.#passOver(choice.failure)
    }
    const target = withOwnDemand(choice.target, this.request.delivery.email.tls)
    const key = sessionKey(target)
    const behind = await this.#behind(key)
    if (behind === null && !this.mayGoOn()) return true
    const open = behind ?? pool.take(key, server.preferredAddress)
    if (open !== null) {
      const where = open.behind ? 'behind the message before, on' : 'on'
      this.request.dialogue.note(`${where} the open connection to ${open.session.server}`)
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
    let asked = await this.#ask(endpoint, addresses, (address) => this.mayAsk(target, address))
    // A relay is the only way out, so a host that was unreachable a moment ago is tried all the same. The queue lets
    // only one delivery at a time do so (queue/path-health.ts).
    if (!asked && this.state.route === 'relay') asked = await this.#ask(endpoint, addresses, () => true)
    return asked
  }

  /**
   * The session of the delivery before this one, while that one waits for the answer to its dot. If that session does
   * not suit, waits for its end, because the limits of the path count it for this delivery.
   */
  async #behind(key: string): Promise<PooledSession | null> {
    const { behind } = this.request
    if (behind === undefined || behind.isLeft) return null
    const session = this.state.pool.join(behind, key)
    if (session === null) await behind.left
    return session
  }

  #passOver(failure: RouteFailure): false {
    this.request.dialogue.note(failure.message)
    this.failAll(failure)
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
      if (this.left.length === 0 || this.isCut || performance.now() >= this.deadline) break
      if (!this.mayGoOn()) break
      if (tried.has(address) || this.hasFailed(endpoint.from(address)?.proxy) || !mayAsk(address)) continue
      asked = true
      const next = addresses[index + 1]
      const spare = next !== undefined && this.standsIn(endpoint, address, next) ? next : null
      const last = index === addresses.length - 1
      const session = await this.open(endpoint, address, { last, spare, tried })
      if (session === null) continue
      await this.#transact(session, endpoint.target, endpoint.key)
      break
    }
    return asked
  }

  /** False when the session turned out to be stale, so that the caller asks the same server again on a new one. */
  async #transact(pooled: PooledSession, target: ServerTarget, key: string): Promise<boolean> {
    const { sender, envelopeId, message, mayHandOver, handOver = mayHandOver, dialogue } = this.request
    const { session } = pooled
    const onDot = () => this.#offer(pooled, key, target.host)
    let recipients = this.left
    let refusedAll = false
    this.#session = session
    try {
      for (let first = true; recipients.length > 0; first = false) {
        const addresses = recipients.map(({ address }) => address)
        const replies = await session.send(
          { sender, envelopeId, recipients: addresses, message, mayHandOver, handOver, onDot },
          dialogue,
        )
        if (first && pooled.reused && !this.isCut && wasStale(replies)) {
          const [reply] = replies as [RecipientReply]
          dialogue.note(`The open connection to ${session.server} ${staleness(reply)}; opening another`)
          if (reply.untried === 'lost') this.state.keepDotsApart(key)
          return false
        }
        this.talkingTo(session, target)
        refusedAll = replies.every(({ code = 0 }) => code >= 400 && code < 500)
        const crowded = this.hear(recipients, replies, session.server)
        // RFC 5321 4.5.3.1.10: recipients over the server's limit go with the next transaction, as long as each
        // transaction gets some of them through.
        recipients = session.usable && crowded.length < recipients.length ? crowded : []
      }
    } finally {
      this.#session = null
      // postscreen accepts no mail on the connection on which it tests a client, whatever comes later.
      this.state.pool.release(pooled, !refusedAll)
      this.#atDot?.leave()
    }
    if (this.#atDot !== null && this.left.length > 0) this.request.onApart?.()
    return true
  }

  /** The message waits for its answer: the next delivery may begin behind it, if the session has room for it. */
  #offer(pooled: PooledSession, key: string, host: string): void {
    const { onDot, delivery } = this.request
    if (!delivery.path.terms.envelopeBehindDot) return
    // After a failure, the next delivery would begin with another server.
    if (onDot === undefined || this.failures.length > 0 || !this.state.takesNext(pooled, key)) return
    this.#atDot = new SessionAtDot(pooled.session, key, host)
    onDot(this.#atDot)
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

function preferring(preferred: string | null, addresses: string[]): string[] {
  if (preferred === null || !addresses.includes(preferred)) return addresses
  return [preferred, ...addresses.filter((address) => address !== preferred)]
}
