import { isEmailId } from '../../email/email-id.ts'
import { foldedAscii } from '../../email/folded-ascii.ts'
import { joinedTags, SUPPRESSION_TYPES, type Suppression, withoutTag } from '../../email/suppression.ts'
import { listOf } from '../json-columns.ts'
import type { SuppressionStore } from '../store.ts'
import { newestOf, type SuppressionRow, suppressionOf, tagColumns } from '../suppression-rows.ts'
import { texts } from './arrays.ts'
import { withNotice } from './change-notice.ts'
import { int4, int8, text, unnestSql, uuid } from './columns.ts'
import type { DatabaseSession } from './database.ts'
import type { StoreParts } from './parts.ts'

/** Suppressions removed in one transaction. */
const CHUNK = 1_000
/** Sorts after every address. */
const END = '\u{10ffff}'
/** Sort before and after every id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const COLUMNS = `s.id, c.id AS "companyId", s.address, s.type, s.tags, s.reason, s.code, s.email_id AS "emailId",
  s.domain_id AS "domainId", s.created_at AS "createdAt"`
const LISTED = `SELECT ${COLUMNS} FROM suppressions s JOIN companies c ON c.num = s.company`
/** Not ordered by the id itself: the index over ids alone has that order, too, but holds all companies and types. */
const PLACE = 'uuid_send(s.id)'
const BETWEEN = `${PLACE} > uuid_send($2::uuid) AND ${PLACE} < uuid_send($3::uuid)`
/**
 * Suppressions of a type that came from one domain ($4), or all (when it is null): in the exact expressions of the
 * index.
 */
const OF_TYPE = {
  domain: (type: string) =>
    `(s.type || ' ' || s.domain_id) = ${type} || ' ' || $4::text AND s.domain_id IS NOT NULL`,
  any: (type: string) => `s.type = ${type} AND $4::text IS NULL`,
}
type EntryOrigin = keyof typeof OF_TYPE

type SortDirection = 'ASC' | 'DESC'

/** The newest (or oldest) of each type, of one company or of each. */
const newest = (order: SortDirection, of: EntryOrigin) => `SELECT ${COLUMNS}
  FROM companies c CROSS JOIN unnest($1::text[]) AS t (type) CROSS JOIN LATERAL (
    SELECT * FROM suppressions s
    WHERE (s.company + 0) = c.num AND ${OF_TYPE[of]('t.type')} AND ${BETWEEN} ORDER BY ${PLACE} ${order} LIMIT $5
  ) AS s
  WHERE $6::int4 IS NULL OR c.num = $6`

/** The address in one company or in each: looked up in the index, company by company. */
const OF_ADDRESS = `SELECT ${COLUMNS}
  FROM companies c CROSS JOIN LATERAL (
    SELECT * FROM suppressions s WHERE s.company = c.num AND s.folded = $1 OFFSET 0
  ) AS s
  WHERE s.type = ANY ($2::text[]) AND ($3::int4 IS NULL OR c.num = $3)`

const FOUND = `${LISTED} WHERE s.id = $1`

const byAddress = (order: SortDirection, of: EntryOrigin) => `${LISTED}
  WHERE (s.company - 0) = $1 AND ${OF_TYPE[of]('$2::text')}
    AND s.folded >= $3 AND s.folded < $7 AND s.folded > $5 AND s.folded < $6
  ORDER BY s.folded ${order} LIMIT $8`

interface SuppressionInsert extends Suppression {
  company: number
}

const PUT = unnestSql<SuppressionInsert>(1, {
  id: uuid(({ id }) => id),
  company: int4(({ company }) => company),
  folded: text(({ address }) => foldedAscii(address)),
  type: text(({ type }) => type),
  address: text(({ address }) => address),
  tags: text(({ tags }) => tagColumns(tags)[0]),
  marks: text(({ tags }) => tagColumns(tags)[1]),
  reason: text(({ reason }) => reason),
  code: int4(({ code }) => code),
  email_id: text(({ emailId }) => emailId),
  domain_id: text(({ domainId }) => domainId),
  created_at: int8(({ createdAt }) => createdAt),
})

