/** Logos of companies. Their octets are apart from the accounts, which every node holds in memory. */
import type { CompanyLogo } from '../../accounts/company-logo.ts'
import { changeOne } from './account-change.ts'
import { companyNumber } from './companies.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const FIND = statement<CompanyLogo>('SELECT type, octets FROM company_logos WHERE company = $1')
const NOTE = statement('UPDATE companies SET logo = $2 WHERE num = $1')
const SET = statement(`INSERT INTO company_logos (company, type, octets) VALUES ($1, $2, $3)
  ON CONFLICT (company) DO UPDATE SET type = excluded.type, octets = excluded.octets`)
const REMOVE = statement('DELETE FROM company_logos WHERE company = $1')

export const companyLogoReads = {
  *findLogo(port, companyId) {
    const company = yield* port.findCompany(companyId)
    if (company === undefined) return null
    return (yield* port.read.one(FIND, company)) ?? null
  },
} satisfies Operations<ReadPort>

export const companyLogoWrites = {
  *setLogo(port, companyId, digest, { type, octets }) {
    const company = yield* companyNumber(port, companyId)
    yield* changeOne(port, companyId, function* (db) {
      yield* db.run(NOTE, company, digest)
      yield* db.run(SET, company, type, octets)
    })
  },

  *removeLogo(port, companyId) {
    const company = yield* companyNumber(port, companyId)
    yield* changeOne(port, companyId, function* (db) {
      yield* db.run(NOTE, company, null)
      yield* db.run(REMOVE, company)
    })
  },
} satisfies Operations<Port>
