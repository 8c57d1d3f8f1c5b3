import { monotonic } from '../common/clock.ts'
import { LogThrottle } from '../common/log-throttle.ts'
import type { Log } from '../common/logging.ts'
import type { Metrics } from '../metrics.ts'
import type { Lease, NodeBeat, NodeDescription, Store } from '../store/store.ts'
import { HeartbeatWatch } from './heartbeat-watch.ts'
import type { NameClaim } from './name-claim.ts'
import type { SendingRight } from './sending-right.ts'

interface NodeMembershipParts {
  store: Pick<Store, 'shared' | 'join' | 'beat' | 'nodes' | 'giveUp' | 'leave' | 'recover'>
  node: Omit<NodeDescription, 'machine' | 'sources'>
  /** Null when no name was set, or no other node can exist. */
  claim: Pick<NameClaim, 'take' | 'release' | 'machine'> | null
  right: SendingRight
  metrics: Pick<Metrics, 'nodesGivenUp' | 'rejoined' | 'storeFaults'>
  log: Log
}

interface MembershipListener {
  /** The right to send was confirmed, perhaps after it had ended. */
  confirmed(): void
  /** Recipients of nodes that are gone are waiting again. */
  recovered(): void
  /** The nodes that deliver now. */
  deliveryNodes(nodes: readonly NodeBeat[]): void
}

/** Beats in one timeout. */
const BEATS = 3
/**
 * Ms between two turns where no other node can exist. A turn writes the present sources into the row, and looks for
 * recipients left under way, because a damaged page may have been repaired.
 */
const LONELY_TURN_MS = 60_000
/** How often a failing heartbeat is logged while it fails. */
const TELL_MS = 10_000
/** While another process on this machine has our name, this is how often we check whether it has ended. */
const CLAIM_MS = 1_000
/** The warnings when our name cannot be claimed, logged when the reason changes. */
const UNCLAIMED = {
  taken:
    'Another process on this machine runs under the name of this node. Its work is taken over when it ends, or when it was silent for its timeout',
  unavailable:
    'This node cannot write the file for its name (see POSTROAD_NODE_DIRECTORY). If it is killed, its work is taken over only after its timeout',
}
/** Recovered recipients become due spread over this long, so that a crash or restart causes no stampede. */
const JITTER_MS = 2_000

/**
 * This node among those that share the database: it beats, notices silent nodes, and takes over their work under way.
 * Nothing here depends on two clocks agreeing: a beat is a count, and each observer measures by its own monotonic clock
 * how long a count has not risen.
 */
export class NodeMembership {
  readonly #parts: NodeMembershipParts
  readonly #watch: HeartbeatWatch
  readonly #interval: number
  #listener: MembershipListener | null = null
  /** Known once delivery is open. */
  #sources: (() => readonly string[]) | null = null
  #lease: Lease | null = null
  #nodes: readonly NodeBeat[] = []
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
  #failing = false
  /** The reason why the last claim of our name failed. */
  #unclaimed: keyof typeof UNCLAIMED | null = null
  readonly #failures = new LogThrottle(TELL_MS)
  #stopped = false

  constructor(parts: NodeMembershipParts) {
    this.#parts = parts
    const { timeoutMs } = parts.node
    this.#interval = timeoutMs / BEATS
    this.#watch = new HeartbeatWatch(timeoutMs / 2)
  }

  get name(): string {
    return this.#parts.node.name
  }

  /** Sets the one listener. */
  listen(listener: MembershipListener): void {
    this.#listener = listener
    this.#see(this.#nodes)
  }

  /** The lease that this node claims work under; null while it has no row. */
  get lease(): Lease | null {
    return this.#lease
  }

  /** Tells whether work under our lease may be begun now. */
  get mayBegin(): boolean {
    return this.#lease !== null && this.#parts.right.holds(this.#lease.token)
  }

  /** All nodes as of the last beat. */
  get nodes(): readonly NodeBeat[] {
    return this.#nodes
  }

  /** Enters this node, and takes over work that has no owner any more. Rejects when the store refuses. */
  async start(): Promise<void> {
    this.#claimName()
    const joining = this.#join()
    this.#turn = joining.catch(() => {})
    await joining
    await this.#giveUpPredecessors(this.#nodes)
    await this.#recover('Recipients of interrupted deliveries are queued again')
    this.#plan(this.#pause)
  }

