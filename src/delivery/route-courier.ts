import { setMaxListeners } from 'node:events'
import type { SendingRight } from '../cluster/sending-right.ts'
import type { UnrecordedMessages } from '../cluster/unrecorded-messages.ts'
import { monotonic } from '../common/clock.ts'
import type { Log } from '../common/logging.ts'
import type { Resolver } from '../dns/resolver.ts'
import { notAttempted } from '../email/not-attempted.ts'
import type { ReturnPathKey } from '../mail/return-path/return-path.ts'
import { type GuardedSource, MailGuard } from '../network/mail-guard.ts'
import { WorkerDied, WorkersBusy } from '../workers/error.ts'
import type {
  Courier,
  Delivery,
  DeliveryOwed,
  DeliveryRecipient,
  DeliveryResult,
  OwedQuestion,
  RecipientOutcome,
  SessionSharing,
} from './delivery.ts'
import { envelopeId, mailFrom } from './mail-from.ts'
import { failureOfException, mayHaveArrived, outcomeOfFailure, releasedOutcome } from './outcome.ts'
import { DEFAULT_ROUTE, type Policy, sourcePolicyId } from './path/path.ts'
import type { Source } from './path/source.ts'
import { type Preparation, type PreparedMessage, prepareMessage } from './prepare.ts'
import { capture } from './route/capture.ts'
import { DirectRoute } from './route/direct.ts'
import { ProbePauses } from './route/probe-pauses.ts'
import { Relay } from './route/relay.ts'
import type { Route, RouteRequest, RouteResult } from './route/route.ts'
import type { SessionAtDot } from './route/session-at-dot.ts'
import { simulate } from './route/simulator.ts'
import { type HostPolicyLookup, hostPolicy } from './route/tls-policy.ts'
import { type WalkLimits, walkLimits } from './route/walk-limits.ts'
import { Dialogue } from './smtp/dialogue.ts'
import { clipMessage } from './smtp/reply.ts'

export interface RouteCourierOptions extends Preparation {
  resolver: Resolver
  /** Port of direct delivery. */
  smtpPort: number
  allowPrivateNetworks: boolean
  /** POSTROAD_SOURCE_ADDRESSES: no mail is delivered to these addresses or to their proxies. */
  sourceAddresses?: readonly GuardedSource[]
  /** Treats permanent refusals as temporary ones. */
  softBounce?: boolean
  log: Log
  /** Certificate authorities (PEM) to trust instead of the built-in ones. */
  ca?: string[]
  /**
   * Prepares a large message in another thread. Null, or if it is absent: the courier prepares the message itself.
   */
  elsewhere?: (delivery: Delivery) => PreparedMessage | null
  /** Makes the return paths; without it MAIL FROM is always the sender's address. */
  returnPaths?: ReturnPathKey
  limits?: Partial<WalkLimits>
  /** Milliseconds between attempts. An unreachable host is skipped for a shorter time than that. */
  retrySchedule: readonly number[]
  /** Decides how each connection of direct delivery is protected. */
  policies?: HostPolicyLookup
  /** Checked right before each final dot. */
  right: Pick<SendingRight, 'holds'>
  /** Limits the deliveries that are handed over and not recorded; absent: there is no limit. */
  unrecorded?: UnrecordedMessages
}

/** Milliseconds between two sweeps of unused routes, and the milliseconds for which an unused route is kept. */
const LOOK_MS = 60_000
const UNUSED_MS = 10 * 60_000

/** A route from one source, with its open sessions. */
interface OpenRoute {
  route: Route
  /** True: the route is kept even when it is unused. */
  general: boolean
  busy: number
  /** On the monotonic clock. */
  usedAt: number
}

