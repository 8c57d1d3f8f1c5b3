/** The lowered limits of paths, and the waits that servers asked for, as the nodes agree on them. */
import { siteKeyOf, sourceNameOf } from '../delivery/path/path.ts'
import { GENERAL_SOURCE } from '../delivery/path/source-choice.ts'
import { type AgreedChange, SHARED_KEPT_MS, type SharedPath, type Store } from '../store/store.ts'
import type { Pacing } from './pacing.ts'
import { companyIn } from './path-part.ts'
import type { SessionLimits } from './session-limits.ts'
import { withRoom } from './sharing-room.ts'

export interface SharedLimitsParts {
  store: Pick<Store, 'shareAgreed'>
  /** Name of this node, which outlives its restarts. */
  name: string
  sessions: Pick<SessionLimits, 'lowered' | 'takeReleased' | 'learn'>
  pacing: Pick<Pacing, 'lowered' | 'takeReleased' | 'learn' | 'paused' | 'learnPause'>
}

type AgreedLimits = Omit<SharedPath['state'], 'closed' | 'hourDue'>

/** The row of a path as this node knows it. */
interface Base {
  version: Pick<SharedPath, 'node' | 'changedAt'>
  limits: AgreedLimits
}

const NONE: AgreedLimits = { sessions: null, messagesPerMinute: null }

/** Follows the key of the path in the key of a row. */
const LIMITS = '\0limits'
/** Rows written in one look at most; the others follow. */
const MAX_WRITES = 200

/** Milliseconds after which a wait that is over is over on all nodes, whose clocks may differ. */
const OVER_MS = 60_000

/**
 * Whether each node uses an address of its own on the path: servers may refuse one of them and take all from another.
 */
export function hasOwnAddresses(key: string): boolean {
  return sourceNameOf(key) === GENERAL_SOURCE && !siteKeyOf(key).startsWith('relay:')
}

export function isOfLimits({ key }: Pick<SharedPath, 'key'>): boolean {
  return key.includes(LIMITS)
}

/**
 * A path has one row, which every node reads and writes: a complaint to any node lowers the limit of all, it rises on
 * all together, and is over for all at once. A node changes only the row that it has read last. If another node was
 * faster, it reads that change first: a complaint counts more than a rise. Where nodes have their own addresses, each
 * has a row of its own.
 */
export class SharedLimits {
  readonly #parts: SharedLimitsParts
  /** By key of the path. */
  readonly #bases = new Map<string, Base>()
  /** Keys of paths on which a limit is over here, until the other nodes can read that. */
  readonly #released = { sessions: new Set<string>(), rates: new Set<string>() }
  #writtenAt = 0

  constructor(parts: SharedLimitsParts) {
    this.#parts = parts
  }

