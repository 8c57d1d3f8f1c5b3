import type { DatabaseSync } from 'node:sqlite'
import { type AllowEntry, SUPPRESSION_TYPES } from '../../../email/suppression.ts'
import type { SuppressionStore } from '../../store.ts'
import { newestOf, type SuppressionRow, suppressionOf } from '../../suppression-rows.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

const COLUMNS = `s.id, c.id AS companyId, s.address, s.type, s.tags, s.reason, s.code, s.email_id AS emailId,
  s.domain_id AS domainId, s.created_at AS createdAt`
const ALLOWED = 'c.id AS companyId, a.value, a.kind, a.reason, a.created_at AS createdAt'
/** Behind every address. */
const END = '\u{10ffff}'

type Reads = Direct<
  Extract<
    keyof SuppressionStore,
    'allowedPage' | 'findAllowed' | 'findSuppression' | 'listSuppressions' | 'suppressedPage'
  >
>

/** Addresses a company's mail no longer goes to. */
export function suppressions(db: DatabaseSync): Reads {
  const id = db.prepare('SELECT num FROM companies WHERE id = ?')
  const companies = db.prepare('SELECT num FROM companies')
  const ofType = (order: 'ASC' | 'DESC') =>
    db.prepare(
      `SELECT ${COLUMNS} FROM suppressions s INDEXED BY suppressions_newest CROSS JOIN companies c ON c.num = s.company
       WHERE s.company = ?1 AND s.type = ?2 AND s.id > ?3 AND s.id < ?4 AND (?5 IS NULL OR s.domain_id = ?5)
       ORDER BY s.id ${order} LIMIT ?6`,
    )
  const ofAll = (order: 'ASC' | 'DESC') =>
    db.prepare(
      `SELECT ${COLUMNS} FROM suppressions s CROSS JOIN companies c ON c.num = s.company
       WHERE s.id > ?1 AND s.id < ?2 AND instr(?3, s.type) > 0 AND (?4 IS NULL OR s.domain_id = ?4)
       ORDER BY s.id ${order} LIMIT ?5`,
    )
  const everywhere = { older: ofAll('DESC'), newer: ofAll('ASC') }
  const newest = { older: ofType('DESC'), newer: ofType('ASC') }
  const ofAddress = db.prepare(
    `SELECT ${COLUMNS} FROM suppressions s CROSS JOIN companies c ON c.num = s.company
     WHERE s.company = ? AND s.address = ?`,
  )
  const found = db.prepare(
    `SELECT ${COLUMNS} FROM suppressions s CROSS JOIN companies c ON c.num = s.company WHERE s.id = ?`,
  )
  const byAddress = (order: 'ASC' | 'DESC') =>
    db.prepare(
      `SELECT ${COLUMNS} FROM suppressions s INDEXED BY suppressions_by_address CROSS JOIN companies c ON c.num = s.company
       WHERE s.company = ?1 AND s.type = ?2 AND s.address >= ?3 AND s.address < ?4 AND s.address > ?5 AND s.address < ?6
         AND (?7 IS NULL OR s.domain_id = ?7)
       ORDER BY s.address ${order} LIMIT ?8`,
    )
  const addresses = { after: byAddress('ASC'), before: byAddress('DESC') }
  const byValue = (order: 'ASC' | 'DESC') =>
    db.prepare(
      `SELECT ${ALLOWED} FROM allowed a CROSS JOIN companies c ON c.num = a.company
       WHERE a.company = ?1 AND a.value >= ?2 AND a.value < ?3 AND a.value > ?4 AND a.value < ?5
       ORDER BY a.value ${order} LIMIT ?6`,
    )
  const values = { after: byValue('ASC'), before: byValue('DESC') }
  const allowed = db.prepare(
    `SELECT ${ALLOWED} FROM allowed a CROSS JOIN companies c ON c.num = a.company WHERE a.company = ? AND a.value = ?`,
  )
  const numberOf = (companyId: string) => one<{ num: number }>(id, companyId)?.num

  return {
    listSuppressions(filter) {
      const { companyId, types = SUPPRESSION_TYPES, address, domainId, after, before, limit } = filter
      const way = before === undefined ? 'older' : 'newer'
      const bounds = [before ?? '', after ?? END] as const
      if (address !== undefined) {
        const of =
          companyId === undefined ? all<{ num: number }>(companies) : [{ num: numberOf(companyId) ?? -1 }]
        const rows = of.flatMap(({ num }) => all<SuppressionRow>(ofAddress, num, address))
        return newestOf(
          rows.filter(({ type }) => types.includes(type)),
          filter,
        )
      }
      const of = domainId ?? null
      if (companyId === undefined) {
        const rows = all<SuppressionRow>(everywhere[way], ...bounds, types.join(), of, limit)
        return newestOf(rows, filter)
      }
      const num = numberOf(companyId) ?? -1
      const rows = types.flatMap((type) => all<SuppressionRow>(newest[way], num, type, ...bounds, of, limit))
      return newestOf(rows, filter)
    },

    suppressedPage({ companyId, type, term = '', after = '', before, domainId, limit }) {
      const num = numberOf(companyId)
      if (num === undefined) return []
      const bounds = [term, term + END, after, before ?? END] as const
      const statement = before === undefined ? addresses.after : addresses.before
      const rows = all<SuppressionRow>(statement, num, type, ...bounds, domainId ?? null, limit)
      return (before === undefined ? rows : rows.reverse()).map(suppressionOf)
    },

    findSuppression(companyId, id) {
      const row = one<SuppressionRow>(found, id)
      return row?.companyId === companyId ? suppressionOf(row) : null
    },

    allowedPage({ companyId, term = '', after = '', before, limit }) {
      const num = numberOf(companyId)
      if (num === undefined) return []
      const bounds = [term, term + END, after, before ?? END] as const
      const rows = all<AllowEntry>(before === undefined ? values.after : values.before, num, ...bounds, limit)
      return before === undefined ? rows : rows.reverse()
    },

    findAllowed: (companyId, value) => one<AllowEntry>(allowed, numberOf(companyId) ?? -1, value) ?? null,
  }
}
