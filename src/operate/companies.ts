import { randomUUIDv7 } from 'node:crypto'
import {
  type ApiKey,
  type Company,
  type CompanyLimits,
  NO_LIMITS,
  type SendingDomain,
} from '../accounts/account.ts'
import { accountsOf, visibleAccounts } from './authority.ts'
import { OperateError, unlessTaken } from './error.ts'
import { checkedName, findCompany } from './find.ts'
import { verb } from './verb.ts'

const HIGHEST_LIMIT = 1_000_000_000

export const createCompany = verb(
  'operate',
  async (op, input: { name: string }): Promise<Company> => {
    const company: Company = {
      id: randomUUIDv7(),
      name: checkedName('company', input.name),
      createdAt: op.now(),
      limits: NO_LIMITS,
    }
    await unlessTaken(
      op.store.addCompany(company),
      { noun: 'company', name: company.name },
      { verb: 'showCompany', company: company.name },
    )
    return company
  },
  {
    action: 'createCompany',
    note: ({ name }, company) => ({ target: name, companyId: company?.id ?? null }),
  },
)

/**
 * An operator's name holds for everybody, until the owners choose one of their own. An owner's is seen by the people of
 * the company alone: it is not compared with the names of other companies, nor found by the command line.
 */
export const renameCompany = verb(
  'own',
  async (op, input: { company: string; name: string }): Promise<RenamedCompany> => {
    const { ownName, ...company } = findCompany(op, input.company)
    const { id, name: before } = company
    const name = checkedName('company', input.name)
    const isOperator = op.caller.kind === 'operator'
    if (name === before && !(isOperator && ownName !== undefined))
      throw new OperateError('nothing_to_do', `the company is already called "${name}"`)
    const operators = op.accounts.companies.find((each) => each.id === id)!.name
    const change = isOperator ? { name, ownName: null } : { ownName: name === operators ? null : name }
    await unlessTaken(op.store.updateCompany(id, change), { noun: 'company', name })
    return { before, company: { ...company, name } }
  },
  {
    action: 'renameCompany',
    note: ({ company, name }, renamed) => ({
      ...(renamed === null ? { target: company } : { target: renamed.before, companyId: renamed.company.id }),
      detail: { to: name.trim() },
    }),
  },
)

interface RenamedCompany {
  /** Its name until now, as the caller knows it. */
  before: string
  company: Company
}

/** A member sees only its own company. */
export const listCompanies = verb('see', async (op, _input: object): Promise<Company[]> => {
  return visibleAccounts(op).companies
})

export interface CompanyReport {
  company: Company
  /** Recipients counted by its quotas today and this month (UTC). */
  used: { daily: number; monthly: number }
  /** Only the domains that the caller may see. */
  domains: SendingDomain[]
  keys: ApiKey[]
}

/** @param input.company name or id */
export const showCompany = verb('see', async (op, input: { company: string }): Promise<CompanyReport> => {
  const company = findCompany(op, input.company)
  const { domains, keys } = accountsOf(visibleAccounts(op), company.id)
  return { company, domains, keys, used: await op.store.quotaUsed(company.id, op.now()) }
})

export interface Limits extends Partial<CompanyLimits> {
  company: string
}

/** Changes only the limits that are given; null removes a limit. A quota counts from the time it is set. */
export const limitCompany = verb(
  'operate',
  async (op, { company: text, ...limits }: Limits): Promise<Company> => {
    const company = findCompany(op, text)
    for (const [name, limit] of Object.entries(limits)) {
      if (limit === null || (Number.isInteger(limit) && limit >= 1 && limit <= HIGHEST_LIMIT)) continue
      throw new OperateError('invalid', `the ${name} limit must be a whole number from 1 to ${HIGHEST_LIMIT}`)
    }
    await op.store.updateCompany(company.id, { limits })
    return { ...company, limits: { ...company.limits, ...limits } }
  },
  {
    action: 'limitCompany',
    note({ company, ...limits }, limited) {
      const detail = { ...limits }
      return limited === null
        ? { target: company, detail }
        : { target: limited.name, companyId: limited.id, detail }
    },
  },
)
