/** Goes from address to address of one server until there is a session with it. */
import { isIP } from 'node:net'
import { serverName } from '../../email/server-name.ts'
import type { AttemptEnd } from './attempt-end.ts'
import type { RecipientAnswers } from './recipient-answers.ts'
import type { RouteRequest } from './route.ts'
import type { RouteState } from './route-state.ts'
import type { ServerEndpoint, ServerTarget } from './server.ts'
import type { SessionOpening } from './session-opening.ts'
import type { PooledSession } from './session-pool.ts'

/** `asked`: an address was asked, so its answer is the answer of the server. */
interface FoundSession {
  asked: boolean
  session: PooledSession | null
}

export class AddressWalk {
  readonly #request: RouteRequest
  readonly #state: RouteState
  readonly #answers: RecipientAnswers
  readonly #end: AttemptEnd
  readonly #opening: SessionOpening
  #notBefore = Number.POSITIVE_INFINITY

  constructor(
    request: RouteRequest,
    state: RouteState,
    answers: RecipientAnswers,
    end: AttemptEnd,
    opening: SessionOpening,
  ) {
    this.#request = request
    this.#state = state
    this.#answers = answers
    this.#end = end
    this.#opening = opening
  }

  /** Unix ms: when the first of the skipped hosts is asked again; Infinity: none was skipped. */
  get notBefore(): number {
    return this.#notBefore
  }

  async visit(endpoint: ServerEndpoint, found: readonly string[]): Promise<FoundSession> {
    const addresses = preferring(endpoint.preferred, found).slice(0, this.#state.limits.addressesPerServer)
    const { hosts, route } = this.#state
    const { port } = endpoint.target
    // A relay is the only way out, so a host that was unreachable a moment ago is tried all the same. The queue lets
    // only one delivery at a time do so (queue/path-health.ts).
    const isLastResort =
      route === 'relay' && addresses.every((address) => hosts.isUnreachable(`${address}:${port}`))
    const mayAsk = isLastResort ? () => true : (address: string) => this.#mayAsk(endpoint.target, address)
    return await this.#visit(endpoint, addresses, mayAsk)
  }

  async #visit(
    endpoint: ServerEndpoint,
    addresses: readonly string[],
    mayAsk: (address: string) => boolean,
  ): Promise<FoundSession> {
    let asked = false
    const tried = new Set<string>()
    for (const [index, address] of addresses.entries()) {
      if (this.#answers.left.length === 0 || this.#end.isCut || this.#end.timeLeft <= 0) break
      if (!this.#end.mayGoOn()) break
      const isPassedOver = tried.has(address) || this.#opening.hasFailed(endpoint.from(address)?.proxy)
      if (isPassedOver || !mayAsk(address)) continue
      asked = true
      const next = addresses[index + 1]
      const spare = next !== undefined && this.#standsIn(endpoint, address, next) ? next : null
      const last = index === addresses.length - 1
      const session = await this.#opening.open(endpoint, address, { last, spare, tried })
      if (session !== null) return { asked, session }
    }
    return { asked, session: null }
  }

  /** False for a host that could not be reached a moment ago. */
  #mayAsk({ host, port }: ServerTarget, address: string): boolean {
    const waits = this.#state.hosts.waits(`${address}:${port}`)
    if (waits === 0) return true
    const asked = serverName({ host, address, port })
    const message = `${asked} could not be reached a moment ago and is not tried again yet`
    this.#request.dialogue.note(message)
    this.#notBefore = Math.min(this.#notBefore, Math.ceil(Date.now() + waits))
    this.#answers.failUnreachable(asked, '4.4.1', message)
    return false
  }

  /** Whether to connect to the next address as well while the first one does not answer. */
  #standsIn({ target: { port }, preferred }: ServerEndpoint, address: string, next: string): boolean {
    if (isIP(next) === isIP(address) || address === preferred) return false
    return !this.#state.hosts.isUnreachable(`${next}:${port}`)
  }
}

function preferring(preferred: string | null, addresses: readonly string[]): readonly string[] {
  if (preferred === null || !addresses.includes(preferred)) return addresses
  return [preferred, ...addresses.filter((address) => address !== preferred)]
}
