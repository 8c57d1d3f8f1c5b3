/** The domain's records in DNS. */
import { checkDomainRecord, verifyDomain } from '../../../operate/domains.ts'
import { currentOperationOf } from '../../operation.ts'
import type { RECORD_ROUTES } from '../contract/domains.ts'
import type { Works } from '../work.ts'
import { requireDomain, shownCheck, shownWhole } from './found.ts'

export const recordWorks: Works<typeof RECORD_ROUTES> = {
  // One record, so that the page shows each result as it comes, however long others take.
  'GET /companies/:company/domains/:domain/check': async ({ op, company, params, query }) => {
    requireDomain(op, company, params.domain)
    return shownCheck(await checkDomainRecord(op, { ...params, name: query.name }))
  },

  'POST /companies/:company/domains/:domain/verify': async ({ op, caller, company, params }, core) => {
    requireDomain(op, company, params.domain)
    const { domain, verification } = await verifyDomain(op, params)
    const { records, verified, uncertain } = verification
    // The verification has changed the accounts.
    const shown = shownWhole(await currentOperationOf(core, caller), domain)
    return { domain: shown, records: records.map(shownCheck), verified, uncertain }
  },
}
