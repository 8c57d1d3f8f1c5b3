/** Addresses that a company's mail no longer goes to, as the operator and the nodes read them. */
import { isEmailId } from '../../email/email-id.ts'
import { foldedAscii } from '../../email/folded-ascii.ts'
import {
  joinedTags,
  SUPPRESSION_TYPES,
  type Suppression,
  TAGGED_TYPES,
  withoutTag,
} from '../../email/suppression.ts'
import { listOf } from '../json-columns.ts'
import { StoreConflict } from '../store.ts'
import { mayHaveTags, newestOf, type SuppressionRow, suppressionOf, tagColumns } from '../suppression-rows.ts'
import type { SuppressionsBatch } from '../suppression-store.ts'
import { boundsOf, foldedColumn, wholePage } from './address-order.ts'
import { companyNumber } from './companies.ts'
import type { Operations, Port, PortSteps, PortTransaction, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'
import { unlessDuplicate } from './unique.ts'

/** Suppressions removed in one step, so that a long list does not hold up commits. */
const CHUNK = 500
/** Tries to move entries to a list that grows at the same time. */
const MAX_TRIES = 10
/** Sort before and after every id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const SELECT = `SELECT s.id, (SELECT c.id FROM companies c WHERE c.num = s.company) AS "companyId", s.address, s.type, s.tags,
  s.reason, s.code, s.email_id AS "emailId", nullif(s.domain_id, '') AS "domainId", s.created_at AS "createdAt"`
const addressOf = (dialect: Dialect) => `s.${foldedColumn(dialect, 'address')}`

type ListOrder = 'newest' | 'by_address'
type Direction = 'ASC' | 'DESC'
/** The list of one sending domain, or all lists. */
type Origin = 'domain' | 'any'

/**
 * The suppressions of a company and a type on the list of a domain (`any`, with $3 NULL: on any list), through the
 * index of an order. PostgreSQL chooses an index by its exact expressions, SQLite by its name.
 */
function fromList(
  { engine }: Dialect,
  order: ListOrder,
  origin: Origin,
  company = '$1',
  type = '$2::text',
  domain = '$3::text',
): string {
  const any = origin === 'any'
  if (engine === 'sqlite') {
    return `FROM suppressions s INDEXED BY suppressions_${order}${any ? '' : '_of_domain'}
      WHERE s.company = ${company} AND s.type = ${type} AND ${any ? '$3 IS NULL' : `s.domain_id = ${domain} AND s.domain_id <> ''`}`
  }
  const ofType = any
    ? `s.type = ${type} AND $3::text IS NULL`
    : `(s.type || ' ' || s.domain_id) = ${type} || ' ' || ${domain} AND s.domain_id <> ''`
  return `FROM suppressions s WHERE (s.company ${order === 'newest' ? '+' : '-'} 0) = ${company} AND ${ofType}`
}

/** From $4 on, below $5, and without $6. */
function within(dialect: Dialect, order: ListOrder, direction: Direction): string {
  const octets = (id: string) => (dialect.engine === 'postgres' ? `uuid_send(${id})` : id)
  const [key, bound] =
    order === 'newest'
      ? [octets('s.id'), (id: string) => octets(`${id}::uuid`)]
      : [addressOf(dialect), (address: string) => address]
  return `${key} >= ${bound('$4')} AND ${key} < ${bound('$5')} AND ${key} <> ${bound('$6')} ORDER BY ${key} ${direction}`
}

const page = (order: ListOrder, direction: Direction, origin: Origin) =>
  statement<SuppressionRow>(
    (dialect) =>
      `${SELECT} ${fromList(dialect, order, origin)} AND ${within(dialect, order, direction)} LIMIT $7`,
  )

/** The newest (or oldest) of all companies and the types $1, at least $2 of them. */
const everywhere = (direction: Direction, origin: Origin) =>
  statement<SuppressionRow>((dialect) => {
    const { engine, texts } = dialect
    const inOrder = `${within(dialect, 'newest', direction)} LIMIT $2`
    return engine === 'postgres'
      ? `${SELECT} FROM companies o CROSS JOIN (${texts('$1')}) AS t (type) CROSS JOIN LATERAL (
          SELECT * ${fromList(dialect, 'newest', origin, 'o.num', 't.type')} AND ${inOrder}) AS s`
      : `${SELECT} FROM suppressions s
          WHERE s.type IN (${texts('$1')}) AND ($3 IS NULL OR s.domain_id = $3) AND ${inOrder}`
  })

function bothWays<T>(list: (direction: Direction, origin: Origin) => T) {
  const of = (direction: Direction) => ({ any: list(direction, 'any'), domain: list(direction, 'domain') })
  return { ASC: of('ASC'), DESC: of('DESC') }
}
const NEWEST = bothWays((direction, origin) => page('newest', direction, origin))
const NEWEST_EVERYWHERE = bothWays(everywhere)
const BY_ADDRESS = bothWays((direction, origin) => page('by_address', direction, origin))

const count = (origin: Origin) =>
  statement<{ count: number }>((dialect) => {
    const some = `SELECT s.id ${fromList(dialect, 'by_address', origin)} AND ${within(dialect, 'by_address', 'ASC')} LIMIT $7`
    return `SELECT CAST(count(*) AS INTEGER) AS count FROM (${some}) AS entries`
  })
const COUNT = { any: count('any'), domain: count('domain') }

/** All suppressions of an address. */
const OF_ADDRESS = statement<SuppressionRow>(
  (dialect) => `${SELECT} FROM suppressions s WHERE s.company = $1 AND ${addressOf(dialect)} = $2`,
)
/** Looked up in the index, company by company. */
const OF_ADDRESS_EVERYWHERE = statement<SuppressionRow>((dialect) =>
  dialect.engine === 'postgres'
    ? `${SELECT} FROM companies o CROSS JOIN LATERAL (
        SELECT * FROM suppressions s WHERE s.company = o.num AND ${addressOf(dialect)} = $1 OFFSET 0) AS s`
    : `${SELECT} FROM companies o CROSS JOIN suppressions s WHERE s.company = o.num AND ${addressOf(dialect)} = $1`,
)
const FOUND = statement<SuppressionRow>(`${SELECT} FROM suppressions s WHERE s.id = $1`)

/**
 * The column by which nodes find new suppressions, and its value. In SQLite the notice raises the counter afterwards.
 */
const addition = ({ engine }: Dialect) =>
  engine === 'postgres'
    ? { column: 'added_by', value: 'pg_current_xact_id()' }
    : { column: 'seq', value: "(SELECT value + 1 FROM counters WHERE name = 'suppressions')" }

const ADD = statement<{ id: string }>((dialect) => {
  const { engine, rows, folded } = dialect
  const { column, value } = addition(dialect)
  const [foldedName, foldedValue] = engine === 'postgres' ? ['folded,', `${folded('address')},`] : ['', '']
  const given = rows('$1', {
    id: 'uuid',
    company: 'integer',
    address: 'text',
    type: 'text',
    tags: 'text',
    marks: 'text',
    reason: 'text',
    code: 'integer',
    email_id: 'text',
    domain_id: 'text',
    created_at: 'bigint',
  })
  return `INSERT INTO suppressions
      (${foldedName} id, company, address, type, tags, marks, reason, code, email_id, domain_id, created_at, ${column})
    SELECT ${foldedValue} id, company, address, type, tags, marks, reason, code, email_id, domain_id, created_at, ${value}
    FROM ${given} WHERE true ON CONFLICT DO NOTHING RETURNING id`
})
const TAGS = statement<{ id: string; tags: string }>(
  (dialect) => `SELECT s.id, s.tags FROM suppressions s
    WHERE s.company = $1 AND ${addressOf(dialect)} = $2 AND ${mayHaveTags('s.type')} AND s.tags IS NOT NULL
      AND ($3::text IS NULL OR s.domain_id = $3) FOR UPDATE`,
)
const ADD_TAGS = statement((dialect) => {
  const { column, value } = addition(dialect)
  return `UPDATE suppressions SET tags = $2, marks = $3, ${column} = ${value} WHERE id = $1`
})
const SET_TAGS = statement('UPDATE suppressions SET tags = $2, marks = $3 WHERE id = $1')

const REMOVE = statement('DELETE FROM suppressions WHERE id = $1')
const REMOVE_OWN = statement<AddressRow>(
  'DELETE FROM suppressions WHERE id = $1 AND company = $2 RETURNING address',
)
/** Reports of full mailboxes of these addresses (folded), which counted towards a suppression. */
const FORGET_FULL = statement(
  (dialect) => `DELETE FROM full_mailboxes
    WHERE company = $1 AND ${foldedColumn(dialect, 'address')} IN (${dialect.texts('$2')})`,
)
const REMOVE_ADDRESS = statement<AddressRow>(
  (dialect) => `DELETE FROM suppressions WHERE company = $1 AND ${foldedColumn(dialect, 'address')} = $2
    AND type IN (${dialect.texts('$3')}) AND ($4::text IS NULL OR domain_id = $4) RETURNING address`,
)
const removeSome = (origin: Origin) =>
  statement<AddressRow>((dialect) => {
    const some = `SELECT s.id ${fromList(dialect, 'newest', origin)} LIMIT $4`
    return `DELETE FROM suppressions WHERE id ${dialect.engine === 'postgres' ? `= ANY (ARRAY(${some}))` : `IN (${some})`} RETURNING address`
  })
const REMOVE_SOME = { any: removeSome('any'), domain: removeSome('domain') }

/** A removed domain, and the one that its company added in its place. */
interface Inheritance {
  id: string
  company: number
  heir: string
}
/** Removed domains of the same company with the name of a domain. */
const PREDECESSORS = statement<Inheritance>(
  `SELECT r.id, r.company, d.id AS heir FROM domains d CROSS JOIN removed_domains r
    WHERE d.id = $1 AND r.company = d.company AND r.name = d.name ORDER BY r.removed_at DESC`,
)
/** A removed domain whose lists did not move, because the service stopped first. */
const LEFT_BEHIND = statement<Inheritance>((dialect) => {
  const some = SUPPRESSION_TYPES.map(
    (type) => `EXISTS (SELECT 1 ${fromList(dialect, 'newest', 'domain', 'r.company', `'${type}'`, 'r.id')})`,
  )
  return `SELECT r.id, r.company, d.id AS heir FROM removed_domains r CROSS JOIN domains d
    WHERE d.company = r.company AND d.name = r.name AND (${some.join(' OR ')}) LIMIT 1`
})
const SUCCESSOR = statement<{ id: string }>(
  `SELECT d.id FROM removed_domains r CROSS JOIN domains d
    WHERE r.id = $1 AND d.company = r.company AND d.name = r.name`,
)
const SOME_OF_DOMAIN = statement<{ id: string }>(
  (dialect) => `SELECT s.id ${fromList(dialect, 'newest', 'domain')} LIMIT $4`,
)
/**
 * Those of the suppressions $1 (`o`) that the list of the domain $2 already has (`s`). Another node may have moved some
 * of them meanwhile: these are not doubled.
 */
const doubled = (dialect: Dialect) =>
  `FROM (${dialect.texts('$1')}) AS t CROSS JOIN suppressions o CROSS JOIN suppressions s
    WHERE o.id = ${uuid(dialect, 't.value')} AND o.domain_id <> $2 AND s.company = o.company
      AND s.${foldedColumn(dialect, 'address')} = o.${foldedColumn(dialect, 'address')}
      AND s.type = o.type AND s.domain_id = $2`
const DOUBLED_TAGS = statement<{ id: string; tags: string; more: string | null }>(
  (dialect) =>
    `SELECT s.id, s.tags, o.tags AS more ${doubled(dialect)} AND s.tags IS NOT NULL FOR UPDATE OF s`,
)
const REMOVE_DOUBLED = statement(
  (dialect) => `DELETE FROM suppressions WHERE id IN (SELECT o.id ${doubled(dialect)})`,
)
const MOVE = statement((dialect) => {
  const { column, value } = addition(dialect)
  return `UPDATE suppressions SET domain_id = $2, ${column} = ${value}
    WHERE id IN (SELECT ${uuid(dialect, 'value')} FROM (${dialect.texts('$1')}) AS t)`
})
function uuid({ engine }: Dialect, text: string): string {
  return engine === 'postgres' ? `${text}::uuid` : text
}

/**
 * The cursor is the oldest transaction that was still under way: it and later ones may commit after this, and their
 * rows are returned (again) with the next answer. SQLite has one writer, and a number for each addition.
 */
const CURSOR = statement<{ cursor: string }>(({ engine }) =>
  engine === 'postgres'
    ? 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS cursor'
    : "SELECT CAST(value AS TEXT) AS cursor FROM counters WHERE name = 'suppressions'",
)
/** Rows with the ids of future transactions came from another server, whose ids were higher. */
const SINCE = statement<SuppressionsBatch['added'][number]>(({ engine }) => {
  const [index, since] =
    engine === 'postgres'
      ? ['', 's.added_by >= $1::text::xid8 AND s.added_by < pg_snapshot_xmax(pg_current_snapshot())']
      : ['INDEXED BY suppressions_by_seq', 's.seq > CAST($1 AS INTEGER)']
  return `SELECT c.id AS "companyId", s.address FROM suppressions s ${index} CROSS JOIN companies c
    WHERE c.num = s.company AND ${since}`
})

interface AddressRow {
  address: string
}

interface NumberedSuppression extends Suppression {
  company: number
}

export const suppressionReads = {
  *listSuppressions(port, filter) {
    const { companyId, types = SUPPRESSION_TYPES, address, domainId = null, after, before, limit } = filter
    const company = companyId === undefined ? null : yield* port.findCompany(companyId)
    const unknown = [after, before].some((id) => id !== undefined && !isEmailId(id))
    if (company === undefined || unknown) return []
    if (address !== undefined) {
      const folded = foldedAscii(address)
      const rows =
        company === null
          ? yield* port.read.all(OF_ADDRESS_EVERYWHERE, folded)
          : yield* port.read.all(OF_ADDRESS, company, folded)
      const wanted = rows.filter(({ type }) => types.includes(type))
      return newestOf(wanted, filter)
    }
    const direction = before === undefined ? 'DESC' : 'ASC'
    const origin = domainId === null ? 'any' : 'domain'
    const bounds = [before ?? FIRST_ID, after ?? LAST_ID, before ?? FIRST_ID] as const
    if (company === null) {
      const list = NEWEST_EVERYWHERE[direction][origin]
      return newestOf(yield* port.read.all(list, types, limit, domainId, ...bounds), filter)
    }
    const rows: SuppressionRow[] = []
    const list = NEWEST[direction][origin]
    for (const type of types) {
      rows.push(...(yield* port.read.all(list, company, type, domainId, ...bounds, limit)))
    }
    return newestOf(rows, filter)
  },

  *suppressedPage(port, { companyId, type, term = '', after = '', before, domainId = null, limit }) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return []
    const list = BY_ADDRESS[before === undefined ? 'ASC' : 'DESC'][domainId === null ? 'any' : 'domain']
    const bounds = boundsOf(term, after, before)
    const found = yield* port.read.all(list, company, type, domainId, ...bounds, limit)
    const whole = {
      address: (row: SuppressionRow) => row.address,
      key: ({ id }: SuppressionRow) => id,
      *all(address: string) {
        const rows = yield* port.read.all(OF_ADDRESS, company, address)
        return rows.filter((row) => row.type === type)
      },
    }
    const rows = domainId === null ? yield* wholePage(found, limit, whole) : found
    return (before === undefined ? rows : rows.reverse()).map(suppressionOf)
  },

  *countSuppressions(port, { companyId, types, term = '', domainId = null, most }) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return 0
    const statement = COUNT[domainId === null ? 'any' : 'domain']
    const bounds = boundsOf(term, '', undefined)
    let counted = 0
    for (const type of types) {
      if (counted >= most) break
      const row = yield* port.read.one(statement, company, type, domainId, ...bounds, most - counted)
      counted += row!.count
    }
    return counted
  },

  *findSuppression(port, companyId, id) {
    if (!isEmailId(id)) return null
    const row = yield* port.read.one(FOUND, id)
    return row?.companyId === companyId ? suppressionOf(row) : null
  },

  *successorOf(port, domainId) {
    return (yield* port.read.one(SUCCESSOR, domainId))?.id ?? domainId
  },

  *suppressionsSince(port, cursor) {
    // Read first: rows that come in between are returned again.
    const next = (yield* port.read.one(CURSOR))!.cursor
    return { cursor: next, added: cursor === null ? [] : yield* port.read.all(SINCE, cursor) }
  },
} satisfies Operations<ReadPort>

