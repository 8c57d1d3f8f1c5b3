import { setMaxListeners } from 'node:events'
import type { SendingRight } from '../cluster/sending-right.ts'
import type { DeliveryRoute } from '../config/settings.ts'
import type { Resolver } from '../dns/resolver.ts'
import { isSimulated } from '../email/simulated.ts'
import { addressGuard } from '../network/private-address.ts'
import { WorkerDied, WorkersBusy } from '../workers/error.ts'
import type { Courier } from './courier.ts'
import type { Delivery, DeliveryRecipient, DeliveryResult, RecipientOutcome } from './delivery.ts'
import { failureOfException, outcomeOfFailure, released } from './outcome.ts'
import { type Preparation, type PreparedMessage, prepareMessage } from './prepare.ts'
import { capture } from './route/capture.ts'
import { DirectRoute } from './route/direct.ts'
import { ProbePauses } from './route/probe-pauses.ts'
import { Relay } from './route/relay.ts'
import type { Leg, Route, RouteLog, RouteResult } from './route/route.ts'
import { type WalkLimits, walkLimits } from './route/server-walk.ts'
import { simulate } from './route/simulator.ts'
import { type HostPolicies, opportunisticPolicy } from './route/tls-policy.ts'
import { Dialogue } from './smtp/dialogue.ts'
import { clip } from './smtp/reply.ts'

/**
 * Where mail for a domain goes: what may share one transaction and one queue. `simulator`, `capture`, `relay`, or the domain
 * itself when it is delivered directly.
 */
export function destinationOf(route: DeliveryRoute, domain: string, testMode: boolean): string {
  if (isSimulated(domain, testMode)) return 'simulator'
  return route.kind === 'direct' ? domain.toLowerCase() : route.kind
}

export interface RouteCourierOptions extends Preparation {
  route: DeliveryRoute
  resolver: Resolver
  /** EHLO name. */
  hostname: string
  /** Port of direct delivery. */
  smtpPort: number
  allowPrivateNetworks: boolean
  /** What is refused for good is tried again as if it were refused for now. */
  softBounce?: boolean
  log: RouteLog
  /** Certificate authorities (PEM) to trust instead of the built-in ones. */
  ca?: string[]
  /** Prepares a large message elsewhere; null for one to be prepared here, as all are without it. */
  elsewhere?: (delivery: Delivery) => PreparedMessage | null
  limits?: Partial<WalkLimits>
  /** Milliseconds between attempts: a host that cannot be reached is left alone for less. */
  retrySchedule: readonly number[]
  policies?: HostPolicies
  /** Asked right before each final dot. */
  right: Pick<SendingRight, 'holds'>
}

/** Takes a delivery to where the settings say, and comes back with an outcome for every recipient, whatever happens. */
export class RouteCourier implements Courier {
  readonly #options: RouteCourierOptions
  /** Null when everything is captured. */
  readonly #network: Route | null
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<DeliveryResult>>()

