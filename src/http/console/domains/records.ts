/** The domain's records in DNS. */
import { checkDomainRecord, verifyDomain } from '../../../operate/domains.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import { DOMAIN_PARAMS, RECORD_CHECK, RECORD_QUERY, VERIFIED_DOMAIN } from '../contract/domains.ts'
import { operationOnDomain, shownCheck, shownWhole } from './found.ts'

const ONE = '/console/api/companies/:company/domains/:domain'

/** Checks one record, so that the page shows each result as it comes, however long others take. */
const check = endpoint({
  method: 'GET',
  url: `${ONE}/check`,
  operation: 'console_domain_check',
  access: 'company',
  schema: {
    operationId: 'checkRecord',
    summary: 'Look up one DNS record of a domain, without changing anything',
    params: DOMAIN_PARAMS,
    querystring: RECORD_QUERY,
    response: { 200: RECORD_CHECK },
  },
})(async ({ caller, params, query }, core) => {
  const op = await operationOnDomain(core, caller, params.domain)
  return { status: 200, body: shownCheck(await checkDomainRecord(op, { ...params, name: query.name })) }
})

const verify = endpoint({
  method: 'POST',
  url: `${ONE}/verify`,
  operation: 'console_domain_verify',
  access: 'company',
  schema: {
    operationId: 'verifyDomain',
    summary: 'Verify the DNS records of a domain, and activate sending if they are correct',
    params: DOMAIN_PARAMS,
    response: { 200: VERIFIED_DOMAIN },
  },
})(async ({ caller, params }, core) => {
  const { domain, verification } = await verifyDomain(
    await operationOnDomain(core, caller, params.domain),
    params,
  )
  const { records, verified, uncertain } = verification
  // The domain's new state: the verification has changed the accounts.
  const op = await currentOperationOf(core, caller.caller)
  const body = { domain: shownWhole(op, domain), records: records.map(shownCheck), verified, uncertain }
  return { status: 200, body }
})

export const domainRecordEndpoints: readonly Endpoint[] = [check, verify]
