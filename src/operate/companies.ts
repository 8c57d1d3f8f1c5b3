import { randomUUIDv7 } from 'node:crypto'
import type { ApiKey, Company, SendingDomain } from '../accounts/account.ts'
import { accountsOf, visibleAccounts } from './authority.ts'
import { unlessTaken } from './error.ts'
import { checkedName, findCompany } from './find.ts'
import { verb } from './verb.ts'

export const createCompany = verb('operate', async (op, input: { name: string }): Promise<Company> => {
  const company: Company = {
    id: randomUUIDv7(),
    name: checkedName('company', input.name),
    createdAt: op.now(),
  }
  await unlessTaken(op.store.addCompany(company))
  return company
})

/** A member sees his own. */
export const listCompanies = verb('read', async (op, _input: object): Promise<Company[]> => {
  return visibleAccounts(op).companies
})

export interface ShownCompany {
  company: Company
  /** Those the caller may know of. */
  domains: SendingDomain[]
  keys: ApiKey[]
}

/** @param input.company name or id */
export const showCompany = verb('read', async (op, input: { company: string }): Promise<ShownCompany> => {
  const company = findCompany(op, input.company)
  const { domains, keys } = accountsOf(visibleAccounts(op), company.id)
  return { company, domains, keys }
})
