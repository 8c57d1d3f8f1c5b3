/** The log of API requests: what clients sent, and the answers that they got. */
import type { ApiRequest, ApiRequestFilter } from '../store/store.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyScope, findKeyByName } from './find.ts'
import { verb } from './verb.ts'

export interface ApiRequestsRequest
  extends CompanyFilter,
    Omit<ApiRequestFilter, 'companyId' | 'id' | 'keyId'> {
  /** Name or id. */
  key?: string | undefined
}

/** Newest first. */
export const listApiRequests = verb(
  'read',
  async (op, { company, key, ...filter }: ApiRequestsRequest): Promise<ApiRequest[]> => {
    const companyId = companyScope(op, { company })
    const keyId = key === undefined ? undefined : findKeyByName(op, companyId, key).id
    return await op.inTurn(companyId, () => op.store.apiRequests({ ...filter, companyId, keyId }))
  },
)

/** A request of another company does not exist. */
export const showApiRequest = verb(
  'read',
  async (op, { company, id }: CompanyFilter & { id: string }): Promise<ApiRequest> => {
    const [found] = await op.store.apiRequests({ companyId: companyScope(op, { company }), id, limit: 1 })
    if (found === undefined) throw new OperateError('not_found', `there is no API request with the id ${id}`)
    return found
  },
)