/** Takes a delivery along its path, and returns an outcome for every recipient, whatever happens. */
export class RouteCourier implements Courier {
  readonly #options: RouteCourierOptions
  readonly #pauses: ProbePauses
  readonly #guard: MailGuard
  /** By `sourcePolicyId`. */
  readonly #routes = new Map<string, OpenRoute>()
  /** Runs while there is a route that may fall out of use. */
  #sweeper: NodeJS.Timeout | null = null
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<DeliveryResult>>()
  readonly #requests = new Map<Delivery, RouteRequest>()
  /** The sessions of deliveries that wait, or have waited, for the answer to their final dot. */
  readonly #atDot = new Map<Delivery, SessionAtDot>()

  constructor(options: RouteCourierOptions) {
    this.#options = options
    this.#pauses = new ProbePauses(options.retrySchedule)
    this.#guard = new MailGuard(options)
    // Every session that is being opened adds a listener, so many listeners are no sign of a leak.
    setMaxListeners(0, this.#stopping.signal)
  }

  /** Never rejects. */
  deliver(delivery: Delivery, sharing?: SessionSharing): Promise<DeliveryResult> {
    const work = this.#deliver(delivery, sharing)
    this.#underWay.add(work)
    void work.then(() => this.#underWay.delete(work))
    return work
  }

  cutShort(delivery: Delivery, atDot: () => void): void {
    if (this.#requests.get(delivery)?.cutShort?.()) atDot()
  }

  async owed({ emailId, from, limit }: OwedQuestion): Promise<DeliveryOwed[]> {
    const found: DeliveryOwed[] = []
    for (const [{ email, recipients }, { dialogue }] of this.#requests) {
      const owed = email.id === emailId ? (dialogue.connection?.owed ?? null) : null
      if (owed === null) continue
      const positions = recipients.map(({ position }) => position)
      const asked = positions.filter((position) => position >= from && position < from + limit)
      if (asked.length > 0) found.push({ ...owed, positions: asked })
    }
    return found
  }

  /**
   * No session is opened from now on; transactions under way may finish within `ms`. Transactions still open then are
   * cut: they come back released, or uncertain if the final dot was already sent.
   */
  async close(ms: number): Promise<void> {
    this.#stopping.abort()
    const { promise: patienceOver, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    await Promise.race([Promise.allSettled(this.#underWay), patienceOver])
    clearTimeout(timer)
    if (this.#sweeper !== null) clearInterval(this.#sweeper)
    for (const { route } of this.#routes.values()) route.destroy()
    await Promise.allSettled(this.#underWay)
  }

  async #deliver(delivery: Delivery, sharing?: SessionSharing): Promise<DeliveryResult> {
    const startedAt = Date.now()
    const start = performance.now()
    const dialogue = new Dialogue()
    const { elsewhere } = this.#options
    const message = elsewhere?.(delivery) ?? prepareMessage(delivery, this.#options)
    const mayHandOver = () => this.#options.right.holds(delivery.leaseToken)
    const place = this.#options.unrecorded?.place(delivery.email.companyId, mayHandOver)
    const { returnPaths = null } = this.#options
    const request: RouteRequest = {
      delivery,
      sender: mailFrom(delivery, returnPaths),
      message,
      dialogue,
      mayHandOver,
      stopping: this.#stopping.signal,
    }
    if (returnPaths !== null) request.envelopeId = () => envelopeId(delivery, returnPaths)
    if (place !== undefined) request.handOver = () => place.take()
    if (sharing !== undefined) this.#share(request, sharing)
    this.#requests.set(delivery, request)
    const travelled = await this.#travel(request)
    this.#requests.delete(delivery)
    this.#atDot.delete(delivery)
    const duration = Math.round(performance.now() - start)
    const result: DeliveryResult = { ...travelled, dialogue: dialogue.text, startedAt, duration }
    if (place?.release(result.outcomes.some(mayHaveArrived))) result.handedOver = true
    return result
  }

  #share(request: RouteRequest, { behind, onDot, onApart }: SessionSharing): void {
    const session = behind && this.#atDot.get(behind)
    if (session) request.behind = session
    request.onDot = (session) => {
      this.#atDot.set(request.delivery, session)
      onDot()
    }
    request.onApart = onApart
  }

  async #travel(request: RouteRequest): Promise<RouteResult> {
    const { delivery, dialogue } = request
    const { recipients, path, email } = delivery
    const { kind, servers } = path.site
    try {
      if (kind === 'simulator') return simulate(delivery)
      if (this.#stopping.signal.aborted) return releaseAll(recipients)
      if (kind === 'capture') return await capture(request)
      if (kind === 'relay' && servers?.hosts.kind === 'none') throw new Error(servers.hosts.failure.message)
      const result = await this.#alongRoute(request)
      return this.#options.softBounce
        ? { ...result, outcomes: result.outcomes.map(withoutSuppression) }
        : result
    } catch (error) {
      if (error instanceof WorkersBusy) return releaseAll(recipients)
      const failure = failureOfException(error)
      dialogue.note(failure.message)
      this.#options.log.error({ emailId: email.id, route: kind }, failure.message)
      const outcomes = recipients.map(({ position }) => outcomeOfFailure(position, failure))
      const died = error instanceof WorkerDied ? { died: error.cause } : {}
      return { outcomes, server: null, tls: null, ...died }
    }
  }

  async #alongRoute(request: RouteRequest): Promise<RouteResult> {
    const { policy, source } = request.delivery.path
    const id = sourcePolicyId(request.delivery.path)
    let open = this.#routes.get(id)
    if (open === undefined) {
      const route = openRoute(policy, source, { pauses: this.#pauses, guard: this.#guard }, this.#options)
      const general = policy.id === DEFAULT_ROUTE
      open = { route, general, busy: 0, usedAt: 0 }
      this.#routes.set(id, open)
      if (!general) this.#sweeper ??= setInterval(() => this.#sweep(), LOOK_MS).unref()
    }
    open.busy++
    try {
      return await open.route.deliver(request)
    } finally {
      open.busy--
      open.usedAt = monotonic()
    }
  }

  /** Ends the sessions of routes that have been changed or removed, or have had no mail for long. */
  #sweep(): void {
    const before = monotonic() - UNUSED_MS
    for (const [id, { route, general, busy, usedAt }] of this.#routes) {
      if (general || busy > 0 || usedAt > before) continue
      route.destroy()
      this.#routes.delete(id)
    }
    if ([...this.#routes.values()].some(({ general }) => !general)) return
    clearInterval(this.#sweeper!)
    this.#sweeper = null
  }
}

function withoutSuppression({ suppress: _, permanent: __, ...outcome }: RecipientOutcome): RecipientOutcome {
  const { verdict, message } = outcome
  if (verdict !== 'bounced' && verdict !== 'failed') return outcome
  return {
    ...outcome,
    verdict: 'deferred',
    message: clipMessage(`Retried because POSTROAD_SOFT_BOUNCE is set: ${message}`),
  }
}

function releaseAll(recipients: DeliveryRecipient[]): RouteResult {
  const outcomes = recipients.map(({ position }) =>
    releasedOutcome(position, notAttempted('the service is stopping')),
  )
  return { outcomes, server: null, tls: null }
}

function openRoute(
  { route }: Policy,
  source: Source,
  { pauses, guard }: { pauses: ProbePauses; guard: MailGuard },
  options: RouteCourierOptions,
): Route {
  const { resolver, smtpPort, allowPrivateNetworks, log, ca } = options
  const limits = { ...walkLimits, ...options.limits }
  const shared = { hostname: source.helo, limits, log, pauses, ...(ca && { ca }) }
  switch (route.kind) {
    case 'capture':
      throw new Error('What is captured takes no route')
    case 'relay':
      return new Relay({ relay: route, ...shared })
    case 'direct':
      return new DirectRoute({
        resolver,
        guard,
        policies: options.policies ?? hostPolicy,
        refuseOwnName: !allowPrivateNetworks,
        port: smtpPort,
        source,
        ...shared,
      })
  }
}
