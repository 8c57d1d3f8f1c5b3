import { listDomains, showDomain } from '../../../operate/domains.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { listSchema, WHOLE_OR_PAGE, wholeOrPage } from '../list.ts'
import { DOMAIN, DOMAIN_WITH_RECORDS, domainJson, domainWithRecordsJson } from './domain.ts'
import { operationOnDomain } from './find.ts'

const list = route('GET /domains', {
  operation: 'domain_list',
  access: 'management',
  operationId: 'listDomains',
  summary: 'List sending domains, newest first',
  query: WHOLE_OR_PAGE,
  answer: listSchema(DOMAIN),
})(async ({ caller, query }, core) => {
  const domains = await listDomains(await currentOperation(core, caller), {})
  return await wholeOrPage(domains.toReversed().map(domainJson), query)
})

const read = route('GET /domains/:id', {
  operation: 'domain_read',
  access: 'management',
  operationId: 'getDomain',
  summary: 'Get a sending domain with its DNS records',
  answer: DOMAIN_WITH_RECORDS,
})(async ({ caller, params }, core) => {
  const op = await operationOnDomain(core, caller, params.id)
  const { domain, records } = await showDomain(op, { domain: params.id })
  return domainWithRecordsJson(domain, records)
})

export const domainReads: readonly Endpoint[] = [list, read]