  /** Enters the sources that mail can leave from here; the row follows them from now on. */
  async haveSources(sources: () => readonly string[]): Promise<void> {
    this.#sources = sources
    if (this.#stopped) return
    clearTimeout(this.#timer)
    this.#turn = this.#turn.then(() => this.#takeTurn())
    await this.#turn
  }

  /** Takes the node out; the other nodes, or the next start, take over its work under way. */
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
        log.warn(
          { err: error },
          'This node could not leave the cluster; the other nodes take over its work after its timeout',
        )
      }
    }
    claim?.release()
  }

  /** Milliseconds from one turn to the next. */
  get #pause(): number {
    if (!this.#parts.store.shared) return LONELY_TURN_MS
    return this.#unclaimed === 'taken' ? Math.min(CLAIM_MS, this.#interval) : this.#interval
  }

  #plan(ms: number): void {
    if (this.#stopped) return
    // `haveSources` adds a turn while another one may be under way: each would plan the next one.
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#turn = this.#takeTurn()
    }, ms)
    this.#timer.unref()
  }

  async #takeTurn(): Promise<void> {
    if (this.#stopped) return
    const { log, metrics } = this.#parts
    const began = monotonic()
    let next = this.#pause
    try {
      this.#claimName()
      await this.#beat(began)
      await this.#recover('Recipients whose node is gone are queued again')
      if (this.#failing) log.info({}, 'The heartbeat of this node is being written again')
      this.#failing = false
      this.#failures.reset()
    } catch (error) {
      metrics.storeFaults.inc()
      if (this.#failures.due() !== null) {
        const message =
          'Could not write the heartbeat of this node; if this continues, other nodes take over its work'
        log[this.#failing ? 'warn' : 'error']({ err: error }, message)
      }
      this.#failing = true
      next /= 4
    }
    this.#plan(Math.max(0, began + next - monotonic()))
  }

  /** Called before any beat, so that the row bears our machine only while the name is ours. */
  #claimName(): void {
    const { store, node, claim, log } = this.#parts
    if (claim === null || !store.shared) return
    const claimed = claim.take()
    const before = this.#unclaimed
    this.#unclaimed = claimed.kind === 'ours' ? null : claimed.kind
    if (this.#unclaimed === null || this.#unclaimed === before) return
    log.warn({ node: node.name, why: claimed.why }, UNCLAIMED[this.#unclaimed])
  }

  /** Other nodes with our name on our machine have ended, or the name would not be ours. */
  async #giveUpPredecessors(nodes: readonly NodeBeat[]): Promise<void> {
    const { node, claim } = this.#parts
    const machine = claim?.machine ?? null
    if (machine === null) return
    for (const other of nodes) {
      if (other.machine !== machine || other.name !== node.name) continue
      await this.#giveUp(other, 'A node with this name was killed on this machine; its work is taken over')
    }
  }

  async #beat(sentAt: number): Promise<void> {
    const { store, claim, right, log, metrics } = this.#parts
    const machine = claim?.machine ?? null
    const sources = this.#sources?.() ?? null
    const nodes = this.#lease === null ? null : await store.beat(this.#lease.token, machine, sources)
    if (nodes === null) {
      if (this.#lease !== null) {
        right.end()
        this.#lease = null
        metrics.rejoined.inc()
        log.warn(
          {},
          'This node was silent for longer than its timeout, and the other nodes took over its work; it continues with new work',
        )
      }
      await this.#join()
      return
    }
    right.grant(this.#lease!.token, this.#endOfRight(sentAt))
    this.#listener?.confirmed()
    this.#see(nodes)
    await this.#giveUpPredecessors(nodes)
    for (const silent of this.#watch.look(nodes, monotonic())) {
      await this.#giveUp(silent, 'A node was silent for longer than its timeout; its work is taken over')
    }
  }

  async #join(): Promise<void> {
    const { store, node, claim, right } = this.#parts
    const sentAt = monotonic()
    const sources = this.#sources?.() ?? null
    const token = await store.join({
      ...node,
      machine: claim?.machine ?? null,
      ...(sources !== null && { sources }),
    })
    this.#lease = { token }
    right.grant(token, this.#endOfRight(sentAt))
    this.#see(await store.nodes())
    this.#listener?.confirmed()
  }

  /**
   * Counted from when the beat was sent: the other nodes see it later, which only makes them wait longer. Nobody takes
   * the work of a node that is alone.
   */
  #endOfRight(sentAt: number): number {
    const { store, node } = this.#parts
    return store.shared ? sentAt + node.timeoutMs : Number.POSITIVE_INFINITY
  }

  #see(nodes: readonly NodeBeat[]): void {
    this.#nodes = nodes
    this.#listener?.deliveryNodes(nodes.filter(({ roles }) => roles.includes('delivery')))
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
