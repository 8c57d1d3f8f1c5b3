/** Emails in the order of acceptance. */
import { isEmailId } from '../../email/email-id.ts'
import { fieldsOf } from '../../email/fields.ts'
import { LAST_EVENT, selected } from '../email-columns.ts'
import { type SummaryRow, summaryOf } from '../email-rows.ts'
import type { Operations, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'

const PLACE = { postgres: 'seq', sqlite: 'num' }
/** Older than the email $2, or than its place in the order, when it is gone: ids are UUIDv7. */
function older(place: string): string {
  const end = `SELECT CASE WHEN b.id = $2 THEN b.${place} ELSE b.${place} + 1 END
    FROM emails b WHERE b.id <= $2 ORDER BY b.id DESC LIMIT 1`
  return `e.${place} < CASE WHEN $2::uuid IS NULL THEN ${Number.MAX_SAFE_INTEGER} ELSE (${end}) END`
}

const PLACE_OF = statement<{ id: string; place: number }>(
  ({ engine }) => `SELECT id, ${PLACE[engine]} AS place FROM emails WHERE id <= $1 ORDER BY id DESC LIMIT 1`,
  'email-place',
)
const SUMMARY = ({ engine }: Dialect) =>
  `SELECT ${selected(fieldsOf('list'), () => 'e')}, ${LAST_EVENT[engine]} AS "lastEvent"`
const OF_COMPANY = statement<SummaryRow>((dialect) => {
  const place = PLACE[dialect.engine]
  return `${SUMMARY(dialect)} FROM emails e CROSS JOIN companies c
    WHERE c.num = e.company AND e.company = $3 AND ${older(place)} ORDER BY e.${place} DESC LIMIT $1`
})
/**
 * PostgreSQL has an index only for each company's order, so this takes the newest emails of each company, and of these
 * the newest.
 */
const OF_ALL = statement<SummaryRow>((dialect) => {
  const place = PLACE[dialect.engine]
  const inOrder = (of: string) => `ORDER BY ${of}.${place} DESC`
  return dialect.engine === 'postgres'
    ? `${SUMMARY(dialect)} FROM (
        SELECT newest.* FROM companies o CROSS JOIN LATERAL (
          SELECT e.* FROM emails e WHERE e.company = o.num AND ${older(place)} ${inOrder('e')} LIMIT $1
        ) newest ${inOrder('newest')} LIMIT $1
      ) e JOIN companies c ON c.num = e.company ${inOrder('e')}`
    : `${SUMMARY(dialect)} FROM emails e CROSS JOIN companies c
      WHERE c.num = e.company AND ${older(place)} ${inOrder('e')} LIMIT $1`
})

export const emailOrderReads = {
  *emailPlace(port, id) {
    if (!isEmailId(id)) return 0
    const last = yield* port.read.one(PLACE_OF, id)
    if (last === undefined) return 0.5
    return last.id === id ? last.place : last.place + 0.5
  },

  /** Newest first. `before` need not exist any more: the list goes on with older emails. */
  *listEmails(port, { companyId, before = null, limit }) {
    if (before !== null && !isEmailId(before)) return []
    const company = companyId === undefined ? null : yield* port.findCompany(companyId)
    if (company === undefined) return []
    const rows =
      company === null
        ? yield* port.read.all(OF_ALL, limit, before)
        : yield* port.read.all(OF_COMPANY, limit, before, company)
    return rows.map(summaryOf)
  },
} satisfies Operations<ReadPort>
