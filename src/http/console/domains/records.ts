/** The domain's records in DNS. */
import { checkDomainRecord, verifyDomain } from '../../../operate/domain-verification.ts'
import { checkSender } from '../../../operate/sender-checks.ts'
import { currentOperationOf } from '../../operation.ts'
import type { RECORD_ROUTES } from '../contract/domains.ts'
import type { Works } from '../work.ts'
import { recordCheckJson, requireDomain, wholeDomainJson } from './domain-lookup.ts'

export const recordWorks: Works<typeof RECORD_ROUTES> = {
  // One record, so that the page shows each result as it comes, however long others take.
  'GET /companies/:company/domains/:domain/check': async ({ op, company, params, query }) => {
    requireDomain(op, company, params.domain)
    return recordCheckJson(await checkDomainRecord(op, { ...params, ...query }))
  },

  'GET /companies/:company/domains/:domain/sender': async ({ op, company, params }) => {
    requireDomain(op, company, params.domain)
    return { checks: await checkSender(op, params) }
  },

  'POST /companies/:company/domains/:domain/verify': async (
    { op, actingAs: caller, company, params },
    core,
  ) => {
    requireDomain(op, company, params.domain)
    const { domain, verification } = await verifyDomain(op, params)
    const { records, verified, uncertain } = verification
    // The verification has changed the accounts.
    const shown = await wholeDomainJson(await currentOperationOf(core, caller), domain)
    return { domain: shown, records: records.map(recordCheckJson), verified, uncertain }
  },
}
