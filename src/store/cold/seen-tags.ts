/** The tags of mail: in one row, so that no more than a page is read into objects. */
import { COUNT_SIZES, type CountDimension } from '../digest.ts'
import type { SeenTag, SeenTags, TagOrder } from '../digest-store.ts'
import type { Operations, ReadPort } from './port.ts'
import { statement } from './statement.ts'

/** Tags are found in the counts by day, which are kept longest. */
const DIMENSION: CountDimension = 'tag'

/** `tags` is JSON; null when there are none. */
interface SeenTagsRow {
  tags: string | null
  total: number
  rows: number
}

type TagEntry = [tag: string, description: string, first: number, last: number, domainIds: string[] | null]

const WORDS = {
  postgres: {
    among: (list: string) => `= ANY (ARRAY(${list}))`,
    digits: "lpad(c.first::text, 15, '0')",
    byOctets: 'COLLATE "C"',
    domains: 'json_agg(DISTINCT c.domain_id)',
    begins: 'starts_with(c.value, $5)',
    page: (order: string) =>
      `json_agg(json_build_array(tag, description, first, last, domains) ORDER BY ${order})::text`,
  },
  sqlite: {
    among: (list: string) => `IN (${list})`,
    digits: "printf('%015d', c.first)",
    byOctets: '',
    domains: 'json_group_array(DISTINCT c.domain_id)',
    begins: 'substr(c.value, 1, length($5)) = $5',
    page: (order: string) =>
      `json_group_array(json_array(tag, description, first, last, json(domains)) ORDER BY ${order})`,
  },
}

/** Tags that differ only in the case of their letters are one tag, shown in the first spelling seen. */
const seen = (order: string) =>
  statement<SeenTagsRow>(({ engine, texts, folded }) => {
    const { among, digits, byOctets, domains, begins, page } = WORDS[engine]
    return `WITH counted AS MATERIALIZED (
      SELECT domain_id, value, min(start) AS first, max(start) AS last, count(*) AS rows
      FROM (
        SELECT domain_id, value, start FROM event_counts
        WHERE company = $1 AND size = ${COUNT_SIZES.day} AND dimension = '${DIMENSION}'
          AND domain_id ${among(texts('$2'))} AND ($3::text IS NULL OR ${folded('value')} = ${folded('$3::text')}) LIMIT $4
      ) AS c
      GROUP BY domain_id, value
    ), listed AS MATERIALIZED (
      SELECT substr(min(${digits} || c.value), 16) AS tag,
        coalesce(min(nullif(n.description, '')), '') ${byOctets} AS description,
        min(c.first) AS first, max(c.last) AS last, CASE WHEN $3::text IS NOT NULL THEN ${domains} END AS domains
      FROM counted c LEFT JOIN tags n ON n.domain_id = c.domain_id AND n.tag = ${folded('c.value')}
      WHERE ${begins} AND (n.removed_at IS NULL OR c.last > n.removed_at)
      GROUP BY ${folded('c.value')}
    )
    SELECT (SELECT ${page(order)}
        FROM (SELECT * FROM listed WHERE ($6::text IS NULL OR tag > $6) AND ($7::text IS NULL OR tag < $7)
          ORDER BY ${order} LIMIT $9 OFFSET $8) AS page) AS tags,
      (SELECT count(*) FROM listed) AS total, (SELECT CAST(coalesce(sum(rows), 0) AS bigint) FROM counted) AS rows`
  })
const bothWays = (by: TagOrder, ties = '') => ({
  rising: seen(`${by} ASC${ties}`),
  falling: seen(`${by} DESC${ties}`),
})
const SEEN = {
  tag: bothWays('tag'),
  description: bothWays('description', ', tag ASC'),
  first: bothWays('first', ', tag ASC'),
  last: bothWays('last', ', tag ASC'),
}

export const seenTagReads = {
  *seenTags(port, { companyId, domainIds, tag, prefix, after, before, order, skip, limit, looks }) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return { tags: [], total: 0 }
    const list = SEEN[order.by][order.falling ? 'falling' : 'rising']
    const counted = [company, domainIds, tag, looks + 1] as const
    const row = yield* port.read.one(list, ...counted, prefix, after, before, skip, limit)
    return seenTagsOf(row!, looks)
  },
} satisfies Operations<ReadPort>

/** Null when more than `looks` counts would have to be read. */
function seenTagsOf({ tags, total, rows }: SeenTagsRow, looks: number): SeenTags | null {
  if (rows > looks) return null
  const listed = JSON.parse(tags ?? '[]') as TagEntry[]
  return {
    tags: listed.map(([tag, description, first, last, domainIds]): SeenTag => {
      return { tag, description, first, last, domainIds: domainIds ?? [] }
    }),
    total,
  }
}
