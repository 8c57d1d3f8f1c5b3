import type { Database, Statement } from './database.ts'

/** Recipients made ready in one step, in the order they became due. */
const CHUNK = 1_000
/** When more are due: the most recipients of one company, and of all companies together, in one step. */
const OF_EACH = 50
const OF_ALL = 3_000

const READY = `ready AS (
  UPDATE queue q SET ready = true FROM due d WHERE q.email = ANY (ARRAY[d.email]) AND q.position = d.position
  RETURNING q.company
)`

const OLDEST: Statement = {
  name: 'make-ready',
  text: `
WITH due AS MATERIALIZED (
  SELECT email, position FROM queue WHERE lease IS NULL AND NOT ready AND due_at + 0 <= $1
  ORDER BY due_at + 0 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
), ${READY}
SELECT count(*) AS count FROM ready`,
}

/** Starts at company $2. Companies are looked up one after the other: further rows of the same company are skipped. */
const EACH: Statement = {
  name: 'make-ready-each',
  text: `
WITH RECURSIVE waiting (company) AS (
  (SELECT company FROM queue WHERE lease IS NULL AND NOT ready AND company >= $2 ORDER BY company, due_at LIMIT 1)
  UNION ALL
  SELECT (SELECT q.company FROM queue q WHERE q.lease IS NULL AND NOT q.ready AND q.company > w.company
          ORDER BY q.company, q.due_at LIMIT 1)
  FROM waiting w WHERE w.company IS NOT NULL
), due AS MATERIALIZED (
  SELECT d.email, d.position
  FROM waiting w CROSS JOIN LATERAL (
    SELECT q.email, q.position FROM queue q
    WHERE q.lease IS NULL AND NOT q.ready AND q.company = w.company AND q.due_at <= $1
    ORDER BY q.due_at LIMIT ${OF_EACH} FOR UPDATE SKIP LOCKED
  ) d LIMIT ${OF_ALL}
), ${READY}
SELECT count(*) AS count, max(company) AS last FROM ready`,
}

/**
 * Finds recipients that waited for a later time and have become due, and makes them ready, so that they take their
 * turns. Usually these are few, and they are found by due time. When many became due at once (after an outage), every
 * company gets its share of each step.
 */
export class Promotion {
  readonly #database: Database
  #next = 0

  constructor(database: Database) {
    this.#database = database
  }

  async promote(now: number): Promise<void> {
    const [oldest] = await this.#database.write<{ count: number }>(OLDEST, [now])
    if (oldest!.count < CHUNK) return
    const [each] = await this.#database.write<{ count: number; last: number | null }>(EACH, [now, this.#next])
    this.#next = each!.count < OF_ALL || each!.last === null ? 0 : each!.last + 1
  }
}