export const suppressionWrites = {
  *addSuppressions(port, list) {
    const all: NumberedSuppression[] = []
    for (const each of list) all.push({ ...each, company: yield* companyNumber(port, each.companyId) })
    const company = all[0]?.company
    // In one order, so that no two transactions wait for each other.
    all.sort((a, b) => a.company - b.company || (keyOf(a) < keyOf(b) ? -1 : 1))
    const rows = all.map(({ companyId: _, tags, emailId, domainId, createdAt, ...row }) => {
      const [listedTags, marks] = tagColumns(tags)
      const origin = { email_id: emailId, domain_id: domainId ?? '', created_at: Math.round(createdAt) }
      return { ...row, tags: listedTags, marks, ...origin }
    })
    let added = new Set<string>()
    const add = function* (db: PortTransaction) {
      added = new Set((yield* db.all(ADD, rows)).map(({ id }) => id))
      let joined = false
      for (const each of all) {
        if (!TAGGED_TYPES.includes(each.type) || added.has(each.id)) continue
        if (yield* joinTags(db, each)) joined = true
      }
      return added.size > 0 || joined
    }
    yield* port.notice('stops', add, { company })
    return list.map(({ id }) => added.has(id))
  },

  *removeSuppression(port, companyId, id) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined || !isEmailId(id)) return false
    const removed = yield* port.write.all(REMOVE_OWN, id, company)
    yield* afterRemoval(port, company, removed)
    return removed.length > 0
  },

  *removeUnsubscribedTag(port, companyId, domainId, address, tag) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return false
    const removed = yield* port.change(company, function* (db) {
      let changed = false
      for (const row of yield* db.all(TAGS, company, foldedAscii(address), domainId)) {
        const rest = withoutTag(listOf(row.tags), tag)
        if (rest === undefined) continue
        if (rest.length === 0) yield* db.run(REMOVE, row.id)
        else yield* db.run(SET_TAGS, row.id, ...tagColumns(rest))
        changed = true
      }
      return changed
    })
    if (removed) port.changed('queue')
    return removed
  },
} satisfies Operations<Port>

