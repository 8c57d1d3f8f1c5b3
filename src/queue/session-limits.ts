import { monotonic } from '../common/clock.ts'

/** What a site has refused it is asked for again, a little more each time, after so long (ms) without a refusal. */
const GROW_MS = 20_000
/** Sites remembered at most: any zone can have one for each name in it. The one that complained longest ago is forgotten. */
const MAX_SITES = 10_000

interface Narrowed {
  sessions: number
  /** When it last changed; on the monotonic clock. */
  changedAt: number
  /** Opened up altogether by the first delivery that goes well. */
  first: boolean
}

/**
 * How many sessions sites let us have, where that is less than we would open. One that says that we are too many gets half; then
 * slowly more, until it says so again or has what everybody has.
 */
export class SiteLimits {
  readonly #narrowed = new Map<string, Narrowed>()
  readonly #most: number
  readonly #now: () => number

  /** `most`: sessions to one site that nobody has complained about. */
  constructor(most: number, now: () => number = monotonic) {
    this.#most = most
    this.#now = now
  }

  of(site: string): number {
    if (this.#narrowed.size === 0) return Number.POSITIVE_INFINITY
    return this.#narrowed.get(site)?.sessions ?? Number.POSITIVE_INFINITY
  }

  /** One session, until a delivery has gone well: so many wrong logins at once could lock an account. */
  begin(site: string): void {
    this.#narrowed.set(site, { sessions: 1, changedAt: this.#now(), first: true })
  }

  /**
   * We are too many there, says the answer to a delivery that began at `begunAt` (monotonic) beside `open` sessions, itself
   * included. False when it was alone already.
   */
  tooMany(site: string, open: number, begunAt: number): boolean {
    const known = this.#narrowed.get(site)
    // It began before the last change, and tells nothing about it.
    if (known !== undefined && begunAt < known.changedAt) return true
    const before = Math.min(known?.sessions ?? open, open)
    const sessions = Math.max(1, Math.floor(before / 2))
    this.#narrowed.delete(site)
    this.#narrowed.set(site, { sessions, changedAt: this.#now(), first: false })
    if (this.#narrowed.size > MAX_SITES) this.#narrowed.delete(this.#narrowed.keys().next().value!)
    return before > 1
  }

  /** A delivery has gone well. */
  well(site: string): void {
    if (this.#narrowed.size === 0) return
    const known = this.#narrowed.get(site)
    if (known === undefined) return
    const now = this.#now()
    if (!known.first && now - known.changedAt < GROW_MS) return
    const sessions = known.first ? this.#most : known.sessions + Math.ceil(known.sessions / 2)
    if (sessions >= this.#most) this.#narrowed.delete(site)
    else this.#narrowed.set(site, { sessions, changedAt: now, first: false })
  }
}
