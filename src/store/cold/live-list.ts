/** Reads for lists that refresh themselves. */
import { delayedIn } from '../../email/delayed.ts'
import { isEmailId } from '../../email/email-id.ts'
import { fieldsOf } from '../../email/fields.ts'
import { LAST_EVENT, octetsRead, selected } from '../email-columns.ts'
import { type SummaryRow, summaryOf } from '../email-rows.ts'
import {
  CHANGED_LOOKS,
  RECIPIENTS_COUNTED,
  type RecipientCounts,
  type RecipientGroup,
} from '../live-list-store.ts'
import { countedState, PROGRESS } from './email-tables.ts'
import { inForce } from './pauses.ts'
import type { Operations, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'

/**
 * Looks at the last $3 events after $1, up to $2, and returns the emails of the company $4, latest first; at most $5.
 * The id of an email that retention has removed is NULL: its events go later.
 */
const CHANGED = statement<{ looks: number; id: string | null }>(
  ({ emailKey }) => `WITH looked AS MATERIALIZED (
      SELECT number, email, company FROM events WHERE number > $1 AND number <= $2 ORDER BY number DESC LIMIT $3
    ), changed AS (
      SELECT email, max(number) AS last FROM looked
      WHERE email IS NOT NULL AND ($4::int4 IS NULL OR company = $4) GROUP BY email ORDER BY last DESC LIMIT $5
    )
    SELECT l.looks, (SELECT e.id FROM emails e WHERE e.${emailKey} = changed.email) AS id
    FROM (SELECT count(*) AS looks FROM looked) AS l LEFT JOIN changed ON true ORDER BY changed.last DESC`,
)

/** The emails `e` with the ids in $1. */
const emailsIn = ({ ids }: Dialect) => `FROM (${ids('$1')}) AS chosen CROSS JOIN emails e`

const OCTETS = statement<{ id: string; octets: number }>(
  (dialect) =>
    `SELECT e.id, ${octetsRead('list', () => 'e')} AS octets ${emailsIn(dialect)} WHERE e.id = chosen.id`,
)

const SUMMARIES = statement<SummaryRow>(
  (dialect) => `SELECT ${selected(fieldsOf('list'), () => 'e')}, ${LAST_EVENT[dialect.engine]} AS "lastEvent"
    ${emailsIn(dialect)} CROSS JOIN companies c WHERE e.id = chosen.id AND c.num = e.company`,
)

interface RecipientGroupRow extends Omit<RecipientGroup, 'delayed' | 'paused'> {
  id: string
  recipients: number
  delayed: number
  paused: number
}

/** Only waiting recipients are looked up among the pauses, and grouped by more than their state. */
const RECIPIENT_GROUPS = statement<RecipientGroupRow>((dialect) => {
  const { state, dueAt, heldFor, join } = PROGRESS[dialect.engine]
  const ifWaiting = (condition: string) => `CASE WHEN ${state} = 'waiting' AND ${condition} THEN 1 ELSE 0 END`
  const isDue = `${state} = 'sending' OR (${state} = 'waiting' AND ${heldFor} IS NULL AND ${dueAt} <= $2)`
  const paused = `EXISTS (SELECT 1 FROM pauses p
    WHERE p.company IN (0, e.company) AND p.domain IN ('', r.domain) AND ${inForce('$2')})`
  return `SELECT e.id, ${countedState(dialect)} AS state, ${heldFor} AS "heldFor",
      ${ifWaiting(delayedIn('r'))} AS delayed, ${ifWaiting(paused)} AS paused,
      CASE WHEN ${isDue} THEN r.domain END AS "dueTo", count(*) AS count, max(${dueAt}) AS "dueAt",
      max(r.attempts) AS attempts,
      (SELECT max(n.position) + 1 FROM recipients n WHERE n.email = e.${dialect.emailKey}) AS recipients
    ${emailsIn(dialect)} CROSS JOIN recipients r ${join}
    WHERE e.id = chosen.id AND r.email = e.${dialect.emailKey} AND r.position < ${RECIPIENTS_COUNTED}
    GROUP BY e.id, 2, 3, 4, 5, 6`
})

export const liveListReads = {
  *changedEmails(port, { above, upTo, limit }, companyId) {
    const company = companyId === null ? null : yield* port.findCompany(companyId)
    if (company === undefined) return { ids: [], more: false }
    const rows = yield* port.read.all(CHANGED, above, upTo, CHANGED_LOOKS + 1, company, limit + 1)
    const more = rows.length > limit || rows[0]!.looks > CHANGED_LOOKS
    return { ids: rows.slice(0, limit).flatMap(({ id }) => id ?? []), more }
  },

  *summaries(port, ids, octets) {
    const sizes = yield* port.read.all(OCTETS, ids.filter(isEmailId))
    const octetsOf = new Map(sizes.map((row) => [row.id, row.octets]))
    const fitting: string[] = []
    let sum = 0
    for (const id of ids) {
      if (sum >= octets) break
      if (!octetsOf.has(id)) continue
      fitting.push(id)
      sum += octetsOf.get(id)!
    }
    const found = (yield* port.read.all(SUMMARIES, fitting)).map(summaryOf)
    const byId = new Map(found.map((email) => [email.id, email]))
    return fitting.flatMap((id) => byId.get(id) ?? [])
  },

  *recipientCounts(port, ids, now) {
    const found = new Map<string, RecipientCounts>()
    const rows = yield* port.read.all(RECIPIENT_GROUPS, ids.filter(isEmailId), now)
    for (const { id, recipients, delayed, paused, ...group } of rows) {
      const counts = found.get(id) ?? { id, recipients, groups: [] }
      counts.groups.push({ ...group, delayed: delayed === 1, paused: paused === 1 })
      found.set(id, counts)
    }
    return [...found.values()]
  },
} satisfies Operations<ReadPort>