/** In one order, so that no two transactions wait for each other. */
const ADD = `INSERT INTO suppressions (${PUT.names})
  SELECT * FROM ${PUT.as('t')} ORDER BY company, folded, type ON CONFLICT DO NOTHING RETURNING id`

const TAGS = `SELECT id, tags FROM suppressions
  WHERE company = $1 AND folded = $2 AND type = 'unsubscribe' AND tags IS NOT NULL FOR UPDATE`

/** Marked as new, so that nodes are notified. */
const SET_TAGS =
  'UPDATE suppressions SET tags = $2, marks = $3, added_by = pg_current_xact_id() WHERE id = $1'

const REMOVE = `DELETE FROM suppressions
  WHERE company = $1 AND folded = $4 AND type = ANY ($2::text[]) AND ($3::text IS NULL OR domain_id = $3) RETURNING 1`

const removeSome = (of: EntryOrigin) => `DELETE FROM suppressions WHERE id = ANY (ARRAY(
    SELECT s.id FROM unnest($2::text[]) AS t (type) CROSS JOIN LATERAL (
      SELECT id FROM suppressions s WHERE (s.company + 0) = $1 AND ${OF_TYPE[of]('t.type')} LIMIT $3
    ) AS s LIMIT $3
  )) RETURNING 1`

/**
 * The cursor is the oldest transaction that was still under way: it and later ones may commit after this, and their
 * rows are returned (again) with the next answer. Rows with the ids of future transactions came from another server,
 * whose ids were higher.
 */
const CURSOR = 'pg_snapshot_xmin(pg_current_snapshot())::text AS cursor'
const SINCE = `SELECT ${CURSOR}, c.id AS "companyId", s.address
  FROM (VALUES (1)) AS always
  LEFT JOIN (suppressions s JOIN companies c ON c.num = s.company)
    ON s.added_by >= $1::text::xid8 AND s.added_by < pg_snapshot_xmax(pg_current_snapshot())`

interface SinceRow {
  cursor: string
  companyId: string | null
  address: string | null
}

