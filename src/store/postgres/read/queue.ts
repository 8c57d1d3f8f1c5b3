import { type Backlog, NOTHING_WAITS, REPLY_SEARCHED } from '../../queue-control.ts'
import type { QueueLane, QueueStore, StoreCounts } from '../../store.ts'
import type { Statement } from '../database.ts'
import type { StoreParts } from '../parts.ts'

/** One pass over `queue`, which holds only live work. Ids rise with time. */
const LANES = `SELECT l.company, l.domain, l.waiting, l.sending, l.quarantined, l."nextDueAt", e.created_at AS "oldestAt" FROM (
  SELECT company, domain, count(*) FILTER (WHERE lease IS NULL) AS waiting,
    count(*) FILTER (WHERE lease > 0) AS sending, count(*) FILTER (WHERE lease = 0) AS quarantined,
    min(due_at) FILTER (WHERE lease IS NULL) AS "nextDueAt", min(email::text) FILTER (WHERE lease IS NULL) AS oldest
  FROM queue WHERE $1::integer IS NULL OR company = $1 GROUP BY company, domain
  ) l LEFT JOIN emails e ON e.id = l.oldest::uuid ORDER BY l.company, l.domain`

const MESSAGES = `WITH first AS (
    SELECT * FROM (
      SELECT email, position, company, domain, due_at,
             row_number() OVER (PARTITION BY company, domain ORDER BY due_at) AS place
      FROM queue WHERE (lease IS NULL OR lease = 0) AND ($1::integer IS NULL OR company = $1)
    ) ranked WHERE place <= ${REPLY_SEARCHED}
  )
  SELECT DISTINCT ON (f.company, f.domain) f.company, f.domain, r.last_message AS "lastMessage", r.server AS "lastServer"
  FROM first f JOIN recipients r ON r.email = f.email AND r.position = f.position
  WHERE r.last_message IS NOT NULL ORDER BY f.company, f.domain, f.due_at`

/**
 * Waiting recipients of all companies, and of one ($1), by the two indexes that hold them: each index has either the
 * ready ones or the others.
 */
const WAITS = {
  all: 'queue WHERE lease IS NULL',
  own: `(
    SELECT * FROM queue WHERE lease IS NULL AND ready AND company = $1
    UNION ALL SELECT * FROM queue WHERE lease IS NULL AND NOT ready AND company = $1
  ) AS own WHERE true`,
}
type WaitScope = keyof typeof WAITS

const waitingOf = (whose: WaitScope) => `SELECT count(*) AS waiting FROM ${WAITS[whose]}`
/** Ids rise with time. */
const oldestOf = (whose: WaitScope) =>
  `SELECT id::text AS id, created_at AS at FROM emails WHERE id = (SELECT email FROM ${WAITS[whose]} ORDER BY email LIMIT 1)`
const UNDER_WAY = `SELECT count(*) FILTER (WHERE lease > 0) AS sending, count(*) FILTER (WHERE lease = 0) AS quarantined
  FROM queue WHERE lease IS NOT NULL AND ($1::integer IS NULL OR company = $1)`

const COUNTS = `SELECT count(*) FILTER (WHERE lease IS NULL) AS waiting, count(*) FILTER (WHERE lease > 0) AS sending,
    count(*) FILTER (WHERE lease = 0) AS quarantined, count(*) FILTER (WHERE lease IS NULL AND due_at <= $1) AS due
  FROM queue`

/** Two look-ups at the left edge of an index. */
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

interface QueueLaneRow extends Omit<QueueLane, 'companyId' | keyof LastMessage> {
  company: number
}

type LastMessage = Pick<QueueLane, 'lastMessage' | 'lastServer'>

interface MessageRow extends LastMessage {
  company: number
  domain: string
}

/** The waiting mail, and the reasons why it waits. */
export function queue({
  database,
  companies,
}: StoreParts): Pick<QueueStore, 'backlog' | 'queue' | 'counts' | 'nextDue' | 'waitingEmails'> {
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

    async backlog(companyId) {
      const only = await companies.filter(companyId)
      if (only === undefined) return NOTHING_WAITS
      const [whose, own] = only === null ? (['all', []] as const) : (['own', [only]] as const)
      const [[counted], [oldest], [underWay]] = await Promise.all([
        database.read<Pick<Backlog, 'waiting'>>(waitingOf(whose), [...own]),
        database.read<NonNullable<Backlog['oldest']>>(oldestOf(whose), [...own]),
        database.read<Pick<Backlog, 'sending' | 'quarantined'>>(UNDER_WAY, [only]),
      ])
      return { ...counted!, ...underWay!, oldest: oldest ?? null }
    },

    /** By company, then domain. */
    async queue(companyId) {
      const only = await companies.filter(companyId)
      if (only === undefined) return []
      const { lanes, messages } = await database.snapshot(async (session) => ({
        lanes: await session.run<QueueLaneRow>(LANES, [only]),
        messages: await session.run<MessageRow>(MESSAGES, [only]),
      }))
      const ids = await companies.ids(lanes.map((lane) => lane.company))
      const lastMessage = messagesOf(messages)
      return lanes.map(({ company, ...lane }) => ({
        companyId: ids.get(company)!,
        ...lane,
        ...lastMessage({ company, domain: lane.domain }),
      }))
    },
  }
}

function messagesOf(rows: readonly MessageRow[]) {
  const byLane = new Map(rows.map(({ company, domain, ...last }) => [`${company} ${domain}`, last] as const))
  return ({ company, domain }: Pick<MessageRow, 'company' | 'domain'>): LastMessage =>
    byLane.get(`${company} ${domain}`) ?? { lastMessage: null, lastServer: null }
}
