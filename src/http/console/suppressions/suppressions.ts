/** Suppressed addresses of a company: search, add, remove. */

import { OperateError } from '../../../operate/error.ts'
import { isoTime } from '../../../operate/shapes.ts'
import {
  addSuppression,
  findSuppression,
  listSuppressions,
  removeSuppression,
  suppressedAddresses,
} from '../../../operate/suppressions.ts'
import type { Suppression } from '../../../store/store.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import { COMPANY_PARAMS, DONE } from '../contract/shapes.ts'
import {
  NEW_SUPPRESSION,
  SUPPRESSION_PARAMS,
  SUPPRESSIONS,
  SUPPRESSIONS_QUERY,
  type SuppressionShown,
} from '../contract/suppressions.ts'
import { cursorPage } from '../cursor-page.ts'

const list = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/suppressions',
  operation: 'console_suppressions',
  access: 'company',
  schema: {
    operationId: 'listSuppressions',
    summary: 'List suppressed addresses, newest first; with a search term, in alphabetical order',
    params: COMPANY_PARAMS,
    querystring: SUPPRESSIONS_QUERY,
    response: { 200: SUPPRESSIONS },
  },
})(async ({ caller: { caller, company }, query: { term, type, limit, ...place } }, core) => {
  const op = await currentOperationOf(core, caller)
  const types = type === undefined ? undefined : [type]
  if (term === undefined || term === '') {
    const wanted = { ...place, types, limit: limit + 1 }
    const found = await listSuppressions(op, { company: company ?? undefined, ...wanted })
    const { data, ...cursors } = cursorPage(found, { ...place, limit }, ({ id }) => id)
    return { status: 200, body: { data: data.map(shown), ...cursors } }
  }
  if (company === null) {
    if (!term.includes('@')) throw new OperateError('invalid', 'give a complete address, or choose a company')
    const found = await listSuppressions(op, { address: term.trim(), types, limit })
    return { status: 200, body: { data: found.map(shown), previous: null, next: null } }
  }
  const found = await suppressedAddresses(op, {
    company,
    term: term.trim(),
    types,
    ...place,
    limit: limit + 1,
  })
  const { data, ...cursors } = cursorPage(found, { ...place, limit }, ({ address }) => address)
  return { status: 200, body: { data: data.map(shown), ...cursors } }
})

const add = endpoint({
  method: 'POST',
  url: '/console/api/companies/:company/suppressions',
  operation: 'console_suppression_change',
  access: 'company',
  schema: {
    operationId: 'addSuppression',
    summary: 'Suppress an address',
    params: COMPANY_PARAMS,
    body: NEW_SUPPRESSION,
    response: { 201: DONE },
  },
})(async ({ caller, params: { company }, body }, core) => {
  await addSuppression(await currentOperationOf(core, caller.caller), { company, ...body })
  return { status: 201, body: {} }
})

const remove = endpoint({
  method: 'DELETE',
  url: '/console/api/companies/:company/suppressions/:id',
  operation: 'console_suppression_change',
  access: 'company',
  schema: {
    operationId: 'removeSuppression',
    summary: 'Remove an address from the suppression list, for one type',
    params: SUPPRESSION_PARAMS,
    response: { 200: DONE },
  },
})(async ({ caller, params: { company, id } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const { address, type } = await findSuppression(op, { company, of: id })
  await removeSuppression(op, { company, address, types: [type] })
  return { status: 200, body: {} }
})

function shown(suppression: Suppression): SuppressionShown {
  const { id, companyId, address, type, tags, reason, code, emailId, domainId, createdAt } = suppression
  return {
    id,
    company: companyId,
    address,
    type,
    tags,
    reason,
    code,
    email: emailId,
    domain: domainId,
    createdAt: isoTime(createdAt),
  }
}

export const suppressionEndpoints: readonly Endpoint[] = [list, add, remove]
