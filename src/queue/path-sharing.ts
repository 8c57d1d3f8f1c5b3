/** Shares what delivering nodes learn about their paths, and keeps it over a restart. */
import type { TroubleKind } from '../email/trouble-kind.ts'
import { SHARED_KEPT_MS, type SharedPath, type SharedState, type Store } from '../store/store.ts'
import type { Pacing } from './pacing.ts'
import type { PathHealth } from './path-health.ts'
import { hasOwnAddresses, isOfLimits, SharedLimits, type SharedLimitsParts } from './shared-limits.ts'
import { type SharedPathState, withRoom } from './sharing-room.ts'

/** The parts of the queue that learn from answers of servers. */
export interface PathStateParts {
  health: Pick<
    PathHealth,
    'closedHere' | 'learn' | 'reopen' | 'takeOpened' | 'wantedTries' | 'tryDecided' | 'takeTried'
  >
  sessions: SharedLimitsParts['sessions']
  pacing: SharedLimitsParts['pacing'] & Pick<Pacing, 'hours' | 'learnHour'>
}

interface PathSharingParts {
  store: Pick<
    Store,
    'sharePaths' | 'shareAgreed' | 'sharedPaths' | 'sharedPathsMark' | 'shareTries' | 'shared' | 'nodes'
  >
  /** Name of this node, which outlives its restarts. */
  name: string
  /** The token of this node; null: it has none now. */
  token(): number | null
  learning: PathStateParts
  /** Called after each look: the nodes may have decided which of them tries a closed path. */
  onLook?(): void
}

/** Milliseconds between two looks. */
const LOOK_MS = 1_000
/** States written in one look at most; the others follow. */
const MAX_WRITES = 200

/** The most tries of closed paths that a node requests in one look. */
const MAX_TRIES = 500
/** Milliseconds for which a node gets a try, which it renews while the try is under way. */
const TRY_MS = 60_000

const USUAL: SharedState = { closed: null, sessions: null, messagesPerMinute: null }

/** In the key of the messages of an hour, before the token of the node that has sent them. */
const HOUR = '\0hour:'

/**
 * The node that has shared a state. `former`: read at the start, from a node that is gone, such as this one before;
 * `neighbour`: read at the start, from a node in service; `news`: read later, from another node.
 */
type StateOrigin = 'former' | 'neighbour' | 'news'

interface ReceivedState extends SharedPathState {
  state: SharedState
}

/** Delivery never waits for the store here: what cannot be written or read now is shared later. */
export class PathSharing {
  readonly #parts: PathSharingParts
  readonly #limits: SharedLimits
  /** The states that this node has shared, as JSON, by key. */
  readonly #written = new Map<string, string>()
  /** When and by which node the states of others were shared, likewise. */
  readonly #read = new Map<string, string>()
  /** The keys of paths that were found open here, until the other nodes can read that. */
  readonly #opened = new Set<string>()
  #mark = ''
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(parts: PathSharingParts) {
    this.#parts = parts
    const { store, name, learning } = parts
    this.#limits = new SharedLimits({ store, name, sessions: learning.sessions, pacing: learning.pacing })
  }

  /** Resolves when everything that is known of the paths has been learnt. */
  async start(): Promise<void> {
    try {
      const { store } = this.#parts
      this.#mark = await store.sharedPathsMark()
      const inService = new Set((await store.nodes()).map(({ token }) => token))
      const [limits, others] = withoutLimits(await store.sharedPaths())
      for (const shared of others) this.#learn(shared, inService.has(shared.node) ? 'neighbour' : 'former')
      this.#limits.follow(limits)
    } catch {
      // Mail is sent as if nothing were known.
    }
    this.#plan()
  }

