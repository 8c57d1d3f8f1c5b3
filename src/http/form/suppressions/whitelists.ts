/** `/v3/{domain}/whitelists`: addresses and domains that bounces do not suppress. */

import type { AllowEntry } from '../../../email/suppression.ts'
import { Fault } from '../../../ingress/fault.ts'
import { utcDate } from '../../../ingress/message-form/date.ts'
import { Refusal } from '../../../intake/refusal.ts'
import { addAllowed, allowedPage, findAllowed, removeAllowed } from '../../../operate/allow-list.ts'
import { OperateError } from '../../../operate/error.ts'
import { LINE, PASSAGE } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { operationOfKey } from '../../operation.ts'
import { route } from '../../route.ts'
import { ownDomain } from '../own-domain.ts'
import { MESSAGE_ONLY } from '../schemas.ts'
import { listPageQuery, PAGE_QUERY, PAGING, paging } from './paging.ts'

const URL = '/v3/:domain/whitelists'
const TEXT = { type: 'string' } as const

const ENTRY = {
  type: 'object',
  required: ['value', 'reason', 'type', 'createdAt'],
  properties: { value: TEXT, reason: TEXT, type: { enum: ['address', 'domain'] }, createdAt: TEXT },
} as const

const ABOUT_VALUE = {
  type: 'object',
  required: ['message', 'value'],
  properties: { message: TEXT, type: TEXT, value: TEXT },
} as const

const list = route(`GET ${URL}`, {
  operation: 'form_whitelist_list',
  access: 'reading',
  operationId: 'formListWhitelists',
  summary: 'List the addresses and domains that bounces do not suppress, by value',
  query: PAGE_QUERY,
  answer: {
    type: 'object',
    properties: { items: { type: 'array', items: ENTRY }, paging: PAGING },
  },
})(async ({ caller, params, query, request }, core) => {
  const { name } = await ownDomain(core, caller, params.domain)
  const page = { company: caller.companyId, ...listPageQuery(query) }
  const found = await allowedPage(operationOfKey(core, caller), page)
  const values = found.map(({ value }) => value)
  return {
    items: found.map(whitelistEntryJson),
    paging: paging(core, request, `/v3/${name}/whitelists`, query, values),
  }
})

const add = route(`POST ${URL}`, {
  operation: 'form_whitelist_add',
  access: 'management',
  operationId: 'formAddWhitelist',
  summary: 'Keep bounces from suppressing an address or a domain',
  body: { type: 'object', properties: { address: LINE, domain: LINE, reason: PASSAGE } },
  answer: ABOUT_VALUE,
})(async ({ caller, params, body }, core) => {
  await ownDomain(core, caller, params.domain)
  const { address, domain, reason } = body
  const value = address || domain
  if (value === undefined || value === '') throw new Refusal({ code: 'field_missing', field: 'address' })
  const entry = { value, ...(reason !== undefined && { reason }) }
  const added = { company: caller.companyId, entries: [entry] }
  await addAllowed(operationOfKey(core, caller), added)
  const message = 'Address/Domain has been added to the whitelists table'
  return { message, type: value.includes('@') ? 'address' : 'domain', value }
})

const show = route(`GET ${URL}/:value`, {
  operation: 'form_whitelist_read',
  access: 'reading',
  operationId: 'formShowWhitelist',
  summary: 'Get an address or a domain of the allow list',
  answer: ENTRY,
})(async ({ caller, params }, core) => {
  await ownDomain(core, caller, params.domain)
  const wanted = { company: caller.companyId, value: params.value }
  const found = await unlessMissing(findAllowed(operationOfKey(core, caller), wanted))
  return whitelistEntryJson(found)
})

const remove = route(`DELETE ${URL}/:value`, {
  operation: 'form_whitelist_remove',
  access: 'management',
  operationId: 'formRemoveWhitelist',
  summary: 'Remove an address or a domain from the allow list',
  answer: ABOUT_VALUE,
})(async ({ caller, params }, core) => {
  await ownDomain(core, caller, params.domain)
  const { value } = params
  await unlessMissing(removeAllowed(operationOfKey(core, caller), { company: caller.companyId, value }))
  return { message: 'Whitelist address/domain has been removed', value }
})

const clear = route(`DELETE ${URL}`, {
  operation: 'form_whitelist_clear',
  access: 'management',
  operationId: 'formClearWhitelists',
  summary: 'Remove all entries of the allow list',
  answer: MESSAGE_ONLY,
})(async ({ caller, params }, core) => {
  await ownDomain(core, caller, params.domain)
  await removeAllowed(operationOfKey(core, caller), { company: caller.companyId })
  const message = 'Whitelist addresses/domains for this domain have been removed'
  return { message }
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
