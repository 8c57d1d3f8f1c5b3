import type { ClaimRequest } from '../store.ts'
import type { Database } from './database.ts'
import { PLACES, type RecipientKey } from './facts.ts'
import type { Repairs } from './repairs.ts'

/** Waits for a commit that is still under way and holds these rows. */
const HOLD = `
SELECT 1 FROM ${PLACES.as('t')}
JOIN queue q ON q.email = ANY (ARRAY[t.email]) AND q.position = t.position
ORDER BY q.email, q.position FOR UPDATE OF q`
const GIVE_BACK = `
UPDATE queue q SET lease = NULL, due_at = $4, ready = true FROM ${PLACES.as('t')}
WHERE q.email = ANY (ARRAY[t.email]) AND q.position = t.position AND q.lease = $3`

/** The places leased by a claim that may or may not have been committed. */
interface DoubtfulClaim {
  places: Buffer[]
  token: number
  /** Unix ms. */
  dueAt: number
}

/**
 * Claims whose outcome is unknown. No delivery will follow from their leases, and this node lives on: so the places are
 * given back explicitly, if they were leased at all.
 */
export class DoubtfulClaims {
  readonly #database: Database
  readonly #repairs: Repairs
  /** Oldest first. */
  readonly #claims: DoubtfulClaim[] = []
  #turn: Promise<unknown> = Promise.resolve()

  constructor(database: Database, repairs: Repairs) {
    this.#database = database
    this.#repairs = repairs
  }

  /** Runs a claim when nothing is in doubt any more; rejects with StoreUnavailable while that is impossible. */
  settledBefore<Result>(claim: () => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      await this.#settle()
      return await claim()
    })
  }

  add(leased: readonly RecipientKey[], { lease, now }: ClaimRequest): void {
    if (leased.length === 0) return
    this.#claims.push({
      places: PLACES.values(leased),
      token: lease.token,
      dueAt: Math.round(now),
    })
    this.#repairs.add(() => this.#inTurn(() => this.#settle()))
  }

  /**
   * Claims and their repairs run one after the other, because all claims of a node carry one token. If a claim did not
   * take place after all, and the next one took the same recipients, giving back the first claim's leases would take
   * the recipients away from under a delivery.
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
