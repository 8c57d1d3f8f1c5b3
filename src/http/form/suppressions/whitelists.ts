/** `/v3/{domain}/whitelists`: addresses and domains that bounces do not suppress. */

import type { AllowEntry } from '../../../email/suppression.ts'
import { Fault } from '../../../ingress/fault.ts'
import { utcDate } from '../../../ingress/message-form/date.ts'
import { Refusal } from '../../../intake/refusal.ts'
import { addAllowed, allowedPage, findAllowed, removeAllowed } from '../../../operate/allow-list.ts'
import { OperateError } from '../../../operate/error.ts'
import { LINE, PASSAGE, PATH_NAME } from '../../bounds.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { operationOfKey } from '../../operation.ts'
import { ownDomain } from '../own-domain.ts'
import { MESSAGE_ONLY, OF_DOMAIN } from '../schemas.ts'
import { listPageQuery, PAGE_QUERY, PAGING, paging } from './paging.ts'

const URL = '/v3/:domain/whitelists'
const TEXT = { type: 'string' } as const

const ENTRY = {
  type: 'object',
  required: ['value', 'reason', 'type', 'createdAt'],
  properties: { value: TEXT, reason: TEXT, type: { enum: ['address', 'domain'] }, createdAt: TEXT },
} as const

const OF_VALUE = {
  type: 'object',
  required: ['domain', 'value'],
  properties: { domain: PATH_NAME, value: PATH_NAME },
} as const

const ABOUT_VALUE = {
  type: 'object',
  required: ['message', 'value'],
  properties: { message: TEXT, type: TEXT, value: TEXT },
} as const

const list = endpoint({
  method: 'GET',
  url: URL,
  operation: 'form_whitelist_list',
  access: 'reading',
  schema: {
    operationId: 'formListWhitelists',
    summary: 'List the addresses and domains that bounces do not suppress, by value',
    params: OF_DOMAIN,
    querystring: PAGE_QUERY,
    response: {
      200: {
        type: 'object',
        properties: { items: { type: 'array', items: ENTRY }, paging: PAGING },
      },
    },
  },
})(async ({ caller, params, query, request }, core) => {
  const { name } = await ownDomain(core, caller, params.domain)
  const page = { company: caller.companyId, ...listPageQuery(query) }
  const found = await allowedPage(operationOfKey(core, caller), page)
  const values = found.map(({ value }) => value)
  return {
    status: 200,
    body: {
      items: found.map(whitelistEntryJson),
      paging: paging(core, request, `/v3/${name}/whitelists`, query, values),
    },
  }
})

const add = endpoint({
  method: 'POST',
  url: URL,
  operation: 'form_whitelist_add',
  access: 'management',
  schema: {
    operationId: 'formAddWhitelist',
    summary: 'Keep bounces from suppressing an address or a domain',
    params: OF_DOMAIN,
    body: { type: 'object', properties: { address: LINE, domain: LINE, reason: PASSAGE } },
    response: { 200: ABOUT_VALUE },
  },
})(async ({ caller, params, body }, core) => {
  await ownDomain(core, caller, params.domain)
  const { address, domain, reason } = body
  const value = address || domain
  if (value === undefined || value === '') throw new Refusal({ code: 'field_missing', field: 'address' })
  const entry = { value, ...(reason !== undefined && { reason }) }
  const added = { company: caller.companyId, entries: [entry] }
  await addAllowed(operationOfKey(core, caller), added)
  const message = 'Address/Domain has been added to the whitelists table'
  return { status: 200, body: { message, type: value.includes('@') ? 'address' : 'domain', value } }
})

const show = endpoint({
  method: 'GET',
  url: `${URL}/:value`,
  operation: 'form_whitelist_read',
  access: 'reading',
  schema: {
    operationId: 'formShowWhitelist',
    summary: 'Get an address or a domain of the allow list',
    params: OF_VALUE,
    response: { 200: ENTRY },
  },
})(async ({ caller, params }, core) => {
  await ownDomain(core, caller, params.domain)
  const wanted = { company: caller.companyId, value: params.value }
  const found = await unlessMissing(findAllowed(operationOfKey(core, caller), wanted))
  return { status: 200, body: whitelistEntryJson(found) }
})

const remove = endpoint({
  method: 'DELETE',
  url: `${URL}/:value`,
  operation: 'form_whitelist_remove',
  access: 'management',
  schema: {
    operationId: 'formRemoveWhitelist',
    summary: 'Remove an address or a domain from the allow list',
    params: OF_VALUE,
    response: { 200: ABOUT_VALUE },
  },
})(async ({ caller, params }, core) => {
  await ownDomain(core, caller, params.domain)
  const { value } = params
  await unlessMissing(removeAllowed(operationOfKey(core, caller), { company: caller.companyId, value }))
  return { status: 200, body: { message: 'Whitelist address/domain has been removed', value } }
})

const clear = endpoint({
  method: 'DELETE',
  url: URL,
  operation: 'form_whitelist_clear',
  access: 'management',
  schema: {
    operationId: 'formClearWhitelists',
    summary: 'Remove all entries of the allow list',
    params: OF_DOMAIN,
    response: { 200: MESSAGE_ONLY },
  },
})(async ({ caller, params }, core) => {
  await ownDomain(core, caller, params.domain)
  await removeAllowed(operationOfKey(core, caller), { company: caller.companyId })
  const message = 'Whitelist addresses/domains for this domain have been removed'
  return { status: 200, body: { message } }
})

function whitelistEntryJson({ value, kind, reason, createdAt }: AllowEntry) {
  return { value, reason: reason ?? '', type: kind, createdAt: utcDate(createdAt) }
}

async function unlessMissing<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof OperateError) || error.code !== 'not_found') throw error
    const detail = 'Address/Domain not found in whitelists table'
    throw new Fault({ code: 'operation_refused', why: 'not_found', detail }, { cause: error })
  }
}

export const whitelistRoutes: readonly Endpoint[] = [list, add, show, remove, clear]
