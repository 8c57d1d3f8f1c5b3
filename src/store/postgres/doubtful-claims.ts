import type { ClaimRequest } from '../store.ts'
import type { Database } from './database.ts'
import { PLACES, type Place } from './facts.ts'
import type { Repairs } from './repairs.ts'

/** A commit that is still under way holds these rows: it is waited for. */
const HOLD = `
SELECT 1 FROM ${PLACES.as('t')}
JOIN queue q ON q.email = ANY (ARRAY[t.email]) AND q.position = t.position
ORDER BY q.email, q.position FOR UPDATE OF q`
const GIVE_BACK = `
UPDATE queue q SET lease = NULL, due_at = $4, ready = true FROM ${PLACES.as('t')}
WHERE q.email = ANY (ARRAY[t.email]) AND q.position = t.position AND q.lease = $3`

/** What a claim leased of which nobody knows whether it was committed. */
interface Doubtful {
  places: Buffer[]
  token: number
  /** Unix ms. */
  dueAt: number
}

/**
 * Claims of which nobody knows whether they were committed. Nobody will work on what they leased, and this node lives
 * on: so it goes back by hand, if it was leased at all.
 */
export class DoubtfulClaims {
  readonly #database: Database
  readonly #repairs: Repairs
  /** Oldest first. */
  readonly #claims: Doubtful[] = []
  #turn: Promise<unknown> = Promise.resolve()

  constructor(database: Database, repairs: Repairs) {
    this.#database = database
    this.#repairs = repairs
  }

  /** Claims when nothing is in doubt any more; rejects with StoreUnavailable while that cannot be had. */
  settledBefore<Result>(claim: () => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      await this.#settle()
      return await claim()
    })
  }

  add(leased: readonly Place[], { lease, now }: ClaimRequest): void {
    if (leased.length === 0) return
    this.#claims.push({
      places: PLACES.values(leased),
      token: lease.token,
      dueAt: Math.round(now),
    })
    this.#repairs.add(() => this.#inTurn(() => this.#settle()))
  }

  /**
   * One after the other, claims and what they give back: all claims of a node carry one token. If a claim did not take
   * place after all, and the next one took the same recipients, giving back what the first had leased would take them
   * from under a delivery.
   */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async #settle(): Promise<void> {
    for (let next = this.#claims[0]; next !== undefined; next = this.#claims[0]) {
      const { places, token, dueAt } = next
      await this.#database.transaction(async (session) => {
        await session.run(HOLD, places)
        await session.run(GIVE_BACK, [...places, token, dueAt])
      })
      this.#claims.shift()
    }
  }
}