  constructor(options: RouteCourierOptions) {
    this.#options = options
    this.#network = openRoute(options)
    // Every session that is being opened listens, which is no leak.
    setMaxListeners(0, this.#stopping.signal)
  }

  /** Never rejects. */
  deliver(delivery: Delivery): Promise<DeliveryResult> {
    const work = this.#deliver(delivery)
    this.#underWay.add(work)
    void work.then(() => this.#underWay.delete(work))
    return work
  }

  /**
   * No session is opened from now on; transactions under way may finish within `ms`. What is still open then is cut: it comes
   * back released, or uncertain if its final dot was already sent.
   */
  async close(ms: number): Promise<void> {
    this.#stopping.abort()
    const { promise: patienceOver, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    await Promise.race([Promise.allSettled(this.#underWay), patienceOver])
    clearTimeout(timer)
    this.#network?.destroy()
    await Promise.allSettled(this.#underWay)
  }

  async #deliver(delivery: Delivery): Promise<DeliveryResult> {
    const startedAt = Date.now()
    const start = performance.now()
    const dialogue = new Dialogue()
    const { elsewhere } = this.#options
    const message = elsewhere?.(delivery) ?? prepareMessage(delivery, this.#options)
    const mayHandOver = () => this.#options.right.holds(delivery.leaseToken)
    const results: RouteResult[] = []
    for (const [destination, recipients] of this.#split(delivery)) {
      const leg = { delivery, recipients, message, dialogue, mayHandOver, stopping: this.#stopping.signal }
      results.push(await this.#travel(destination, leg))
    }
    const notBefore = results.find((result) => result.notBefore !== undefined)?.notBefore
    const hindrance = results.find((result) => result.hindrance !== undefined)?.hindrance
    const captured = results.find((result) => result.captured !== undefined)?.captured
    const died = results.find((result) => result.died !== undefined)?.died
    return {
      emailId: delivery.emailId,
      outcomes: results.flatMap(({ outcomes }) => outcomes),
      server: results.find(({ server }) => server !== null)?.server ?? null,
      dialogue: dialogue.text,
      startedAt,
      duration: Math.round(performance.now() - start),
      tls: results.find(({ tls }) => tls !== null)?.tls ?? null,
      ...(hindrance !== undefined && { hindrance }),
      ...(notBefore !== undefined && { notBefore }),
      ...(captured !== undefined && { captured }),
      ...(died !== undefined && { died }),
    }
  }

  /** Recipients by destination, null for the simulator. One group, as deliveries are normally cut. */
  #split({ recipients, testMode = false }: Delivery): Map<string | null, DeliveryRecipient[]> {
    const { route } = this.#options
    return Map.groupBy(recipients, ({ address }) => {
      const domain = address.slice(address.lastIndexOf('@') + 1)
      return isSimulated(domain, testMode) ? null : destinationOf(route, domain, testMode)
    })
  }

  async #travel(destination: string | null, leg: Leg): Promise<RouteResult> {
    const { recipients, delivery, dialogue } = leg
    try {
      if (destination === null) return simulate(delivery, recipients)
      if (this.#stopping.signal.aborted) return givenBack(recipients)
      if (this.#network === null) return await capture(leg)
      const result = await this.#network.deliver(leg)
      return this.#options.softBounce ? { ...result, outcomes: result.outcomes.map(softened) } : result
    } catch (error) {
      if (error instanceof WorkersBusy) return givenBack(recipients)
      const failure = failureOfException(error)
      dialogue.note(failure.message)
      this.#options.log('error', failure.message, { email: delivery.emailId, destination })
      const outcomes = recipients.map(({ position }) => outcomeOfFailure(position, failure))
      const died = error instanceof WorkerDied ? { died: error.cause } : {}
      return { outcomes, server: null, tls: null, ...died }
    }
  }
}

function softened({ suppress: _, ...outcome }: RecipientOutcome): RecipientOutcome {
  const { verdict, message } = outcome
  if (verdict !== 'bounced' && verdict !== 'failed') return outcome
  return {
    ...outcome,
    verdict: 'deferred',
    message: clip(`Tried again, as POSTROAD_SOFT_BOUNCE is set: ${message}`),
  }
}

function givenBack(recipients: DeliveryRecipient[]): RouteResult {
  const outcomes = recipients.map(({ position }) => released(position, 'Not tried: the service is stopping'))
  return { outcomes, server: null, tls: null }
}

function openRoute(options: RouteCourierOptions): Route | null {
  const { route, resolver, hostname, smtpPort, allowPrivateNetworks, log, ca } = options
  const limits = { ...walkLimits, ...options.limits }
  const pauses = new ProbePauses(options.retrySchedule)
  const shared = { hostname, limits, log, pauses, ...(ca && { ca }) }
  switch (route.kind) {
    case 'capture':
      return null
    case 'relay':
      return new Relay({ relay: route, ...shared })
    case 'direct':
      return new DirectRoute({
        resolver,
        guard: addressGuard({ allowPrivateNetworks }),
        policies: options.policies ?? opportunisticPolicy,
        refuseOwnName: !allowPrivateNetworks,
        port: smtpPort,
        ...shared,
      })
  }
}
