import { monotonic } from '../common/clock.ts'
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import type { Metrics } from '../metrics.ts'
import type { Lease, NodeBeat, NodeDescription, Store } from '../store/store.ts'
import { HeartbeatWatch } from './heartbeat-watch.ts'
import type { NameClaim } from './name-claim.ts'
import type { SendingRight } from './sending-right.ts'

export interface MembershipParts {
  store: Pick<Store, 'shared' | 'join' | 'beat' | 'nodes' | 'giveUp' | 'leave' | 'recover'>
  node: Omit<NodeDescription, 'machine'>
  /** Null for a name that was not set, and where no other node can be. */
  claim: Pick<NameClaim, 'take' | 'release' | 'machine'> | null
  right: SendingRight
  metrics: Pick<Metrics, 'nodesGivenUp' | 'rejoined' | 'storeFaults'>
  log: Log
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
/** While another process has our name on this machine, it is looked this often whether it has ended. */
const CLAIM_MS = 1_000
/** What kept us from our name, as it is told when that changes. */
const UNCLAIMED = {
  taken:
    'Another process on this machine runs under the name of this node. What it is sending is taken over when it ends, or when it was silent for its timeout',
  unavailable:
    'This node cannot keep a file for its name (see POSTROAD_NODE_DIRECTORY). When it is killed, its work waits for its timeout before it is taken over',
}
/** What is taken back becomes due spread over this long, so that a crash or restart is no stampede. */
const JITTER_MS = 2_000

/**
 * This node among those that share the database: it beats, sees who has fallen silent, and takes over what those had
 * under way. Nothing here depends on what any two clocks show: a beat is a count, and each observer measures by its own
 * monotonic clock how long a count has not risen.
 */
export class Membership {
  readonly #parts: MembershipParts
  readonly #watch: HeartbeatWatch
  readonly #interval: number
  #listener: MembershipListener | null = null
  #lease: Lease | null = null
  #nodes: readonly NodeBeat[] = []
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
  #failing = false
  /** What kept us from our name when we last asked for it. */
  #unclaimed: keyof typeof UNCLAIMED | null = null
  readonly #failures = new LogThrottle(TELL_MS)
  #stopped = false

  constructor(parts: MembershipParts) {
    this.#parts = parts
    const { timeoutMs } = parts.node
    this.#interval = timeoutMs / BEATS
    this.#watch = new HeartbeatWatch(timeoutMs / 2)
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
    this.#claimName()
    const joining = this.#join()
    this.#turn = joining.catch(() => {})
    await joining
    await this.#giveUpPredecessors(this.#nodes)
    await this.#recover('Recipients that were being sent wait again')
    this.#plan(this.#pause)
  }

  /** Takes the node out; what it still has under way is for the others, or for the next start. */
  async leave(): Promise<void> {
    const { store, claim, right, log } = this.#parts
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#turn
    right.end()
    if (this.#lease !== null) {
      try {
        await store.leave(this.#lease.token)
      } catch (error) {
        log.warn({ err: error }, 'This node could not be taken out of service; the others will miss it')
      }
    }
    claim?.release()
  }

  /** Milliseconds from one turn to the next. */
  get #pause(): number {
    if (!this.#parts.store.shared) return LONELY_RECOVERY_MS
    return this.#unclaimed === 'taken' ? Math.min(CLAIM_MS, this.#interval) : this.#interval
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
    let next = this.#pause
    try {
      this.#claimName()
      if (store.shared) await this.#beat(began)
      await this.#recover('Recipients that nodes which are gone were sending wait again')
      if (this.#failing) log.info({}, 'The heartbeat of this node is written again')
      this.#failing = false
      this.#failures.reset()
    } catch (error) {
      metrics.storeFaults.inc()
      if (this.#failures.due() !== null) {
        const message =
          'The heartbeat of this node cannot be written; when that lasts, other nodes take its work over'
        log[this.#failing ? 'warn' : 'error']({ err: error }, message)
      }
      this.#failing = true
      next /= 4
    }
    this.#plan(Math.max(0, began + next - monotonic()))
  }

  /** Before any beat, so that the row bears our machine only while the name is ours. */
  #claimName(): void {
    const { store, node, claim, log } = this.#parts
    if (claim === null || !store.shared) return
    const claimed = claim.take()
    const before = this.#unclaimed
    this.#unclaimed = claimed.kind === 'ours' ? null : claimed.kind
    if (this.#unclaimed === null || this.#unclaimed === before) return
    log.warn({ node: node.name, why: claimed.why }, UNCLAIMED[this.#unclaimed])
  }

  /** Who bore our name where we bear it now has ended, or it would not be ours. */
  async #giveUpPredecessors(nodes: readonly NodeBeat[]): Promise<void> {
    const { node, claim } = this.#parts
    const machine = claim?.machine ?? null
    if (machine === null) return
    for (const other of nodes) {
      if (other.machine !== machine || other.name !== node.name) continue
      await this.#giveUp(other, 'A node of this name was killed on this machine; its work is taken over')
    }
  }

  async #beat(sentAt: number): Promise<void> {
    const { store, node, claim, right, log, metrics } = this.#parts
    const nodes = this.#lease === null ? null : await store.beat(this.#lease.token, claim?.machine ?? null)
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
    await this.#giveUpPredecessors(nodes)
    for (const silent of this.#watch.look(nodes, monotonic())) {
      await this.#giveUp(silent, 'A node was silent for too long; its work is taken over')
    }
  }

  async #join(): Promise<void> {
    const { store, node, claim, right } = this.#parts
    const sentAt = monotonic()
    const token = await store.join({ ...node, machine: claim?.machine ?? null })
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

  async #giveUp({ token, beats, name, timeoutMs }: NodeBeat, message: string): Promise<void> {
    if (token === this.#lease?.token) return
    const { store, log, metrics } = this.#parts
    if (!(await store.giveUp(token, beats))) return
    metrics.nodesGivenUp.inc()
    log.warn({ node: name, token, timeoutMs }, message)
  }

  async #recover(message: string): Promise<void> {
    const { store, log } = this.#parts
    const recovered = await store.recover({ now: Date.now(), jitterMs: JITTER_MS })
    if (recovered === 0) return
    log.warn({ recipients: recovered }, message)
    this.#listener?.recovered()
  }
}