  /** Returns false if other nodes have changed rows meanwhile: they must be read. */
  async share(node: number): Promise<boolean> {
    const now = Date.now()
    const own = this.#own(now)
    const states = new Map(
      [...own].map(([key, limits]) => {
        const owner = companyIn(key)
        return [key, { limits, owner, isWhole: owner === null }]
      }),
    )
    // Two changes of a row have different times.
    this.#writtenAt = Math.max(now, this.#writtenAt + 1)
    const changes = new Map<string, AgreedChange>()
    for (const [key, { limits }] of withRoom(states, (key) => this.#bases.has(key))) {
      const base = this.#bases.get(key)
      if (isSame(limits, base?.limits ?? NONE)) continue
      if (changes.size === MAX_WRITES) break
      changes.set(key, {
        key: this.#rowOf(key),
        node,
        changedAt: this.#writtenAt,
        known: base?.version ?? null,
        state: isSame(limits, NONE) ? null : { closed: null, ...limits },
      })
    }
    if (changes.size === 0) return true
    const refused = new Set(await this.#parts.store.shareAgreed([...changes.values()], now - SHARED_KEPT_MS))
    for (const [key, { key: row, changedAt, state }] of changes) {
      if (refused.has(row)) continue
      if (state === null) this.#bases.delete(key)
      else this.#bases.set(key, { version: { node, changedAt }, limits: own.get(key)! })
      for (const released of Object.values(this.#released)) released.delete(key)
    }
    return refused.size === 0
  }

  /** `rows`: all that there are. */
  follow(rows: readonly SharedPath[]): void {
    const now = Date.now()
    const own = this.#own(now)
    const gone = new Set(this.#bases.keys())
    for (const { key: row, node, changedAt, state } of rows) {
      // An old one is removed with the next write of any node.
      if (changedAt < now - SHARED_KEPT_MS) continue
      const key = row.slice(0, row.indexOf(LIMITS))
      if (this.#rowOf(key) !== row) continue
      gone.delete(key)
      const { version } = this.#bases.get(key) ?? {}
      if (version?.node === node && version.changedAt === changedAt) continue
      const { closed: _, hourDue: __, ...limits } = state
      this.#take(key, own.get(key) ?? NONE, limits)
      this.#bases.set(key, { version: { node, changedAt }, limits })
    }
    for (const key of gone) {
      this.#take(key, own.get(key)!, NONE)
      this.#bases.delete(key)
    }
  }

  #rowOf(key: string): string {
    return hasOwnAddresses(key) ? `${key}${LIMITS}\0${this.#parts.name}` : `${key}${LIMITS}`
  }

  /** Takes what other nodes have made of the limits, unless this node has met a complaint since. */
  #take(key: string, own: AgreedLimits, theirs: AgreedLimits): void {
    const { sessions, pacing } = this.#parts
    const { limits: known } = this.#bases.get(key) ?? { limits: NONE }
    if (counts([own.sessions], [known.sessions], [theirs.sessions])) {
      this.#released.sessions.delete(key)
      sessions.learn(key, theirs.sessions)
    }
    if (counts(rateOf(own), rateOf(known), rateOf(theirs))) {
      this.#released.rates.delete(key)
      pacing.learn(key, theirs.messagesPerMinute, theirs.isGuess)
    }
    if (theirs.pausedUntil !== undefined) pacing.learnPause(key, theirs.pausedUntil)
  }

  /** The limits of this node. It learns those again that it forgot because it has met so many paths since. */
  #own(now: number): Map<string, AgreedLimits> {
    const { sessions, pacing } = this.#parts
    for (const key of sessions.takeReleased()) this.#released.sessions.add(key)
    for (const key of pacing.takeReleased()) this.#released.rates.add(key)
    const own = new Map<string, AgreedLimits>()
    const change = (key: string, part: Partial<AgreedLimits>) =>
      own.set(key, { ...(own.get(key) ?? NONE), ...part })
    for (const [key, limit] of sessions.lowered()) change(key, { sessions: limit })
    for (const [key, messagesPerMinute, isGuess] of pacing.lowered()) {
      change(key, { messagesPerMinute, ...(isGuess && { isGuess }) })
    }
    for (const [key, pausedUntil] of pacing.paused()) change(key, { pausedUntil })
    for (const [key, { limits }] of this.#bases) {
      const { sessions: limit, messagesPerMinute, isGuess, pausedUntil = 0 } = limits
      const known = own.get(key) ?? NONE
      own.set(key, known)
      if (known.sessions === null && limit !== null && !this.#released.sessions.has(key)) {
        change(key, { sessions: limit })
        sessions.learn(key, limit)
      }
      if (known.messagesPerMinute === null && messagesPerMinute !== null && !this.#released.rates.has(key)) {
        change(key, { messagesPerMinute, ...(isGuess && { isGuess }) })
        pacing.learn(key, messagesPerMinute, isGuess)
      }
      // Of two waits the later one counts.
      if (pausedUntil > Math.max(now - OVER_MS, known.pausedUntil ?? 0)) change(key, { pausedUntil })
    }
    for (const released of Object.values(this.#released)) {
      for (const key of released) if (!this.#bases.has(key)) released.delete(key)
    }
    return own
  }
}

/** Null: none. */
type Limit = readonly [limit: number | null, isGuess?: true | undefined]

function rateOf({ messagesPerMinute, isGuess }: AgreedLimits): Limit {
  return [messagesPerMinute, isGuess]
}

/** Whether the limit of other nodes counts more than that of this node, which was `known` to all. */
function counts(own: Limit, known: Limit, theirs: Limit): boolean {
  if (isEqual(theirs, known)) return false
  const isComplaint = !isEqual(own, known) && isAtMost(own, known)
  return !isComplaint || !isAtMost(own, theirs)
}

function isEqual([one, isGuess]: Limit, [other, isOtherGuess]: Limit): boolean {
  return one === other && isGuess === isOtherGuess
}

function isAtMost([one]: Limit, [other]: Limit): boolean {
  return (one ?? Number.POSITIVE_INFINITY) <= (other ?? Number.POSITIVE_INFINITY)
}

function isSame(one: AgreedLimits, other: AgreedLimits): boolean {
  return (
    one.sessions === other.sessions &&
    isEqual(rateOf(one), rateOf(other)) &&
    one.pausedUntil === other.pausedUntil
  )
}
