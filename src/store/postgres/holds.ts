import type { HeldRelease } from '../store.ts'
import type { ChangeFeed } from './changes.ts'
import type { Database } from './database.ts'

/** Recipients released in one transaction. */
const CHUNK = 500

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
  SELECT email, position FROM queue WHERE held_for = $1 AND due_at < $2 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
), released AS (
  UPDATE queue q SET due_at = $3, ready = true, held_for = NULL
  FROM held h WHERE q.email = ANY (ARRAY[h.email]) AND q.position = h.position
  RETURNING 1
)
SELECT count(*) AS released FROM released`,
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
    while (true) {
      const values = [domainId, Math.round(dueBefore), Math.round(now)]
      const [row] = await this.#database.write<{ released: number }>(RELEASE, values)
      const chunk = row!.released
      released += chunk
      if (chunk > 0) this.#changes.queueChanged()
      if (chunk < CHUNK) return released
    }
  }
}
