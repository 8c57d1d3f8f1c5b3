import type { Lease } from '../store/store.ts'
import { monotonic } from './monotonic.ts'

/** How long work may lie or be under way before it counts as lost. Longer than any SMTP transaction may take. */
export const LEASE_MS = 30 * 60_000
/** A token serves everything leased within this time, so that renewing touches few tokens. */
const TOKEN_MS = 60_000

interface Held {
  outstanding: number
  /** Unix ms, as the store knows it. */
  until: number
  /** The same moment on the monotonic clock: a step of the wall clock must not stretch a lease. */
  monotonicUntil: number
}

/**
 * The leases this node holds. A lease carries a fencing token; the store refuses results under a token that is no longer
 * the recipient's. Tokens with work outstanding are renewed until the work is recorded.
 */
export class LeaseBook {
  readonly #held = new Map<number, Held>()
  readonly #nextToken: () => Promise<number>
  #current: { token: number; since: number } | null = null

  constructor(nextToken: () => Promise<number>) {
    this.#nextToken = nextToken
  }

  /** Makes sure there is a fresh token to lease under. */
  async refresh(): Promise<void> {
    const since = monotonic()
    if (this.#current !== null && since - this.#current.since < TOKEN_MS) return
    const token = await this.#nextToken()
    this.#current = { token, since }
    this.#held.set(token, {
      outstanding: 0,
      until: Date.now() + LEASE_MS,
      monotonicUntil: since + LEASE_MS,
    })
    for (const [old, held] of this.#held) if (old !== token && held.outstanding === 0) this.#held.delete(old)
  }

  /** The lease to take new work under, or null before the first refresh. */
  get current(): Lease | null {
    if (this.#current === null) return null
    const { token } = this.#current
    return { token, until: this.#held.get(token)!.until }
  }

  /** Work was leased under this token. */
  add(token: number): void {
    const held = this.#held.get(token)
    if (held !== undefined) held.outstanding++
  }

  /** Work under this token is recorded or given back. */
  remove(token: number): void {
    const held = this.#held.get(token)
    if (held === undefined) return
    held.outstanding--
    if (held.outstanding <= 0 && token !== this.#current?.token) this.#held.delete(token)
  }

  /** On the monotonic clock (ms): until when work under this token is ours. */
  until(token: number): number {
    return this.#held.get(token)?.monotonicUntil ?? 0
  }

  /** Renews every token that has work outstanding through `renew(tokens, until)`. */
  async renew(renew: (tokens: number[], until: number) => Promise<void>): Promise<void> {
    const tokens = [...this.#held.keys()]
    if (tokens.length === 0) return
    const until = Date.now() + LEASE_MS
    const monotonicUntil = monotonic() + LEASE_MS
    await renew(tokens, until)
    for (const token of tokens) {
      const held = this.#held.get(token)
      if (held !== undefined) {
        held.until = until
        held.monotonicUntil = monotonicUntil
      }
    }
  }
}
