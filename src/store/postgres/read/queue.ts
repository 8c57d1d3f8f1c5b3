import type { QueueLane, QueueStore, StoreCounts } from '../../store.ts'
import { int4s, texts } from '../arrays.ts'
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

/** The same of these lanes ($1, $2) alone. */
const MESSAGES_OF = `SELECT l.company, l.domain, m."lastMessage"
  FROM unnest($1::int4[], $2::text[]) AS l (company, domain) CROSS JOIN LATERAL (
    SELECT r.last_message AS "lastMessage"
    FROM (
      SELECT email, position, due_at FROM queue
      WHERE company = l.company AND domain = l.domain AND lease IS NULL ORDER BY due_at LIMIT 100
    ) AS f JOIN recipients r ON r.email = f.email AND r.position = f.position
    WHERE r.last_message IS NOT NULL ORDER BY f.due_at LIMIT 1
  ) AS m`

/** Ids rise with time. */
const OLDEST = `SELECT e.created_at AS at FROM emails e WHERE e.id = (
    SELECT email FROM queue WHERE lease IS NULL AND ($1::integer IS NULL OR company = $1) ORDER BY email LIMIT 1)`

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
}: Parts): Pick<QueueStore, 'backlog' | 'queue' | 'counts' | 'nextDue' | 'waitingEmails'> {
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

    async backlog({ companyId, lanes: most }) {
      const only = await companies.filter(companyId)
      if (only === undefined) return { waiting: 0, sending: 0, quarantined: 0, oldestAt: null, lanes: [] }
      const rows = await database.read<LaneRow>(LANES, [only])
      const sum = (of: 'waiting' | 'sending' | 'quarantined') => rows.reduce((all, row) => all + row[of], 0)
      const waiting = sum('waiting')
      const longest = rows
        .filter((row) => row.waiting > 0)
        .sort((a, b) => b.waiting - a.waiting || a.company - b.company || (a.domain < b.domain ? -1 : 1))
        .slice(0, most)
      const [oldest, messages, ids] = await Promise.all([
        waiting === 0 ? [] : database.read<{ at: number }>(OLDEST, [only]),
        database.read<MessageRow>(MESSAGES_OF, [
          int4s(longest.map(({ company }) => company)),
          texts(longest.map(({ domain }) => domain)),
        ]),
        companies.ids(longest.map(({ company }) => company)),
      ])
      const lastMessage = messagesOf(messages)
      return {
        ...{ waiting, sending: sum('sending'), quarantined: sum('quarantined') },
        oldestAt: oldest[0]?.at ?? null,
        lanes: longest.map(({ company, domain, waiting, nextDueAt }) => ({
          ...{ companyId: ids.get(company)!, domain, waiting, sending: 0, quarantined: 0, nextDueAt },
          lastMessage: lastMessage({ company, domain }),
        })),
      }
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
      const lastMessage = messagesOf(messages)
      return lanes.map(({ company, ...lane }) => ({
        companyId: ids.get(company)!,
        ...lane,
        lastMessage: lastMessage({ company, domain: lane.domain }),
      }))
    },
  }
}

function messagesOf(rows: readonly MessageRow[]) {
  const byLane = new Map(rows.map((row) => [`${row.company} ${row.domain}`, row.lastMessage]))
  return ({ company, domain }: Pick<MessageRow, 'company' | 'domain'>): string | null =>
    byLane.get(`${company} ${domain}`) ?? null
}
