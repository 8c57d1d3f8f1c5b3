import type { DatabaseSync } from 'node:sqlite'
import { SUPPRESSION_TYPES } from '../../../email/suppression.ts'
import { boundsOf } from '../../cold/address-order.ts'
import type { SuppressionStore } from '../../store.ts'
import { newestOf, type SuppressionRow, suppressionOf } from '../../suppression-rows.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

const COLUMNS = `s.id, c.id AS companyId, s.address, s.type, s.tags, s.reason, s.code, s.email_id AS emailId,
  s.domain_id AS domainId, s.created_at AS createdAt`
/** Sorts after every address. */
const END = '\u{10ffff}'

type ListOrder = 'ASC' | 'DESC'

type SuppressionReads = Direct<
  Extract<keyof SuppressionStore, 'findSuppression' | 'listSuppressions' | 'suppressedPage'>
>

/** Addresses that a company's mail no longer goes to. */
export function suppressions(db: DatabaseSync): SuppressionReads {
  const id = db.prepare('SELECT num FROM companies WHERE id = ?')
  const companies = db.prepare('SELECT num FROM companies')
  /** `of`: suppressions that came from one domain, or all (the parameter is null). */
  const ofType = (order: ListOrder, of: 'domain' | 'any') =>
    db.prepare(
      `SELECT ${COLUMNS} FROM suppressions s INDEXED BY ${of === 'any' ? 'suppressions_newest' : 'suppressions_newest_of_domain'}
         CROSS JOIN companies c ON c.num = s.company
       WHERE s.company = ?1 AND s.type = ?2 AND s.id > ?3 AND s.id < ?4 AND ${of === 'any' ? '?5 IS NULL' : 's.domain_id = ?5'}
       ORDER BY s.id ${order} LIMIT ?6`,
    )
  const ofAll = (order: ListOrder) =>
    db.prepare(
      `SELECT ${COLUMNS} FROM suppressions s CROSS JOIN companies c ON c.num = s.company
       WHERE s.id > ?1 AND s.id < ?2 AND instr(?3, s.type) > 0 AND (?4 IS NULL OR s.domain_id = ?4)
       ORDER BY s.id ${order} LIMIT ?5`,
    )
  const everywhere = { older: ofAll('DESC'), newer: ofAll('ASC') }
  const newest = {
    any: { older: ofType('DESC', 'any'), newer: ofType('ASC', 'any') },
    domain: { older: ofType('DESC', 'domain'), newer: ofType('ASC', 'domain') },
  }
  const ofAddress = db.prepare(
    `SELECT ${COLUMNS} FROM suppressions s CROSS JOIN companies c ON c.num = s.company
     WHERE s.company = ? AND s.address = ?`,
  )
  const found = db.prepare(
    `SELECT ${COLUMNS} FROM suppressions s CROSS JOIN companies c ON c.num = s.company WHERE s.id = ?`,
  )
  const byAddress = (order: ListOrder, of: 'domain' | 'any') =>
    db.prepare(
      `SELECT ${COLUMNS} FROM suppressions s
         INDEXED BY ${of === 'any' ? 'suppressions_by_address' : 'suppressions_by_address_of_domain'}
         CROSS JOIN companies c ON c.num = s.company
       WHERE s.company = ?1 AND s.type = ?2 AND s.address >= ?3 AND s.address < ?4 AND s.address <> ?5
         AND ${of === 'any' ? '?6 IS NULL' : 's.domain_id = ?6'}
       ORDER BY s.address ${order} LIMIT ?7`,
    )
  const addresses = {
    any: { after: byAddress('ASC', 'any'), before: byAddress('DESC', 'any') },
    domain: { after: byAddress('ASC', 'domain'), before: byAddress('DESC', 'domain') },
  }
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
      const statement = newest[of === null ? 'any' : 'domain'][way]
      const rows = types.flatMap((type) => all<SuppressionRow>(statement, num, type, ...bounds, of, limit))
      return newestOf(rows, filter)
    },

    suppressedPage({ companyId, type, term = '', after = '', before, domainId, limit }) {
      const num = numberOf(companyId)
      if (num === undefined) return []
      const statement =
        addresses[domainId === undefined ? 'any' : 'domain'][before === undefined ? 'after' : 'before']
      const rows = all<SuppressionRow>(
        statement,
        num,
        type,
        ...boundsOf(term, after, before),
        domainId ?? null,
        limit,
      )
      return (before === undefined ? rows : rows.reverse()).map(suppressionOf)
    },

    findSuppression(companyId, id) {
      const row = one<SuppressionRow>(found, id)
      return row?.companyId === companyId ? suppressionOf(row) : null
    },
  }
}
