import type { QueueLane, StoreCounts } from '../../store.ts'
import type { CompanyNumbers } from '../companies.ts'
import type { Database } from '../database.ts'

/** One pass over live work, which is all that `queue` holds. */
const LANES = `SELECT company, domain, count(*) FILTER (WHERE lease IS NULL) AS waiting,
    count(*) FILTER (WHERE lease > 0) AS sending, count(*) FILTER (WHERE lease = 0) AS quarantined,
    min(due_at) FILTER (WHERE lease IS NULL) AS "nextDueAt"
  FROM queue WHERE $1::integer IS NULL OR company = $1 GROUP BY company, domain ORDER BY company, domain`

/** Looked for among the hundred recipients of a lane that are due first. */
const MESSAGES = `WITH first AS (
    SELECT * FROM (
      SELECT email, position, company, domain, due_at,
             row_number() OVER (PARTITION BY company, domain ORDER BY due_at) AS place
      FROM queue WHERE (lease IS NULL OR lease = 0) AND ($1::integer IS NULL OR company = $1)
    ) ranked WHERE place <= 100
  )
  SELECT DISTINCT ON (f.company, f.domain) f.company, f.domain, r.last_message AS "lastMessage"
  FROM first f JOIN recipients r ON r.email = f.email AND r.position = f.position
  WHERE r.last_message IS NOT NULL ORDER BY f.company, f.domain, f.due_at`

const COUNTS = `SELECT count(*) FILTER (WHERE lease IS NULL) AS waiting, count(*) FILTER (WHERE lease > 0) AS sending,
    count(*) FILTER (WHERE lease = 0) AS quarantined, count(*) FILTER (WHERE lease IS NULL AND due_at <= $1) AS due
  FROM queue`

interface LaneRow {
  company: number
  domain: string
  waiting: number
  sending: number
  quarantined: number
  nextDueAt: number | null
}

/** What waits, and why. */
export class QueueReader {
  readonly #database: Database
  readonly #companies: CompanyNumbers

  constructor(database: Database, companies: CompanyNumbers) {
    this.#database = database
    this.#companies = companies
  }

  async counts(now: number): Promise<StoreCounts> {
    const [row] = await this.#database.read<StoreCounts>(COUNTS, [Math.round(now)])
    return row!
  }

  /** By company, then domain. */
  async lanes(companyId?: string): Promise<QueueLane[]> {
    let company: number | null = null
    if (companyId !== undefined) {
      company = (await this.#companies.find([companyId])).get(companyId) ?? null
      if (company === null) return []
    }
    const { lanes, messages } = await this.#database.snapshot(async (session) => ({
      lanes: await session.run<LaneRow>(LANES, [company]),
      messages: await session.run<{ company: number; domain: string; lastMessage: string }>(MESSAGES, [
        company,
      ]),
    }))
    const ids = await this.#companies.ids(lanes.map((lane) => lane.company))
    const byLane = new Map(messages.map((row) => [`${row.company} ${row.domain}`, row.lastMessage]))
    return lanes.map(({ company, ...lane }) => ({
      companyId: ids.get(company)!,
      ...lane,
      lastMessage: byLane.get(`${company} ${lane.domain}`) ?? null,
    }))
  }
}
