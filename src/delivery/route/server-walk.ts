/** Goes from server to server until every recipient has an answer: the loop that direct and relay delivery share. */
import { failureOfException, type RouteFailure } from '../outcome.ts'
import { AddressWalk } from './address-walk.ts'
import { AttemptEnd } from './attempt-end.ts'
import { AttemptTransactions } from './attempt-transactions.ts'
import { RecipientAnswers } from './recipient-answers.ts'
import type { RouteRequest, RouteResult } from './route.ts'
import type { RouteState } from './route-state.ts'
import { withSenderDemand } from './sender-demand.ts'
import { type Server, type ServerEndpoint, sessionKey } from './server.ts'
import { SessionOpening } from './session-opening.ts'
import type { PooledSession } from './session-pool.ts'
import { sessionFailure } from './tls-sessions.ts'
import { reportOf } from './trouble-report.ts'

/**
 * The number of servers that may refuse this service before no other server of the site is tried (Postfix tries two as
 * well).
 */
const MAX_REFUSING = 2

/**
 * Asks one server after the other, until every recipient has an answer that no other server would change (RFC 5321 5.1;
 * judge/finding.ts lists those). A recipient without such an answer gets the most telling of its answers.
 */
export class ServerWalk {
  readonly #request: RouteRequest
  readonly #state: RouteState
  readonly #answers: RecipientAnswers
  readonly #end: AttemptEnd
  readonly #opening: SessionOpening
  readonly #addresses: AddressWalk
  readonly #transactions: AttemptTransactions

  /** `pinned`: no other server may be asked, so a refusal here is not taken as final. */
  constructor(request: RouteRequest, state: RouteState, pinned = false) {
    this.#request = request
    this.#state = state
    this.#answers = new RecipientAnswers(request.delivery.recipients, pinned)
    this.#end = new AttemptEnd(request, this.#answers, state.limits.attempt)
    this.#opening = new SessionOpening(request, state, this.#answers, this.#end)
    this.#addresses = new AddressWalk(request, state, this.#answers, this.#end, this.#opening)
    this.#transactions = new AttemptTransactions(request, state, this.#answers, this.#end)
    request.cutShort = () => this.#cutShort()
  }

  /** The failures so far; none when the first server took the mail. */
  get failures(): RouteFailure[] {
    return this.#answers.failures
  }

  /**
   * Rejects only for a fault of our own (the message cannot be composed), and only while no recipient has an answer.
   */
  async visit(servers: Server[]): Promise<RouteResult> {
    const { maxServers } = this.#state.limits
    let visited = 0
    for (const server of servers) {
      if (this.#answers.left.length === 0 || this.#end.isCut || !this.#end.mayGoOn()) break
      if (visited >= MAX_REFUSING && this.#isRefused()) break
      if (visited >= maxServers || this.#end.timeLeft <= 0) {
        const isLate = visited < maxServers
        const why = isLate ? 'the time of one attempt is over' : `${visited} have been tried`
        this.#request.dialogue.note(`no further servers are tried: ${why}`)
        this.#answers.failAll({
          finding: 'server',
          enhancedCode: '4.4.1',
          message: isLate
            ? 'No server accepted the message within the time of one attempt'
            : `None of the ${visited} servers that were tried accepted the message`,
        })
        break
      }
      try {
        if (await this.#visitServer(server)) visited++
      } catch (error) {
        if (this.#answers.settled.length === 0) throw error
        // The answers of earlier servers stand; no further server is asked.
        this.#answers.failAll(failureOfException(error))
        break
      }
    }
    // Releases the recipients that are left.
    if (this.#request.stopping.aborted) this.#end.mayGoOn()
    return this.#result()
  }

  #result(): RouteResult {
    const { outcomes, server, tls, pathTrouble } = this.#answers.result()
    const result: RouteResult = { outcomes, server, tls }
    const { tlsSessions } = this.#opening
    if (tlsSessions.length > 0) result.tlsSessions = tlsSessions
    if (pathTrouble !== null) result.pathTrouble = reportOf(pathTrouble)
    // Only if every failure is one: otherwise some server could be asked.
    const { failures } = this
    if (server === null && failures.length > 0 && failures.every(({ noWayOut }) => noWayOut))
      result.noWayOut = true
    const { notBefore } = this.#addresses
    const wasSpared = pathTrouble?.finding === 'unreachable' && !this.#end.isCut
    if (wasSpared && notBefore < Number.POSITIVE_INFINITY) result.notBefore = notBefore
    return result
  }

  #cutShort(): boolean {
    const { route, limits } = this.#state
    if (this.#transactions.isAtDot) return true
    // The mail that waits mostly goes to the same relay, and a relay that is closed holds up all of it.
    if (this.#end.isCut || route !== 'direct') return false
    const { silence } = limits
    if (this.#opening.cutIfSilent(silence) || this.#transactions.cutIfSilent(silence)) this.#end.cut()
    return false
  }

  /**
   * The servers of a site share its rules, so after two refusals of this service there is no use in trying more of
   * them.
   */
  #isRefused(): boolean {
    const refusing = this.failures.filter(({ finding }) => finding === 'busy' || finding === 'path')
    if (new Set(refusing.map(({ server }) => server)).size < MAX_REFUSING) return false
    this.#request.dialogue.note('no further servers are tried: two of them refuse this service')
    return true
  }

  /** Returns false when no address of the server was asked. */
  async #visitServer(server: Server): Promise<boolean> {
    const { preferredAddress, from = () => null } = server
    const choice = await server.target()
    const { counted = null } = choice
    if (choice.kind === 'none') {
      this.#opening.count(counted && sessionFailure(counted(), null))
      return this.#passOver(choice.failure)
    }
    const target = withSenderDemand(choice.target, this.#request.delivery.email)
    const key = sessionKey(target)
    const behind = await this.#behind(key)
    if (behind === null && !this.#end.mayGoOn()) return true
    const open = behind ?? this.#state.pool.take(key, preferredAddress)
    if (open !== null) {
      const where = open.behind ? 'behind the message before, on' : 'on'
      this.#request.dialogue.note(`${where} the open connection to ${open.session.server}`)
      if (await this.#transactions.on(open, target, key)) return true
    }
    const found = await server.addresses()
    if (found.kind === 'none') return this.#passOver(found.failure)
    const endpoint: ServerEndpoint = { target, key, counted, from, preferred: preferredAddress }
    const { asked, session } = await this.#addresses.visit(endpoint, found.addresses)
    if (session !== null) await this.#transactions.on(session, target, key)
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
    this.#answers.failAll(failure)
    return false
  }
}
