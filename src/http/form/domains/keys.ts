/** The routes for DKIM keys in the form dialect: `/v4/domains/{domain}/keys` and `/v1/dkim/keys`. */

import type { DkimIdentity, Principal, SendingDomain } from '../../../accounts/account.ts'
import { dnsRecords } from '../../../accounts/dns-records.ts'
import { isYes } from '../../../ingress/message-form/yes-no.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { addDkimKey, removeDkimKey, renameDkimKey, switchDkimKey } from '../../../operate/dkim-keys.ts'
import { listDomains, showDomain } from '../../../operate/domains.ts'
import { serviceNames } from '../../../operate/service-names.ts'
import type { Operation } from '../../../operate/verb.ts'
import { DOMAIN_NAME, PAGE_TOKEN, WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { linkTo } from '../link.ts'
import { onOwnDomain } from '../own-domain.ts'
import { fieldIn } from '../query-or-body.ts'
import { MESSAGE_ONLY, TEXT } from '../schemas.ts'
import { RECORD, recordsJson } from './domain.ts'

/** The most characters of a private key in PEM: about twice the length of a key of 16,384 bits. */
const MAX_PEM = 30_000
const KEY = {
  type: 'object',
  properties: { signing_domain: TEXT, selector: TEXT, dns_record: RECORD },
} as const
const KEYS = { type: 'array', items: KEY } as const
const NAMED_KEY = {
  type: 'object',
  properties: { signing_domain: DOMAIN_NAME, selector: DOMAIN_NAME },
} as const
/** Clients of this dialect have no way to confirm a change, so it is made at once. */
const FORCE = { force: true } as const
const NEW_SELECTOR = { type: 'object', properties: { dkim_selector: DOMAIN_NAME } } as const
const SELF = {
  type: 'object',
  properties: { self: { ...WORD, description: 'Only yes or true is accepted.' } },
} as const

const ofDomain = route('GET /v4/domains/:domain/keys', {
  operation: 'form_dkim_list',
  access: 'reading',
  operationId: 'formListDomainKeys',
  summary: 'List the DKIM keys of a domain',
  answer: { type: 'object', properties: { items: KEYS } },
})(async ({ caller, params }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  return { items: keysOf(op, domain) }
})

const ofAll = route('GET /v1/dkim/keys', {
  operation: 'form_dkim_list',
  access: 'reading',
  operationId: 'formListKeys',
  summary: 'List the DKIM keys of all domains, on one page',
  query: {
    type: 'object',
    properties: { signing_domain: DOMAIN_NAME, selector: DOMAIN_NAME, page: PAGE_TOKEN },
  },
  answer: {
    type: 'object',
    properties: {
      items: KEYS,
      paging: { type: 'object', properties: { first: TEXT, last: TEXT, next: TEXT, previous: TEXT } },
    },
  },
})(async ({ caller, query, request }, core) => {
  const op = await currentOperation(core, caller)
  const { signing_domain: name, selector } = query
  const domains = (await listDomains(op, {})).filter((domain) => !name || domain.name === name.toLowerCase())
  const items = domains.flatMap((domain) => keysOf(op, domain))
  const page = linkTo(core, request, '/v1/dkim/keys?page=none')
  return {
    items: query.page === 'none' ? [] : items.filter((key) => !selector || key.selector === selector),
    paging: { first: linkTo(core, request, '/v1/dkim/keys'), last: page, next: page, previous: page },
  }
})

const create = route('POST /v1/dkim/keys', {
  operation: 'form_dkim_create',
  access: 'management',
  operationId: 'formCreateKey',
  summary: 'Add a DKIM key; it signs mail once it is activated',
  body: {
    type: 'object',
    required: ['signing_domain', 'selector'],
    properties: {
      signing_domain: DOMAIN_NAME,
      selector: DOMAIN_NAME,
      bits: { ...WORD, description: 'Only 2048.' },
      pem: { type: 'string', maxLength: MAX_PEM, description: 'An existing private key.' },
    },
  },
  answer: KEY,
})(async ({ caller, body }, core) => {
  const { signing_domain: name, selector, bits, pem } = body
  if (bits !== undefined && bits !== '2048') throw invalidField('bits', 'only keys of 2048 bits are created')
  const { op, domain } = await on(core, caller, name)
  const made = await addDkimKey(op, { domain, selector, ...(pem && { pem }) })
  return dkimKeyJson(op, made, made.dkim.at(-1)!)
})

const switches = [true, false].map((active) => {
  const word = active ? 'activate' : 'deactivate'
  return route(`PUT /v4/domains/:domain/keys/:selector/${word}`, {
    operation: 'form_dkim_update',
    access: 'management',
    operationId: active ? 'formActivateKey' : 'formDeactivateKey',
    summary: active ? 'Sign mail with a DKIM key' : 'Stop signing mail with a DKIM key',
    answer: {
      type: 'object',
      properties: { message: TEXT, authority: TEXT, selector: TEXT, active: { type: 'boolean' } },
    },
  })(async ({ caller, params }, core) => {
    const { op, domain } = await on(core, caller, params.domain)
    const { name } = await switchDkimKey(op, { domain, selector: params.selector, active, ...FORCE })
    const message = `domain key ${word}d`
    return { message, authority: name, selector: params.selector, active }
  })
})

const remove = route('DELETE /v1/dkim/keys', {
  operation: 'form_dkim_remove',
  access: 'management',
  operationId: 'formRemoveKey',
  summary: 'Delete a DKIM key',
  description: 'PHP clients send the fields in the body.',
  query: NAMED_KEY,
  body: NAMED_KEY,
  answer: MESSAGE_ONLY,
})(async ({ caller, query, body }, core) => {
  const { op, domain } = await on(core, caller, fieldIn('signing_domain', query, body))
  await removeDkimKey(op, { domain, selector: fieldIn('selector', query, body), ...FORCE })
  return { message: 'success' }
})

const rename = route('PUT /v3/domains/:domain/dkim_selector', {
  operation: 'form_dkim_update',
  access: 'management',
  operationId: 'formRenameKey',
  summary: 'Change the selector of the first DKIM key that signs the mail of a domain',
  description: 'Ruby clients send the field in the body.',
  query: NEW_SELECTOR,
  body: NEW_SELECTOR,
  answer: MESSAGE_ONLY,
})(async ({ caller, params, query, body }, core) => {
  const to = fieldIn('dkim_selector', query, body)
  const { op, domain, first } = await on(core, caller, params.domain)
  await renameDkimKey(op, { domain, selector: first, to, ...FORCE })
  return { message: 'Domain DKIM selector updated' }
})

const authority = route('PUT /v3/domains/:domain/dkim_authority', {
  operation: 'form_dkim_update',
  access: 'management',
  operationId: 'formKeyAuthority',
  summary: 'Get whether a domain signs with its own keys; here every domain does',
  description: 'Ruby clients send the field in the body.',
  query: SELF,
  body: SELF,
  answer: {
    type: 'object',
    properties: {
      message: TEXT,
      changed: { type: 'boolean' },
      sending_dns_records: { type: 'array', items: RECORD },
    },
  },
})(async ({ caller, params, query, body }, core) => {
  if (!isYes('self', fieldIn('self', query, body))) {
    throw invalidField('self', 'this service signs the mail of a domain with its own keys')
  }
  const { op, domain: id } = await on(core, caller, params.domain)
  const { records } = await showDomain(op, { domain: id })
  const message = 'Domain DKIM authority has not been changed'
  return { message, changed: false, sending_dns_records: recordsJson(records) }
})

/**
 * Finds a domain of the caller. `first` is the selector of its first active key, or of its first key if none is active.
 */
async function on(core: HttpCore, caller: Principal, name: string) {
  const { op, domain: own } = await onOwnDomain(core, caller, name)
  const { id: domain, dkim } = own
  return { op, domain, first: (dkim.find(({ active }) => active) ?? dkim[0]!).selector }
}

function keysOf(op: Operation, domain: SendingDomain) {
  return domain.dkim.map((key) => dkimKeyJson(op, domain, key))
}

function dkimKeyJson(op: Operation, domain: SendingDomain, key: DkimIdentity) {
  const [record] = recordsJson(dnsRecords({ ...domain, dkim: [key] }, serviceNames(op, domain)))
  const { selector, active } = key
  return { signing_domain: domain.name, selector, dns_record: { ...record!, is_active: active } }
}

export const dkimRoutes: readonly Endpoint[] = [
  ...[ofDomain, ofAll, create, ...switches, remove],
  ...[rename, authority],
]