export const suppressionSteps = {
  *removeSuppressions(port, { companyId, address, types = SUPPRESSION_TYPES, domainId = null }) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return 0
    const removed: AddressRow[] = []
    if (address !== undefined) {
      removed.push(...(yield* port.write.all(REMOVE_ADDRESS, company, foldedAscii(address), types, domainId)))
    } else {
      const some = REMOVE_SOME[domainId === null ? 'any' : 'domain']
      for (const type of types) {
        const room = CHUNK - removed.length
        if (room > 0) removed.push(...(yield* port.write.all(some, company, type, domainId, room)))
      }
    }
    yield* afterRemoval(port, company, removed)
    return removed.length
  },

  *inheritSuppressions(port, domainId) {
    const all =
      domainId === null ? yield* port.read.all(LEFT_BEHIND) : yield* port.read.all(PREDECESSORS, domainId)
    for (const { id, company, heir } of all) {
      for (const type of SUPPRESSION_TYPES) {
        const some = yield* port.read.all(SOME_OF_DOMAIN, company, type, id, CHUNK)
        if (some.length === 0) continue
        const ids = some.map((row) => row.id)
        const move = function* (db: PortTransaction) {
          for (const { id, tags, more } of yield* db.all(DOUBLED_TAGS, ids, heir)) {
            const joined = joinedTags(listOf(tags), more === null ? null : listOf(more))
            if (joined !== undefined) yield* db.run(ADD_TAGS, id, ...tagColumns(joined))
          }
          yield* db.run(REMOVE_DOUBLED, ids, heir)
          yield* unlessDuplicate(db, 'The list has grown meanwhile', () => db.run(MOVE, ids, heir))
          return true
        }
        for (let tries = 1; ; tries++) {
          try {
            yield* port.notice('stops', move, { company })
            return some.length
          } catch (error) {
            // Another transaction has added one of the addresses to the heir's list: the next try joins the entries.
            if (tries === MAX_TRIES || !(error instanceof StoreConflict)) throw error
          }
        }
      }
    }
    return 0
  },
} satisfies Operations<Port>

/** Mail goes to the addresses again, and what led to the entries is forgotten. */
function* afterRemoval(port: Port, company: number, removed: readonly AddressRow[]): PortSteps<void> {
  if (removed.length === 0) return
  yield* port.write.run(
    FORGET_FULL,
    company,
    removed.map(({ address }) => foldedAscii(address)),
  )
  port.changed('queue')
}

/** Adds further tags to an existing unsubscription. True when it has changed. */
function* joinTags(
  db: PortTransaction,
  { company, address, domainId, tags }: NumberedSuppression,
): PortSteps<boolean> {
  const row = yield* db.one(TAGS, company, foldedAscii(address), domainId ?? '')
  const joined = row === undefined ? undefined : joinedTags(listOf(row.tags), tags)
  if (row === undefined || joined === undefined) return false
  yield* db.run(ADD_TAGS, row.id, ...tagColumns(joined))
  return true
}

function keyOf({ address, type, domainId }: Suppression): string {
  return `${foldedAscii(address)} ${type} ${domainId ?? ''}`
}
