import type { QueueLane, QueueStore, StoreCounts } from '../../store.ts'
import type { Statement } from '../database.ts'
import type { Parts } from '../parts.ts'

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

/** Two looks at the left edge of an index. */
const NEXT_DUE: Statement = {
  name: 'next-due',
  text: `
SELECT least(
  (SELECT due_at FROM queue WHERE lease IS NULL AND ready ORDER BY due_at + 0 LIMIT 1),
  (SELECT due_at FROM queue WHERE lease IS NULL AND NOT ready ORDER BY due_at + 0 LIMIT 1)
) AS due`,
}

const WAITING = `SELECT DISTINCT e.id::text AS id FROM queue q JOIN emails e ON e.id = q.email
  WHERE q.company = $1 AND q.lease IS NULL AND e.domain_id = $2 LIMIT $3`

interface LaneRow extends Omit<QueueLane, 'companyId' | 'lastMessage'> {
  company: number
}

interface MessageRow {
  company: number
  domain: string
  lastMessage: string
}

/** What waits, and why. */
export function queue({
  database,
  companies,
}: Parts): Pick<QueueStore, 'queue' | 'counts' | 'nextDue' | 'waitingEmails'> {
  return {
    async counts(now) {
      const [row] = await database.read<StoreCounts>(COUNTS, [Math.round(now)])
      return row!
    },

    async waitingEmails(companyId, domainId, limit) {
      const company = await companies.filter(companyId)
      if (company === undefined) return []
      const rows = await database.read<{ id: string }>(WAITING, [company, domainId, limit])
      return rows.map(({ id }) => id)
    },

    async nextDue() {
      const [row] = await database.look<{ due: number | null }>(NEXT_DUE)
      return row!.due
    },

    /** By company, then domain. */
    async queue(companyId) {
      const only = await companies.filter(companyId)
      if (only === undefined) return []
      const { lanes, messages } = await database.snapshot(async (session) => ({
        lanes: await session.run<LaneRow>(LANES, [only]),
        messages: await session.run<MessageRow>(MESSAGES, [only]),
      }))
      const ids = await companies.ids(lanes.map((lane) => lane.company))
      const byLane = new Map(messages.map((row) => [`${row.company} ${row.domain}`, row.lastMessage]))
      return lanes.map(({ company, ...lane }) => ({
        companyId: ids.get(company)!,
        ...lane,
        lastMessage: byLane.get(`${company} ${lane.domain}`) ?? null,
      }))
    },
  }
}
