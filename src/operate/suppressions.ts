/** Addresses that a company no longer sends to. */
import type { Company } from '../accounts/account.ts'
import type { Suppression } from '../store/store.ts'
import { OperateError } from './error.ts'
import { addressIn, companyFilter, findWholeCompany, type OfCompany } from './find.ts'
import { verb } from './verb.ts'

export interface SuppressionListing extends OfCompany {
  address?: string | undefined
  limit: number
}

export const listSuppressions = verb(
  'read',
  async (op, { address, limit, ...of }: SuppressionListing): Promise<Suppression[]> => {
    const wanted = { limit, ...(address !== undefined && { address }) }
    return await op.store.listSuppressions({ ...companyFilter(op, of), ...wanted })
  },
)

export interface SuppressedAddress {
  /** As it stands in the envelope. */
  address: string
  company: Company
}

/** What waits for the address ends as suppressed. */
export const addSuppression = verb(
  'manage',
  async (op, input: { company: string; address: string; reason: string }): Promise<SuppressedAddress> => {
    const company = findWholeCompany(op, input.company)
    const address = addressIn(input.address)
    if (await op.store.addSuppression(company.id, address, input.reason, op.now()))
      return { address, company }
    throw new OperateError('already_exists', `"${address}" is on the list of ${company.name} already`)
  },
)

export const removeSuppression = verb(
  'manage',
  async (op, input: { company: string; address: string }): Promise<SuppressedAddress> => {
    const { address } = input
    const company = findWholeCompany(op, input.company)
    if (await op.store.removeSuppression(company.id, address)) return { address, company }
    throw new OperateError('not_found', `"${address}" is not on the list of ${company.name}`, {
      verb: 'listSuppressions',
      company: company.id,
    })
  },
)
