/** Addresses and domains that bounces do not suppress. */
import { foldedAscii } from '../../email/folded-ascii.ts'
import type { AllowEntry } from '../../email/suppression.ts'
import { boundsOf, foldedColumn } from './address-order.ts'
import { companyNumber } from './companies.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'

/** Entries removed in one step, so that a long list does not hold up commits. */
const CHUNK = 500

const key = (dialect: Dialect) => foldedColumn(dialect, 'value')

const SELECT = `SELECT c.id AS "companyId", a.value, a.kind, a.reason, a.created_at AS "createdAt"
  FROM allowed a CROSS JOIN companies c WHERE c.num = a.company AND a.company = $1`
const FIND = statement<AllowEntry>((dialect) => `${SELECT} AND a.${key(dialect)} = $2`)
const page = (order: 'ASC' | 'DESC') =>
  statement<AllowEntry>((dialect) => {
    const value = `a.${key(dialect)}`
    return `${SELECT} AND ${value} >= $2 AND ${value} < $3 AND ${value} <> $4 ORDER BY ${value} ${order} LIMIT $5`
  })
const PAGE = { after: page('ASC'), before: page('DESC') }

const ADD = statement(({ engine, folded }) =>
  engine === 'postgres'
    ? `INSERT INTO allowed (company, folded, value, kind, reason, created_at)
      VALUES ($1, ${folded('$2::text')}, $2, $3, $4, $5) ON CONFLICT DO NOTHING`
    : `INSERT INTO allowed (company, value, kind, reason, created_at)
      VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
)
const REMOVE = statement((dialect) => `DELETE FROM allowed WHERE company = $1 AND ${key(dialect)} = $2`)
const REMOVE_SOME = statement(
  (dialect) => `DELETE FROM allowed WHERE company = $1 AND ${key(dialect)} IN (
    SELECT ${key(dialect)} FROM allowed WHERE company = $1 LIMIT ${CHUNK})`,
)

export const allowListReads = {
  *allowedPage(port, { companyId, term = '', after = '', before, limit }) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return []
    const rows = yield* port.read.all(
      before === undefined ? PAGE.after : PAGE.before,
      company,
      ...boundsOf(term, after, before),
      limit,
    )
    return before === undefined ? rows : rows.reverse()
  },

  *findAllowed(port, companyId, value) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return null
    return (yield* port.read.one(FIND, company, foldedAscii(value))) ?? null
  },
} satisfies Operations<ReadPort>

export const allowListWrites = {
  *addAllowed(port, list) {
    const numbers: number[] = []
    for (const { companyId } of list) numbers.push(yield* companyNumber(port, companyId))
    // In one order, so that no two transactions wait for each other.
    const order = [...list.keys()].sort((a, b) =>
      foldedAscii(list[a]!.value) < foldedAscii(list[b]!.value) ? -1 : 1,
    )
    return yield* port.change(numbers[0] ?? 0, function* (db) {
      const added = list.map(() => false)
      for (const index of order) {
        const { value, kind, reason, createdAt } = list[index]!
        const inserted = yield* db.run(ADD, numbers[index]!, value, kind, reason, Math.round(createdAt))
        added[index] = inserted > 0
      }
      return added
    })
  },
} satisfies Operations<Port>

export const allowListSteps = {
  *removeAllowed(port, { companyId, value }) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return 0
    return value === undefined
      ? yield* port.write.run(REMOVE_SOME, company)
      : yield* port.write.run(REMOVE, company, foldedAscii(value))
  },
} satisfies Operations<Port>
