import { isEmailId } from '../../../email/email-id.ts'
import { fieldsOf } from '../../../email/fields.ts'
import { LAST_EVENT, octetsRead, selected } from '../../email-columns.ts'
import { type PlacedRow, portionOf } from '../../email-rows.ts'
import { CHANGED_LOOKS, type LiveListStore, RECIPIENTS_COUNTED } from '../../live-list-store.ts'
import { type RecipientCountRow, recipientCountsOf } from '../../recipient-counts.ts'
import { uuids } from '../arrays.ts'
import type { StoreParts } from '../parts.ts'

/**
 * Looks at the last $3 events after $1, up to $2, and returns the emails of the company $4, latest first; at most $5.
 */
const CHANGED = `
WITH looked AS MATERIALIZED (
  SELECT number, email, company FROM events WHERE number > $1 AND number <= $2 ORDER BY number DESC LIMIT $3
), changed AS (
  SELECT email, max(number) AS last FROM looked
  WHERE email IS NOT NULL AND ($4::int4 IS NULL OR company = $4) GROUP BY email ORDER BY last DESC LIMIT $5
)
SELECT l.looks, c.email::text AS id FROM (SELECT count(*) AS looks FROM looked) AS l LEFT JOIN changed c ON true
ORDER BY c.last DESC`

/** The first of the emails $1, in their order, up to $2 octets. */
const SUMMARIES = `
SELECT * FROM (
  SELECT ${selected(fieldsOf('list'), () => 'e')}, ${LAST_EVENT.postgres} AS "lastEvent", e.seq AS place, m.octets, w.place AS "wanted",
    sum(m.octets) OVER (ORDER BY w.place) - m.octets AS "before"
  FROM unnest($1::uuid[]) WITH ORDINALITY AS w (id, place) JOIN emails e ON e.id = w.id JOIN companies c ON c.num = e.company
    CROSS JOIN LATERAL (SELECT ${octetsRead('list', () => 'e')} AS octets) m
) s WHERE s."before" < $2 ORDER BY s.wanted`

const RECIPIENT_COUNTS = `
SELECT r.email::text AS id,
  coalesce(r.state, CASE WHEN q.lease IS NULL THEN 'waiting' WHEN q.lease = 0 THEN 'quarantined' ELSE 'sending' END) AS state,
  count(*)::int4 AS count, (SELECT max(position) + 1 FROM recipients n WHERE n.email = r.email) AS recipients
FROM recipients r LEFT JOIN queue q ON q.email = r.email AND q.position = r.position
WHERE r.email = ANY ($1::uuid[]) AND r.position < ${RECIPIENTS_COUNTED}
GROUP BY r.email, 2`

/** Reads for lists that refresh themselves. */
export function liveList({ database, companies }: StoreParts): LiveListStore {
  return {
    async changedEmails({ above, upTo, limit }, companyId) {
      const company = await companies.filter(companyId ?? undefined)
      if (company === undefined) return { ids: [], more: false }
      const values = [above, upTo, CHANGED_LOOKS + 1, company, limit + 1]
      const rows = await database.read<{ looks: number; id: string | null }>(CHANGED, values)
      const ids = rows.flatMap(({ id }) => id ?? [])
      return { ids: ids.slice(0, limit), more: ids.length > limit || rows[0]!.looks > CHANGED_LOOKS }
    },

    async summaries(ids, octets) {
      const rows = await database.read<PlacedRow>(SUMMARIES, [uuids(ids.filter(isEmailId)), octets])
      return portionOf(rows, { limit: ids.length, octets }).emails.map(({ email }) => email)
    },

    async recipientCounts(ids) {
      return recipientCountsOf(
        await database.read<RecipientCountRow>(RECIPIENT_COUNTS, [uuids(ids.filter(isEmailId))]),
      )
    },
  }
}
