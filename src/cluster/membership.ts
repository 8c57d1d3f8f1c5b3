import { monotonic } from '../common/clock.ts'
import { LogThrottle } from '../common/log-throttle.ts'
import type { Metrics } from '../metrics.ts'
import type { Lease, NodeBeat, NodeDescription, Store } from '../store/store.ts'
import { Silence } from './heartbeat-watch.ts'
import type { SendingRight } from './sending-right.ts'

export interface MembershipParts {
  store: Pick<Store, 'shared' | 'join' | 'beat' | 'nodes' | 'giveUp' | 'leave' | 'recover'>
  node: NodeDescription
  right: SendingRight
  metrics: Pick<Metrics, 'nodesGivenUp' | 'rejoined' | 'storeFaults'>
  log: {
    info(o: object, m: string): void
    warn(o: object, m: string): void
    error(o: object, m: string): void
  }
}

export interface MembershipListener {
  /** The right to send was confirmed, perhaps after it had ended. */
  confirmed(): void
  /** Recipients of nodes that are gone are waiting again. */
  recovered(): void
  /** So many nodes deliver now, this one included; at least one. */
  deliveryNodes(count: number): void
}

/** Beats in one timeout. */
const BEATS = 3
/** Where no other node can be, what was left under way is looked for this often: a damaged page may be mended. */
const LONELY_RECOVERY_MS = 60_000
/** That this node cannot beat is told this often while it lasts. */
const TELL_MS = 10_000
/** What is taken back becomes due spread over this long, so that a crash or restart is no stampede. */
const JITTER_MS = 2_000

/**
 * This node among those that share the database: it beats, sees who has fallen silent, and takes over what those had under
 * way. Nothing here depends on what any two clocks show: a beat is a count, and each observer measures by its own
 * monotonic clock how long a count has not risen.
 */
export class Membership {
  readonly #parts: MembershipParts
  readonly #silence: Silence
  readonly #interval: number
  #listener: MembershipListener | null = null
  #lease: Lease | null = null
  #nodes: readonly NodeBeat[] = []
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
  #failing = false
  readonly #failures = new LogThrottle(TELL_MS)
  #stopped = false

  constructor(parts: MembershipParts) {
    this.#parts = parts
    const { timeoutMs } = parts.node
    this.#interval = timeoutMs / BEATS
    this.#silence = new Silence(timeoutMs / 2)
  }

  /** Who is to be told. One. */
  listen(listener: MembershipListener): void {
    this.#listener = listener
    this.#see(this.#nodes)
  }

  /** What this node takes work under; null while it has no row. */
  get lease(): Lease | null {
    return this.#lease
  }

  /** May work under our lease be begun now? */
  get mayBegin(): boolean {
    return this.#lease !== null && this.#parts.right.holds(this.#lease.token)
  }

  /** All nodes as they were at the last beat. */
  get nodes(): readonly NodeBeat[] {
    return this.#nodes
  }

  /** Enters this node, and takes over what nobody has any more. Rejects when the store does not take it. */
  async start(): Promise<void> {
    const { store, log } = this.#parts
    await this.#join()
    const recovered = await store.recover({ now: Date.now(), jitterMs: JITTER_MS })
    if (recovered > 0) log.warn({ recipients: recovered }, 'Deliveries that were under way are queued again')
    this.#plan(store.shared ? this.#interval : LONELY_RECOVERY_MS)
  }

  /** Takes the node out; what it still has under way is for the others, or for the next start. */
  async leave(): Promise<void> {
    const { store, right, log } = this.#parts
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#turn
    right.end()
    if (this.#lease === null) return
    try {
      await store.leave(this.#lease.token)
    } catch (error) {
      log.warn({ err: error }, 'This node could not be taken out of service; the others will miss it')
    }
  }

  #plan(ms: number): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#turn = this.#takeTurn()
    }, ms)
    this.#timer.unref()
  }

  async #takeTurn(): Promise<void> {
    const { store, log, metrics } = this.#parts
    const began = monotonic()
    let next = store.shared ? this.#interval : LONELY_RECOVERY_MS
    try {
      if (store.shared) await this.#beat(began)
      await this.#recover()
      if (this.#failing) log.info({}, 'This node beats again')
      this.#failing = false
      this.#failures.reset()
    } catch (error) {
      metrics.storeFaults.inc()
      if (this.#failures.due() !== null) {
        const message = 'This node could not beat; when it cannot for long, the others take its work over'
        log[this.#failing ? 'warn' : 'error']({ err: error }, message)
      }
      this.#failing = true
      next /= 4
    }
    this.#plan(Math.max(0, began + next - monotonic()))
  }

  async #beat(sentAt: number): Promise<void> {
    const { store, node, right, log, metrics } = this.#parts
    const nodes = this.#lease === null ? null : await store.beat(this.#lease.token)
    if (nodes === null) {
      if (this.#lease !== null) {
        right.end()
        this.#lease = null
        metrics.rejoined.inc()
        log.warn(
          {},
          'This node was silent for so long that the others took its work over; it goes on with new work',
        )
      }
      await this.#join()
      return
    }
    // From when it was sent: that the others saw it later only gives them more patience.
    right.grant(this.#lease!.token, sentAt + node.timeoutMs)
    this.#listener?.confirmed()
    this.#see(nodes)
    for (const silent of this.#silence.look(nodes, monotonic())) await this.#giveUp(silent)
  }

  async #join(): Promise<void> {
    const { store, node, right } = this.#parts
    const sentAt = monotonic()
    const token = await store.join(node)
    this.#lease = { token }
    right.grant(token, store.shared ? sentAt + node.timeoutMs : Number.POSITIVE_INFINITY)
    this.#see(await store.nodes())
    this.#listener?.confirmed()
  }

  #see(nodes: readonly NodeBeat[]): void {
    this.#nodes = nodes
    const delivering = nodes.filter(({ roles }) => roles.includes('delivery')).length
    this.#listener?.deliveryNodes(Math.max(1, delivering))
  }

  async #giveUp({ token, beats, name, timeoutMs }: NodeBeat): Promise<void> {
    if (token === this.#lease?.token) return
    const { store, log, metrics } = this.#parts
    if (!(await store.giveUp(token, beats))) return
    metrics.nodesGivenUp.inc()
    log.warn(
      { node: name, lease: token, timeoutMs },
      'A node was silent for too long; its work is taken over',
    )
  }

  async #recover(): Promise<void> {
    const { store, log } = this.#parts
    const recovered = await store.recover({ now: Date.now(), jitterMs: JITTER_MS })
    if (recovered === 0) return
    log.warn({ recipients: recovered }, 'Deliveries of nodes that are gone are queued again')
    this.#listener?.recovered()
  }
}