  /** Shares once more, and resolves when that is done. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#looking
    await this.look()
  }

  #plan(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.look().finally(() => {
        if (this.#timer !== undefined) this.#plan()
      })
    }, LOOK_MS).unref()
  }

  /** Never rejects. */
  async look(): Promise<void> {
    const node = this.#parts.token()
    if (node === null) return
    try {
      await this.#share(node)
      const isLast = await this.#limits.share(node)
      if (this.#parts.store.shared || !isLast) await this.#follow(node, !isLast)
      if (!isLast) await this.#limits.share(node)
      if (!this.#parts.store.shared) return
      await this.#shareTries(node)
    } catch {
      // The next look tries again, and other writes report the fault.
    } finally {
      this.#parts.onLook?.()
    }
  }

  async #share(node: number): Promise<void> {
    const { store, learning } = this.#parts
    const states = this.#states(node)
    const now = Date.now()
    const paths: SharedPath[] = []
    const changed: SharedPath[] = []
    for (const [key, { state }] of withRoom(states, (key) => this.#written.has(key))) {
      const written = this.#written.get(key)
      if (written === JSON.stringify(state)) continue
      if (paths.length + changed.length === MAX_WRITES) break
      const path = { key, node, changedAt: now, state }
      if (written === undefined) paths.push(path)
      else changed.push(path)
    }
    const usual = [...this.#written.keys()].filter((key) => !states.has(key))
    for (const key of learning.health.takeOpened()) this.#opened.add(key)
    // A path that is closed again by now is not reported as open.
    const opened = [...this.#opened].filter((key) => !states.has(key))
    if ([paths, changed, usual, opened].every(({ length }) => length === 0)) return
    await store.sharePaths({ paths, changed, usual: [...usual, ...opened], before: now - SHARED_KEPT_MS })
    for (const key of [...usual, ...opened]) {
      this.#written.delete(key)
      this.#read.delete(key)
    }
    this.#opened.clear()
    for (const { key, state } of [...paths, ...changed]) this.#written.set(key, JSON.stringify(state))
  }

  #states(node: number): Map<string, ReceivedState> {
    const { health, pacing } = this.#parts.learning
    const states = new Map<string, ReceivedState>()
    for (const [key, closed] of health.closedHere()) {
      states.set(key, {
        state: { ...USUAL, closed },
        owner: closed.metBy,
        isWhole: closed.companyId === null,
      })
    }
    for (const [key, hourDue] of pacing.hours()) {
      // Nodes have different parts of an hour's messages, so each has a row of its own.
      states.set(`${key}${HOUR}${node}`, { state: { ...USUAL, hourDue }, owner: null, isWhole: false })
    }
    return states
  }

  /** `anyway`: although nothing may have changed. */
  async #follow(node: number, anyway: boolean): Promise<void> {
    const { store, learning } = this.#parts
    const mark = await store.sharedPathsMark()
    if (mark === this.#mark && !anyway) return
    const [limits, others] = withoutLimits(await store.sharedPaths())
    this.#limits.follow(limits)
    const keys = new Set(others.map(({ key }) => key))
    for (const shared of others) if (shared.node !== node) this.#learn(shared, 'news')
    for (const known of [this.#read, this.#written]) {
      for (const key of known.keys()) {
        if (keys.has(key)) continue
        known.delete(key)
        if (!key.includes(HOUR)) learning.health.reopen(key)
      }
    }
    this.#mark = mark
  }

  /** A dead site costs all nodes together one try at a time. */
  async #shareTries(node: number): Promise<void> {
    const { store, learning } = this.#parts
    const { health } = learning
    const now = Date.now()
    const wanted = [...health.wantedTries(now)].slice(0, MAX_TRIES)
    const ended = health.takeTried()
    if (wanted.length === 0 && ended.length === 0) return
    const tries = await store.shareTries({ node, now, wanted, until: now + TRY_MS, ended })
    for (const { key, node: holder, until } of tries) health.tryDecided(key, holder === node, until, now)
  }

  #learn({ key, node, changedAt, state }: SharedPath, from: StateOrigin): void {
    // It is removed with the next write of any node.
    if (changedAt < Date.now() - SHARED_KEPT_MS) return
    const version = `${node} ${changedAt}`
    if (this.#read.get(key) === version) return
    this.#read.set(key, version)
    const { health, pacing } = this.#parts.learning
    const { closed, hourDue } = state
    // The other nodes keep to their own parts of the hour.
    if (hourDue !== undefined && from !== 'news') pacing.learnHour(key.split(HOUR)[0]!, hourDue)
    if (closed !== null && concernsThis(key, closed.kind, from)) {
      health.learn(key, closed, Date.now(), changedAt)
    }
  }
}

/** Parts the rows of limits from all others. */
function withoutLimits(rows: readonly SharedPath[]): [limits: SharedPath[], others: SharedPath[]] {
  return [rows.filter(isOfLimits), rows.filter((row) => !isOfLimits(row))]
}

/**
 * Whether this node would meet the trouble of another one. It may reach servers that a node in service does not; what
 * it met itself before its start, it would meet again. Where the system chooses the source address, each node has its
 * own, so that servers may refuse only one of them.
 */
function concernsThis(key: string, kind: TroubleKind, from: StateOrigin): boolean {
  if (kind === 'unreachable') return from === 'former'
  return from !== 'news' || kind !== 'path' || !hasOwnAddresses(key)
}
