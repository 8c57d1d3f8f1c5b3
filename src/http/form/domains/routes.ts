/** Sending domains: `/v3/domains` and `/v4/domains`, which are the same here. */

import { isYes } from '../../../ingress/message-form/yes-no.ts'
import { delegateDkim } from '../../../operate/dkim-delegation.ts'
import { verifyDomain } from '../../../operate/domain-verification.ts'
import { addDomain, listDomains, removeDomain, showDomain, updateDomain } from '../../../operate/domains.ts'
import { DOMAIN_NAME, WORD } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { onOwnDomain } from '../own-domain.ts'
import { MESSAGE_ONLY } from '../schemas.ts'
import { DOMAIN, DOMAIN_WITH_RECORDS, domainJson, recordsJson } from './domain.ts'

const NO = ['false', 'no'] as const
/** DKIM by CNAME records, which lead to keys that the operator publishes. */
const DELEGATED = {
  ...WORD,
  description: 'yes: the domain publishes CNAME records for DKIM, and the operator the keys.',
} as const
const SECURITY = 'use_automatic_sender_security'
const WEB_SCHEME = { enum: ['http', 'https'] } as const

/** The newest clients of most languages use `v4`. */
export const domainRoutes: readonly Endpoint[] = (['v3', 'v4'] as const).flatMap((version) => {
  const url = `/${version}/domains` as const
  const id = (name: string) => `${version}${name}`

  const list = route(`GET ${url}`, {
    operation: 'form_domain_list',
    access: 'reading',
    operationId: id('ListDomains'),
    summary: 'List the sending domains of the company, by name',
    query: {
      type: 'object',
      required: ['limit', 'skip', 'search'],
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
        skip: { type: 'integer', minimum: 0, default: 0 },
        state: { enum: ['active', 'unverified', 'disabled'] },
        search: { ...DOMAIN_NAME, default: '', description: 'A part of the name.' },
        sort: { enum: ['name', 'name:asc', 'name:desc'] },
      },
    },
    answer: {
      type: 'object',
      properties: { total_count: { type: 'integer' }, items: { type: 'array', items: DOMAIN } },
    },
  })(async ({ caller, query }, core) => {
    const { limit, skip, state, search, sort } = query
    const domains = await listDomains(await currentOperation(core, caller), {})
    const wanted = domains
      .map(domainJson)
      .filter((domain) => state === undefined || domain.state === state)
      .filter(({ name }) => name.includes(search.toLowerCase()))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    if (sort === 'name:desc') wanted.reverse()
    const items = wanted.slice(skip, skip + limit)
    return { total_count: wanted.length, items }
  })

  const create = route(`POST ${url}`, {
    operation: 'form_domain_create',
    access: 'management',
    operationId: id('CreateDomain'),
    summary: 'Add a sending domain and get the DNS records to publish',
    description: 'Fields for receiving mail and for IP addresses are ignored.',
    body: {
      type: 'object',
      required: ['name'],
      // Only the route `connection` turns `require_tls` on.
      properties: {
        name: DOMAIN_NAME,
        require_tls: { enum: [...NO] },
        web_scheme: WEB_SCHEME,
        use_automatic_sender_security: DELEGATED,
      },
    },
    answer: DOMAIN_WITH_RECORDS,
  })(async ({ caller, body }, core) => {
    const op = await currentOperation(core, caller)
    const { name, web_scheme: webScheme, use_automatic_sender_security: security } = body
    const { domain, records } = await addDomain(op, {
      company: caller.companyId,
      name,
      ...(webScheme !== undefined && { settings: { webScheme } }),
      ...(security !== undefined && { delegated: isYes(SECURITY, security) }),
    })
    const shown = { domain: domainJson(domain), receiving_dns_records: [] }
    const message = 'Domain DNS records have been created'
    return { message, ...shown, sending_dns_records: recordsJson(records) }
  })

  const show = route(`GET ${url}/:domain`, {
    operation: 'form_domain_read',
    access: 'reading',
    operationId: id('ShowDomain'),
    summary: 'Get a sending domain with the DNS records to publish',
    answer: DOMAIN_WITH_RECORDS,
  })(async ({ caller, params }, core) => {
    const { op, domain: own } = await onOwnDomain(core, caller, params.domain)
    const { domain, records } = await showDomain(op, { domain: own.id })
    return {
      domain: domainJson(domain),
      receiving_dns_records: [],
      sending_dns_records: recordsJson(records),
    }
  })

  const update = route(`PUT ${url}/:domain`, {
    operation: 'form_domain_update',
    access: 'management',
    operationId: id('UpdateDomain'),
    summary:
      'Change `web_scheme` and `use_automatic_sender_security`; other fields are accepted with their present value only',
    description: '`web_scheme` is stored and shown. A change of how mail is sent is refused.',
    body: {
      type: 'object',
      properties: {
        spam_action: { const: 'disabled' },
        wildcard: { enum: [...NO] },
        require_tls: { enum: [...NO] },
        skip_verification: { enum: [...NO] },
        use_automatic_sender_security: DELEGATED,
        web_scheme: WEB_SCHEME,
        web_prefix: { const: 'email' },
      },
      additionalProperties: false,
    },
    answer: DOMAIN_WITH_RECORDS,
  })(async ({ caller, params, body }, core) => {
    const { op, domain: own } = await onOwnDomain(core, caller, params.domain)
    const { web_scheme: webScheme, use_automatic_sender_security: security } = body
    if (webScheme !== undefined) await updateDomain(op, { domain: own.id, settings: { webScheme } })
    if (security !== undefined && isYes(SECURITY, security) !== (own.settings.dkimDelegated === true)) {
      await delegateDkim(op, { domain: own.id, delegated: isYes(SECURITY, security) })
    }
    const { domain, records } = await showDomain(await currentOperation(core, caller), { domain: own.id })
    const message = 'Domain has been updated'
    const shown = { domain: domainJson(domain), receiving_dns_records: [] }
    return { message, ...shown, sending_dns_records: recordsJson(records) }
  })

  const verify = route(`PUT ${url}/:domain/verify`, {
    operation: 'form_domain_verify',
    access: 'management',
    operationId: id('VerifyDomain'),
    summary: 'Verify the DNS records now, and activate the domain if they are correct',
    answer: DOMAIN_WITH_RECORDS,
  })(async ({ caller, params }, core) => {
    const { op, domain: own } = await onOwnDomain(core, caller, params.domain)
    const { domain, verification } = await verifyDomain(op, { domain: own.id })
    return {
      message: 'Domain DNS records have been updated',
      domain: domainJson(domain),
      receiving_dns_records: [],
      sending_dns_records: recordsJson(verification.records),
    }
  })

  const remove = route(`DELETE ${url}/:domain`, {
    operation: 'form_domain_remove',
    access: 'management',
    operationId: id('RemoveDomain'),
    summary: 'Delete a sending domain with its DKIM keys',
    answer: MESSAGE_ONLY,
  })(async ({ caller, params }, core) => {
    const { op, domain } = await onOwnDomain(core, caller, params.domain)
    await removeDomain(op, { domain: domain.id })
    return { message: 'Domain has been deleted' }
  })

  return [list, create, show, update, verify, remove]
})
