import type { DeliveryOwed, OwedQuestion } from '../delivery/delivery.ts'
import type { RoutingFields } from '../delivery/path/path.ts'
import type { Handover, Reservation } from '../intake/handover.ts'
import type { NewEmail } from '../store/store.ts'
import { claimFilter } from './claim-filter.ts'
import { type ClaimCapacity, ClaimLoop } from './claim-loop.ts'
import { PathSharing } from './path-sharing.ts'
import { DeliveryPipeline } from './pipeline.ts'
import type { PipelineParts } from './pipeline-parts.ts'
import { PromisedPlaces } from './promised-places.ts'
import { SiteReporter } from './site-reporter.ts'

/** The most recipients of one claim. */
const CLAIM_RECIPIENTS = 500
/**
 * The most recipients of a lane in one claim where several nodes deliver, if nothing of it waits here: its path is not
 * known before, and other nodes may have sessions for it.
 */
const SHARED_LANE = 20
/** The most recipients that are claimed, for companies without any here, when all places are taken. */
const NEWCOMERS = 20
/**
 * Size in octets from which a new email is not handed over directly, but claimed from the store when there is room.
 * Otherwise it would be in memory twice while it is stored, and until its turn.
 */
const READ_BACK = 1024 * 1024

/**
 * Brings work to the pipeline (pipeline.ts). Due work is claimed in batches while the ready queues have room; fresh
 * work comes straight from intake under a lease taken with its commit. No database transaction is open during network
 * I/O.
 */
export class Scheduler implements Handover {
  readonly #parts: PipelineParts
  readonly #claims: ClaimLoop
  readonly #pipeline: DeliveryPipeline
  readonly #promised: PromisedPlaces
  readonly #reporter: SiteReporter
  readonly #sharing: PathSharing
  #unwatch: (() => void) | undefined
  #stopped: Promise<void> | undefined

  constructor(parts: PipelineParts) {
    const { store, membership, metrics, log } = parts
    this.#parts = parts
    this.#claims = new ClaimLoop({
      store,
      lease: () => (this.#pipeline.mayBegin ? membership.lease : null),
      capacity: () => this.#capacity(),
      onClaim: (emails, lease) => this.#pipeline.takeClaimed(emails, lease),
      onFault: (error, tell) => {
        metrics.storeFaults.inc()
        if (tell) log.error({ err: error }, 'Could not read due mail from the database; retrying')
      },
    })
    this.#pipeline = new DeliveryPipeline(parts, this.#claims)
    this.#promised = new PromisedPlaces(this.#pipeline)
    this.#reporter = new SiteReporter({
      store,
      token: () => this.token,
      states: () => this.#pipeline.siteStates(),
    })
    this.#sharing = new PathSharing({
      store,
      // A node that has the database alone may have another name after its restart.
      name: store.shared ? membership.name : '',
      token: () => this.token,
      learning: this.#pipeline.learning,
      onLook: () => this.#pipeline.triesDecided(),
    })
  }

  /** Starts claiming. */
  async start(): Promise<void> {
    const { store, membership } = this.#parts
    membership.listen({
      confirmed: () => {
        this.#pipeline.pump()
        if (this.#claims.hindered && this.#pipeline.mayBegin) this.#claims.look(0)
      },
      recovered: () => this.#claims.look(0),
      deliveryNodes: (nodes) => {
        this.#pipeline.setNodes(nodes, this.token)
        this.#reporter.setNodes(nodes.length)
      },
    })
    this.#unwatch = store.watch((change) => {
      if (change === 'queue') this.#claims.look(0)
      else if (change === 'stops') this.#pipeline.stops.stopsChanged()
    })
    await this.#sharing.start()
    await this.#pipeline.start()
    this.#reporter.start()
    this.#claims.look(0)
  }

  /**
   * Starts no more deliveries, gives back those that have not begun, and lets open transactions finish for at most
   * `ms`. Mail may still be accepted meanwhile, and waits in the store. A second call joins the first stop.
   */
  stop(ms: number): Promise<void> {
    this.#unwatch?.()
    this.#stopped ??= Promise.all([
      this.#pipeline.stop(ms).then(() => this.#sharing.stop()),
      this.#reporter.stop(),
    ]).then(() => {})
    return this.#stopped
  }

  get counts(): DeliveryPipeline['counts'] {
    return this.#pipeline.counts
  }

  /** The token of this node's leases; null: it has none now. */
  get token(): number | null {
    return this.#parts.membership.lease?.token ?? null
  }

  /** The answers that servers owe to deliveries of this node. */
  owed(question: OwedQuestion): Promise<DeliveryOwed[]> {
    return this.#pipeline.owed(question)
  }

  /** Must be called when domains may have become active. Makes mail that is held for them due now. */
  domainsChanged(): void {
    this.#pipeline.stops.domainsChanged()
  }

  reserve(email: NewEmail): Reservation | null {
    const { queues, stops, mayBegin } = this.#pipeline
    const { lease } = this.#parts.membership
    if (lease === null || email.scheduledAt !== null || email.size >= READ_BACK || !mayBegin) return null
    if (queues.holdings.room <= this.#promised.count) return null
    const lanes: string[] = []
    let last = ''
    for (const { domain } of email.recipients) {
      if (domain === last) continue
      last = domain
      if (stops.pauses.covers(email.companyId, domain)) return null
      if (!this.#hasRoom(email, domain, lanes)) return null
    }
    return this.#promised.promise(lease, lanes)
  }

  waiting(dueAt: number): void {
    this.#claims.lookAt(dueAt)
  }

  /** `lanes` gets the name of the lane, where other nodes would take what it has no room for. */
  #hasRoom(email: RoutingFields, domain: string, lanes: string[]): boolean {
    const { queues } = this.#pipeline
    const path = this.#pipeline.paths.pathOf(email, domain)
    if (path === null) return queues.holdings.allow(email.companyId)
    if (!queues.room.shared) return queues.room.hasRoom(email.companyId, path)
    if (this.#pipeline.paths.isLeft(path)) return false
    const lane = `${email.companyId}\0${path.key}`
    lanes.push(lane)
    return queues.room.hasRoom(email.companyId, path, this.#promised.in(lane))
  }

  /** Null when there is no room at all, or everything is paused. */
  #capacity(): ClaimCapacity | null {
    const { queues, stops } = this.#pipeline
    const { paths } = this.#parts
    if (queues.holdings.overfull || stops.pauses.all) return null
    const full = queues.room.full()
    // When there is no room, a little is kept for companies without mail here, and all others are skipped.
    const room = Math.max(queues.holdings.room - this.#promised.count, NEWCOMERS)
    const { rooms, ...others } = claimFilter(full, stops.pauses.skipped, {
      domainsOf: (path) => paths.domainsOf(path),
      isOnly: (companyId, path) => this.#pipeline.paths.isOnly(companyId, path),
    })
    return {
      maxRecipients: Math.min(room, CLAIM_RECIPIENTS),
      rooms: [...rooms, ...this.#pipeline.waitingLanes()],
      roomOfOthers: queues.room.shared ? SHARED_LANE : Number.POSITIVE_INFINITY,
      ...others,
      full: full.lanes.some((lane) => lane.room === 0) || full.companies.length > 0,
    }
  }
}
