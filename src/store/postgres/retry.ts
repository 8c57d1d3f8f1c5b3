import { addRetried, NOTHING_RETRIED } from '../retried.ts'
import type { Retried, RetryRequest } from '../store.ts'
import type { ChangeFeed } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Database, Statement, Value } from './database.ts'
import { isEmailId } from './rows.ts'

/** Rows of live work looked at in one transaction. */
const STEP = 1_000

/** Around every email. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * What lies behind ($1, $2), in the order it was accepted: one way through live work, whatever of it is wanted. $3 now; $4 company
 * and $5 domain, which may be NULL; $6 the last email; $7 whether one email was named. What is locked is being claimed or recorded:
 * it is left alone.
 */
const RETRY: Statement = {
  name: 'retry',
  text: `
WITH step AS MATERIALIZED (
  SELECT email, position, company, domain FROM queue
  WHERE (email, position) > ($1::uuid, $2::int4) AND email <= $6::uuid
  ORDER BY email, position LIMIT ${STEP}
), waiting AS MATERIALIZED (
  SELECT q.email, q.position, q.held_for IS NOT NULL AND (
      SELECT r.postponed_since IS NULL FROM recipients r WHERE r.email = ANY (ARRAY[s.email]) AND r.position = s.position
    ) AS held,
    EXISTS (SELECT 1 FROM pauses p WHERE p.company IN (0, s.company) AND p.domain IN ('', s.domain)) AS paused,
    NOT $7::bool AND NOT (SELECT e.sent FROM emails e WHERE e.id = s.email) AS scheduled
  FROM step s CROSS JOIN LATERAL (
    SELECT * FROM queue q
    WHERE q.email = ANY (ARRAY[s.email]) AND q.position = s.position AND q.lease IS NULL AND q.due_at > $3::int8
    FOR UPDATE SKIP LOCKED
  ) q
  WHERE ($4::int4 IS NULL OR s.company = $4) AND ($5::text IS NULL OR s.domain = $5)
), retried AS (
  UPDATE queue q SET due_at = $3, ready = true, held_for = NULL FROM waiting w
  WHERE q.email = ANY (ARRAY[w.email]) AND q.position = w.position AND NOT (w.held OR w.paused OR w.scheduled)
  RETURNING q.email, q.position
), insisted AS (
  UPDATE recipients r SET postponed_since = 0 FROM retried t
  WHERE r.email = ANY (ARRAY[t.email]) AND r.position = t.position
), last AS (
  SELECT email, position FROM step ORDER BY email DESC, position DESC LIMIT 1
)
SELECT (SELECT count(*) FROM retried) AS retried,
  (SELECT count(*) FROM waiting WHERE paused) AS paused,
  (SELECT count(*) FROM waiting WHERE held AND NOT paused) AS held,
  (SELECT count(*) FROM waiting WHERE scheduled AND NOT held AND NOT paused) AS scheduled,
  (SELECT count(*) FROM step) AS seen, (SELECT email::text FROM last) AS email, (SELECT position FROM last) AS position`,
}

interface Step extends Retried {
  seen: number
  email: string | null
  position: number | null
}

/** Makes what waits for another time due now, at the operator's word. */
export class Retry {
  readonly #database: Database
  readonly #companies: CompanyNumbers
  readonly #changes: ChangeFeed

  constructor(parts: { database: Database; companies: CompanyNumbers; changes: ChangeFeed }) {
    this.#database = parts.database
    this.#companies = parts.companies
    this.#changes = parts.changes
  }

  async retry(
    { companyId, domain, emailId, now }: RetryRequest,
    onStep?: (sum: Retried) => void,
  ): Promise<Retried> {
    if (emailId !== null && !isEmailId(emailId)) return NOTHING_RETRIED
    let company: number | null = null
    if (companyId !== null) {
      company = (await this.#companies.find([companyId])).get(companyId) ?? null
      if (company === null) return NOTHING_RETRIED
    }
    let sum = NOTHING_RETRIED
    // Before the first: positions begin with 0.
    let place: [email: string, position: number] | null = [emailId ?? FIRST_ID, -1]
    while (place !== null) {
      const scope = [company, domain, emailId ?? LAST_ID, emailId !== null]
      const step = await this.#step([...place, Math.round(now), ...scope])
      const { seen, email, position, ...counts } = step
      sum = addRetried(sum, counts)
      onStep?.(sum)
      if (counts.retried > 0) this.#changes.queueChanged()
      place = seen < STEP || email === null ? null : [email, position!]
    }
    return sum
  }

  async #step(values: Value[]): Promise<Step> {
    const [row] = await this.#database.write<Step>(RETRY, values)
    return row!
  }
}
