/** The allow list: addresses and domains that bounces do not suppress. */
import { addAllowed, allowedPage, removeAllowed } from '../../../operate/allow-list.ts'
import { OperateError } from '../../../operate/error.ts'
import { isoTime } from '../../../operate/shapes.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import { COMPANY_PARAMS, DONE } from '../contract/shapes.ts'
import { ALLOWED_LIST, ALLOWED_PARAMS, ALLOWED_QUERY, NEW_ALLOWED } from '../contract/suppressions.ts'
import { cursorPage } from '../cursor-page.ts'

const list = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/allowed',
  operation: 'console_suppressions',
  access: 'company',
  schema: {
    operationId: 'listAllowed',
    summary: 'List the addresses and domains that bounces do not suppress',
    params: COMPANY_PARAMS,
    querystring: ALLOWED_QUERY,
    response: { 200: ALLOWED_LIST },
  },
})(async ({ caller, params: { company }, query: { term, limit, ...place } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const found = await allowedPage(op, {
    company,
    term: term?.trim() || undefined,
    ...place,
    limit: limit + 1,
  })
  const { data, ...cursors } = cursorPage(found, { ...place, limit }, ({ value }) => value)
  const shown = data.map(({ companyId, createdAt, ...entry }) => ({
    ...entry,
    createdAt: isoTime(createdAt),
  }))
  return { status: 200, body: { data: shown, ...cursors } }
})

const add = endpoint({
  method: 'POST',
  url: '/console/api/companies/:company/allowed',
  operation: 'console_suppression_change',
  access: 'company',
  schema: {
    operationId: 'addAllowed',
    summary: 'Keep bounces from suppressing an address or a domain',
    params: COMPANY_PARAMS,
    body: NEW_ALLOWED,
    response: { 201: DONE },
  },
})(async ({ caller, params: { company }, body }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const [isNew] = await addAllowed(op, { company, entries: [body] })
  if (!isNew) throw new OperateError('already_exists', `"${body.value}" is already on the allow list`)
  return { status: 201, body: {} }
})

const remove = endpoint({
  method: 'DELETE',
  url: '/console/api/companies/:company/allowed/:value',
  operation: 'console_suppression_change',
  access: 'company',
  schema: {
    operationId: 'removeAllowed',
    summary: 'Let bounces suppress an address or a domain again',
    params: ALLOWED_PARAMS,
    response: { 200: DONE },
  },
})(async ({ caller, params }, core) => {
  await removeAllowed(await currentOperationOf(core, caller.caller), params)
  return { status: 200, body: {} }
})

export const allowedEndpoints: readonly Endpoint[] = [list, add, remove]
