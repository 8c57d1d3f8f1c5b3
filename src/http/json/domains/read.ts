import { listDomains, showDomain } from '../../../operate/domains.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { listSchema, pageOf, WHOLE_OR_PAGE } from '../list.ts'
import { BY_ID } from '../schemas.ts'
import { DOMAIN, DOMAIN_WITH_RECORDS, domainJson, domainWithRecordsJson } from './domain.ts'
import { operationOnDomain } from './find.ts'

const list = endpoint({
  method: 'GET',
  url: '/domains',
  operation: 'domain_list',
  access: 'management',
  schema: {
    operationId: 'listDomains',
    summary: 'List sending domains, newest first',
    querystring: WHOLE_OR_PAGE,
    response: { 200: listSchema(DOMAIN) },
  },
})(async ({ caller, query }, core) => {
  const domains = await listDomains(await currentOperation(core, caller), {})
  return { status: 200, body: pageOf(domains.toReversed().map(domainJson), query) }
})

const read = endpoint({
  method: 'GET',
  url: '/domains/:id',
  operation: 'domain_read',
  access: 'management',
  schema: {
    operationId: 'getDomain',
    summary: 'Get a sending domain with its DNS records',
    params: BY_ID,
    response: { 200: DOMAIN_WITH_RECORDS },
  },
})(async ({ caller, params }, core) => {
  const op = await operationOnDomain(core, caller, params.id)
  const { domain, records } = await showDomain(op, { domain: params.id })
  return { status: 200, body: domainWithRecordsJson(domain, records) }
})

export const domainReads: readonly Endpoint[] = [list, read]
