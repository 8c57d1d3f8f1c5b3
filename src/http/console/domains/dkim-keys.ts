/** The DKIM keys of a domain: further keys, published before mail is signed with them, and their rotation. */
import { addDkimKey, removeDkimKey, renameDkimKey, switchDkimKey } from '../../../operate/dkim-keys.ts'
import { OperateError } from '../../../operate/error.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import {
  DKIM_KEY_CHANGE,
  DKIM_KEY_PARAMS,
  DOMAIN_PARAMS,
  NEW_DKIM_KEY,
  WHOLE_DOMAIN,
} from '../contract/domains.ts'
import { operationOnDomain, shownWhole } from './found.ts'

const ALL = '/console/api/companies/:company/domains/:domain/dkim'
const ONE = `${ALL}/:selector`

const add = endpoint({
  method: 'POST',
  url: ALL,
  operation: 'console_dkim_add',
  access: 'company',
  schema: {
    operationId: 'addDkimKey',
    summary: 'Add a DKIM key; mail is not signed with it yet',
    params: DOMAIN_PARAMS,
    body: NEW_DKIM_KEY,
    response: { 201: WHOLE_DOMAIN },
  },
})(async ({ caller, params, body }, core) => {
  const op = await operationOnDomain(core, caller, params.domain)
  return { status: 201, body: shownWhole(op, await addDkimKey(op, { domain: params.domain, ...body })) }
})

const change = endpoint({
  method: 'PATCH',
  url: ONE,
  operation: 'console_dkim_change',
  access: 'company',
  schema: {
    operationId: 'changeDkimKey',
    summary: 'Activate or deactivate a DKIM key, or change its selector',
    params: DKIM_KEY_PARAMS,
    body: DKIM_KEY_CHANGE,
    response: { 200: WHOLE_DOMAIN },
  },
})(async ({ caller, params: { domain, selector }, body }, core) => {
  const op = await operationOnDomain(core, caller, domain)
  if ((body.active === undefined) === (body.selector === undefined)) {
    throw new OperateError('invalid', 'change either `active` or `selector`, not both')
  }
  const changed =
    body.active === undefined
      ? await renameDkimKey(op, { domain, selector, to: body.selector! })
      : await switchDkimKey(op, { domain, selector, active: body.active })
  return { status: 200, body: shownWhole(op, changed) }
})

const remove = endpoint({
  method: 'DELETE',
  url: ONE,
  operation: 'console_dkim_remove',
  access: 'company',
  schema: {
    operationId: 'removeDkimKey',
    summary: 'Delete a DKIM key',
    params: DKIM_KEY_PARAMS,
    response: { 200: WHOLE_DOMAIN },
  },
})(async ({ caller, params: { domain, selector } }, core) => {
  const op = await operationOnDomain(core, caller, domain)
  return { status: 200, body: shownWhole(op, await removeDkimKey(op, { domain, selector })) }
})

export const dkimKeyEndpoints: readonly Endpoint[] = [add, change, remove]
