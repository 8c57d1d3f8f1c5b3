import type { HeldRelease } from '../store.ts'
import type { ChangeFeed } from './changes.ts'
import type { Database } from './database.ts'

/** Recipients released in one transaction. */
const CHUNK = 500

interface HeldPlace {
  email: string
  position: number
}

const HELD = {
  name: 'held-domains',
  text: `
WITH RECURSIVE held (domain) AS (
  (SELECT held_for FROM queue WHERE held_for IS NOT NULL ORDER BY held_for LIMIT 1)
  UNION ALL
  SELECT (SELECT q.held_for FROM queue q WHERE q.held_for > h.domain ORDER BY q.held_for LIMIT 1)
  FROM held h WHERE h.domain IS NOT NULL
)
SELECT domain FROM held WHERE domain IS NOT NULL`,
}

const RELEASE = {
  name: 'release-held',
  text: `
WITH held AS MATERIALIZED (
  SELECT email, position FROM queue
  WHERE held_for = $1 AND (email, position) > ($4::uuid, $5::integer) AND due_at < $2
  ORDER BY email, position LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
), released AS (
  UPDATE queue q SET due_at = $3, ready = true, held_for = NULL
  FROM held h WHERE q.email = ANY (ARRAY[h.email]) AND q.position = h.position
  RETURNING 1
)
SELECT (SELECT count(*) FROM released) AS released, email, position
FROM held ORDER BY email DESC, position DESC LIMIT 1`,
}

/** Recipients that wait only because their sending domain may not send. */
export class Holds {
  readonly #database: Database
  readonly #changes: ChangeFeed

  constructor({ database, changes }: { database: Database; changes: ChangeFeed }) {
    this.#database = database
    this.#changes = changes
  }

  async domains(): Promise<string[]> {
    return (await this.#database.look<{ domain: string }>(HELD)).map(({ domain }) => domain)
  }

  async release(domainId: string, { now, dueBefore }: HeldRelease): Promise<number> {
    let released = 0
    // What is held again behind the place that a chunk came to is left alone: it would go round otherwise.
    let place: HeldPlace = { email: '00000000-0000-0000-0000-000000000000', position: -1 }
    while (true) {
      const values = [domainId, Math.round(dueBefore), Math.round(now), place.email, place.position]
      const [row] = await this.#database.write<HeldPlace & { released: number }>(RELEASE, values)
      if (row === undefined) return released
      released += row.released
      this.#changes.queueChanged()
      if (row.released < CHUNK) return released
      place = row
    }
  }
}
