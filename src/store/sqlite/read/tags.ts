import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { firstSpelling, type SeenTagsRow, seenTagsOf, TAG_COUNTS, tagOrder } from '../../seen-tags.ts'
import type { Direct } from '../protocol.ts'
import { one } from '../rows.ts'

/** Tags in use. */
export function tags(db: DatabaseSync): Direct<'seenTags'> {
  const company = db.prepare('SELECT num FROM companies WHERE id = ?')
  const seen = new Map<string, StatementSync>()

  function seenIn(order: string): StatementSync {
    let statement = seen.get(order)
    if (statement === undefined) {
      statement = db.prepare(
        `WITH counted AS MATERIALIZED (
           SELECT domain_id, value, min(start) AS first, max(start) AS last, count(*) AS rows
           FROM (
             SELECT domain_id, value, start FROM event_counts
             WHERE company = ?1 AND size = ${TAG_COUNTS.size} AND dimension = '${TAG_COUNTS.dimension}'
               AND domain_id IN (SELECT value FROM json_each(?2)) AND (?3 IS NULL OR lower(value) = lower(?3)) LIMIT ?4
           )
           GROUP BY domain_id, value
         ), listed AS MATERIALIZED (
           SELECT ${firstSpelling("printf('%015d', c.first)")} AS tag, ifnull(min(nullif(n.description, '')), '') AS description, min(c.first) AS first,
             max(c.last) AS last, iif(?3 IS NULL, NULL, json_group_array(DISTINCT c.domain_id)) AS domains
           FROM counted c LEFT JOIN tags n ON n.domain_id = c.domain_id AND n.tag = lower(c.value)
           WHERE substr(c.value, 1, length(?5)) = ?5 AND (n.removed_at IS NULL OR c.last > n.removed_at)
           GROUP BY lower(c.value)
         )
         SELECT (SELECT json_group_array(json_array(tag, description, first, last, json(domains)))
             FROM (SELECT * FROM listed WHERE (?6 IS NULL OR tag > ?6) AND (?7 IS NULL OR tag < ?7)
               ORDER BY ${order} LIMIT ?9 OFFSET ?8)) AS tags,
           (SELECT count(*) FROM listed) AS total, (SELECT ifnull(sum(rows), 0) FROM counted) AS rows`,
      )
      seen.set(order, statement)
    }
    return statement
  }

  return {
    seenTags({ companyId, domainIds, tag, prefix, after, before, order, skip, limit, looks }) {
      const number = one<{ num: number }>(company, companyId)?.num
      if (number === undefined) return { tags: [], total: 0 }
      const statement = seenIn(tagOrder(order.by, order.falling))
      const counted = [number, JSON.stringify(domainIds), tag, looks + 1] as const
      const row = one<SeenTagsRow>(statement, ...counted, prefix, after, before, skip, limit)
      return seenTagsOf(row!, looks)
    },
  }
}
