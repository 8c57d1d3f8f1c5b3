/** Addresses and domains that bounces do not suppress. */
import { foldedAscii } from '../../email/folded-ascii.ts'
import type { AllowEntry } from '../../email/suppression.ts'
import { boundsOf, foldedColumn, wholePage } from './address-order.ts'
import { companyNumber } from './companies.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'

/** Entries removed in one step, so that a long list does not hold up commits. */
const CHUNK = 500

const key = (dialect: Dialect) => foldedColumn(dialect, 'value')

/** The list of one sending domain, or all lists. */
type Origin = 'domain' | 'any'

const COLUMNS = `c.id AS "companyId", nullif(a.domain_id, '') AS "domainId", a.value, a.kind, a.reason, a.created_at AS "createdAt"`
/** Entries of the company $1 on the list of the domain $2 (NULL: on any list), through the index of that list. */
function fromList({ engine }: Dialect, origin: Origin): string {
  const [index, company] =
    engine === 'postgres'
      ? ['', origin === 'any' ? 'a.company' : '(a.company - 0)']
      : [origin === 'any' ? '' : 'INDEXED BY allowed_of_domain', 'a.company']
  const list = origin === 'any' ? '$2::text IS NULL' : "a.domain_id = $2 AND a.domain_id <> ''"
  return `FROM allowed a ${index} CROSS JOIN companies c WHERE c.num = a.company AND ${company} = $1 AND ${list}`
}
const FIND = statement<AllowEntry>(
  (
    dialect,
  ) => `SELECT ${COLUMNS} FROM allowed a CROSS JOIN companies c WHERE c.num = a.company AND a.company = $1
    AND a.${key(dialect)} = $3 AND ($2::text IS NULL OR a.domain_id = $2) ORDER BY a.domain_id LIMIT 1`,
)
const OF_VALUE = statement<AllowEntry>(
  (dialect) => `SELECT ${COLUMNS} FROM allowed a CROSS JOIN companies c
    WHERE c.num = a.company AND a.company = $1 AND a.${key(dialect)} = $2`,
)
const page = (order: 'ASC' | 'DESC', origin: Origin) =>
  statement<AllowEntry>((dialect) => {
    const value = `a.${key(dialect)}`
    return `SELECT ${COLUMNS} ${fromList(dialect, origin)}
      AND ${value} >= $3 AND ${value} < $4 AND ${value} <> $5 ORDER BY ${value} ${order} LIMIT $6`
  })
const pages = (order: 'ASC' | 'DESC') => ({ any: page(order, 'any'), domain: page(order, 'domain') })
const PAGE = { after: pages('ASC'), before: pages('DESC') }

const ADD = statement(({ engine, folded }) =>
  engine === 'postgres'
    ? `INSERT INTO allowed (company, folded, value, domain_id, kind, reason, created_at)
      VALUES ($1, ${folded('$2::text')}, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`
    : `INSERT INTO allowed (company, value, domain_id, kind, reason, created_at)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
)
const REMOVE = statement(
  (dialect) => `DELETE FROM allowed
    WHERE company = $1 AND ($2::text IS NULL OR domain_id = $2) AND ${key(dialect)} = $3`,
)
const removeSome = (origin: Origin) =>
  statement(
    (dialect) => `DELETE FROM allowed WHERE company = $1 AND (${key(dialect)}, domain_id) IN (
      SELECT a.${key(dialect)}, a.domain_id ${fromList(dialect, origin)} LIMIT ${CHUNK})`,
  )
const REMOVE_SOME = { any: removeSome('any'), domain: removeSome('domain') }

export const allowListReads = {
  *allowedPage(port, { companyId, domainId = null, term = '', after = '', before, limit }) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return []
    const pages = before === undefined ? PAGE.after : PAGE.before
    const list = pages[domainId === null ? 'any' : 'domain']
    const found = yield* port.read.all(list, company, domainId, ...boundsOf(term, after, before), limit)
    const whole = {
      address: ({ value }: AllowEntry) => value,
      key: keyOf,
      all: (value: string) => port.read.all(OF_VALUE, company, value),
    }
    const rows = domainId === null ? yield* wholePage(found, limit, whole) : found
    return before === undefined ? rows : rows.reverse()
  },

  *findAllowed(port, companyId, domainId, value) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return null
    return (yield* port.read.one(FIND, company, domainId, foldedAscii(value))) ?? null
  },
} satisfies Operations<ReadPort>

export const allowListWrites = {
  *addAllowed(port, list) {
    const numbers: number[] = []
    for (const { companyId } of list) numbers.push(yield* companyNumber(port, companyId))
    // In one order, so that no two transactions wait for each other.
    const order = [...list.keys()].sort((a, b) => (keyOf(list[a]!) < keyOf(list[b]!) ? -1 : 1))
    return yield* port.change(numbers[0] ?? 0, function* (db) {
      const added = list.map(() => false)
      for (const index of order) {
        const { value, domainId, kind, reason, createdAt } = list[index]!
        const values = [value, domainId ?? '', kind, reason, Math.round(createdAt)] as const
        added[index] = (yield* db.run(ADD, numbers[index]!, ...values)) > 0
      }
      return added
    })
  },
} satisfies Operations<Port>

export const allowListSteps = {
  *removeAllowed(port, { companyId, domainId, value }) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return 0
    const list = domainId === undefined ? null : (domainId ?? '')
    return value === undefined
      ? yield* port.write.run(REMOVE_SOME[list === null ? 'any' : 'domain'], company, list)
      : yield* port.write.run(REMOVE, company, list, foldedAscii(value))
  },
} satisfies Operations<Port>

function keyOf({ value, domainId }: AllowEntry): string {
  return `${foldedAscii(value)} ${domainId ?? ''}`
}