/** Addresses that a company's mail no longer goes to, as the operator and the nodes read them. */
export function suppressions(
  parts: StoreParts,
): Omit<SuppressionStore, 'allowedPage' | 'findAllowed' | 'addAllowed' | 'removeAllowed'> {
  const { database, companies, changes } = parts
  return {
    async listSuppressions(filter) {
      const { companyId, types = SUPPRESSION_TYPES, address, domainId, after, before, limit } = filter
      const company = await companies.filter(companyId)
      const none = [after, before].some((id) => id !== undefined && !isEmailId(id))
      if (company === undefined || none) return []
      if (address !== undefined) {
        const values = [foldedAscii(address), texts(types), company]
        return newestOf(await database.read<SuppressionRow>(OF_ADDRESS, values), filter)
      }
      const order = before === undefined ? 'DESC' : 'ASC'
      const origin = domainId === undefined ? 'any' : 'domain'
      const values = [texts(types), before ?? FIRST_ID, after ?? LAST_ID, domainId ?? null, limit, company]
      const rows = await database.read<SuppressionRow>(newest(order, origin), values)
      return newestOf(rows, filter)
    },

    async suppressedPage({ companyId, type, term = '', after = '', before, domainId, limit }) {
      const company = await companies.filter(companyId)
      if (company === undefined) return []
      const [begin, end, ...between] = boundsOf(term, after, before)
      const order = before === undefined ? 'ASC' : 'DESC'
      const origin = domainId === undefined ? 'any' : 'domain'
      const values = [company, type, begin, domainId ?? null, ...between, end, limit]
      const rows = await database.read<SuppressionRow>(byAddress(order, origin), values)
      return (before === undefined ? rows : rows.reverse()).map(suppressionOf)
    },

    async findSuppression(companyId, id) {
      if (!isEmailId(id)) return null
      const [row] = await database.read<SuppressionRow>(FOUND, [id])
      return row?.companyId === companyId ? suppressionOf(row) : null
    },

    async addSuppressions(list) {
      // Looked up together: each look-up alone would wait for a connection of its own.
      await companies.find(list.map(({ companyId }) => companyId))
      const numbers = await Promise.all(list.map(({ companyId }) => companies.number(companyId)))
      const all = list.map((each, index): SuppressionInsert => ({ ...each, company: numbers[index]! }))
      let added = new Set<string>()
      const put = async (session: DatabaseSession) => {
        const rows = await session.run<{ id: string }>(ADD, PUT.values(all))
        added = new Set(rows.map(({ id }) => id))
        const joined = await joinTags(
          session,
          all.filter(({ id, type }) => type === 'unsubscribe' && !added.has(id)),
        )
        return added.size > 0 || joined
      }
      await withNotice(parts, 'stops', put, undefined, numbers[0] ?? null)
      return list.map(({ id }) => added.has(id))
    },

    async removeSuppressions({ companyId, address, types = SUPPRESSION_TYPES, domainId }) {
      const company = await companies.filter(companyId)
      if (company === undefined) return 0
      const origin = domainId === undefined ? 'any' : 'domain'
      const of = domainId ?? null
      const removed =
        address === undefined
          ? await untilNone(() => database.write(removeSome(origin), [company, texts(types), CHUNK, of]))
          : (await database.write(REMOVE, [company, texts(types), of, foldedAscii(address)])).length
      if (removed > 0) changes.queueChanged()
      return removed
    },

    async removeUnsubscribedTag(companyId, address, tag) {
      const company = await companies.filter(companyId)
      if (company === undefined) return false
      const removed = await database.change(company ?? 0, async (session) => {
        const [row] = await session.run<{ id: string; tags: string }>(TAGS, [company, foldedAscii(address)])
        const rest = row === undefined ? undefined : withoutTag(listOf(row.tags), tag)
        if (row === undefined || rest === undefined) return false
        if (rest.length === 0) await session.run('DELETE FROM suppressions WHERE id = $1', [row.id])
        else await session.run(SET_TAGS, [row.id, ...tagColumns(rest)])
        return true
      })
      if (removed) changes.queueChanged()
      return removed
    },

    async suppressionsSince(cursor) {
      if (cursor === null) {
        const [row] = await database.read<{ cursor: string }>(`SELECT ${CURSOR}`)
        return { cursor: row!.cursor, added: [] }
      }
      const rows = await database.read<SinceRow>(SINCE, [cursor])
      const added = rows.flatMap(({ companyId, address }) =>
        companyId === null || address === null ? [] : [{ companyId, address }],
      )
      return { cursor: rows[0]!.cursor, added }
    },
  }
}

/** Adds further tags to existing unsubscriptions. True when one has changed. */
async function joinTags(session: DatabaseSession, list: readonly SuppressionInsert[]): Promise<boolean> {
  let joined = false
  const inOrder = list.toSorted(
    (a, b) => a.company - b.company || (foldedAscii(a.address) < foldedAscii(b.address) ? -1 : 1),
  )
  for (const { company, address, tags } of inOrder) {
    const [row] = await session.run<{ id: string; tags: string }>(TAGS, [company, foldedAscii(address)])
    const all = row === undefined ? undefined : joinedTags(listOf(row.tags), tags)
    if (row === undefined || all === undefined) continue
    await session.run(SET_TAGS, [row.id, ...tagColumns(all)])
    joined = true
  }
  return joined
}

function boundsOf(
  term: string,
  after: string,
  before: string | undefined,
): [begin: string, end: string, after: string, before: string] {
  const begin = foldedAscii(term)
  return [begin, begin + END, foldedAscii(after), before === undefined ? END : foldedAscii(before)]
}

async function untilNone(step: () => Promise<unknown[]>): Promise<number> {
  let sum = 0
  while (true) {
    const { length } = await step()
    sum += length
    if (length < CHUNK) return sum
  }
}
