import { randomUUIDv7 } from 'node:crypto'
import type { Company } from '../accounts/account.ts'
import { visibleAccounts } from './authority.ts'
import { unlessTaken } from './error.ts'
import { checkedName } from './names.ts'
import type { Operation } from './operation.ts'
import { verb } from './verb.ts'

export const createCompany = verb(
  'operate',
  async (op: Operation, input: { name: string }): Promise<Company> => {
    const company: Company = {
      id: randomUUIDv7(),
      name: checkedName('company', input.name),
      createdAt: op.now(),
    }
    await unlessTaken(op.store.addCompany(company))
    return company
  },
)

/** A member sees his own. */
export const listCompanies = verb('read', async (op: Operation, _input: object): Promise<Company[]> => {
  return visibleAccounts(op).companies
})
