/** The DKIM keys of domains, as this dialect shows them: `/v4/domains/{domain}/keys` and `/v1/dkim/keys`. */
import type { SendingDomain } from '../../../accounts/account.ts'
import type { DnsRecord } from '../../../accounts/dns-records.ts'
import { listDomains, showDomain } from '../../../operate/domains.ts'
import type { Operation } from '../../../operate/verb.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { linkTo } from '../link.ts'
import { ownDomain } from '../own-domain.ts'
import { OF_DOMAIN } from '../schemas.ts'
import { RECORD, recordsShown } from './domain.ts'

const TEXT = { type: 'string' } as const
const KEYS = {
  type: 'array',
  items: {
    type: 'object',
    properties: { signing_domain: TEXT, selector: TEXT, dns_record: RECORD },
  },
} as const

const ofDomain = endpoint({
  method: 'GET',
  url: '/v4/domains/:domain/keys',
  operation: 'form_dkim_list',
  access: 'reading',
  schema: {
    operationId: 'formListDomainKeys',
    summary: 'The DKIM keys of a domain',
    params: OF_DOMAIN,
    response: { 200: { type: 'object', properties: { items: KEYS } } },
  },
})(async ({ caller, params }, core) => {
  const domain = await ownDomain(core, caller, params.domain)
  return { status: 200, body: { items: await keysOf(await currentOperation(core, caller), domain) } }
})

const ofAll = endpoint({
  method: 'GET',
  url: '/v1/dkim/keys',
  operation: 'form_dkim_list',
  access: 'reading',
  schema: {
    operationId: 'formListKeys',
    summary: 'The DKIM keys of all domains, in one page',
    querystring: {
      type: 'object',
      properties: { signing_domain: TEXT, selector: TEXT, page: TEXT, limit: TEXT },
    },
    response: {
      200: {
        type: 'object',
        properties: {
          items: KEYS,
          paging: { type: 'object', properties: { first: TEXT, last: TEXT, next: TEXT, previous: TEXT } },
        },
      },
    },
  },
})(async ({ caller, query, request }, core) => {
  const op = await currentOperation(core, caller)
  const { signing_domain: name, selector } = query
  const domains = (await listDomains(op, {})).filter((domain) => !name || domain.name === name.toLowerCase())
  const items = (await Promise.all(domains.map((domain) => keysOf(op, domain)))).flat()
  const page = linkTo(core, request, '/v1/dkim/keys?page=none')
  return {
    status: 200,
    body: {
      items: query.page === 'none' ? [] : items.filter((key) => !selector || key.selector === selector),
      paging: { first: linkTo(core, request, '/v1/dkim/keys'), last: page, next: page, previous: page },
    },
  }
})

async function keysOf(op: Operation, { id }: SendingDomain) {
  const { domain, records } = await showDomain(op, { domain: id })
  return domain.dkim.map(({ selector }) => {
    const own = records.filter((record: DnsRecord) => record.name.startsWith(`${selector}._domainkey.`))
    return { signing_domain: domain.name, selector, dns_record: recordsShown(domain, own)[0]! }
  })
}

export const dkimRoutes: readonly Endpoint[] = [ofDomain, ofAll]
