/** The domain's records in DNS. */
import type { DnsProvider } from '../../../accounts/dns-providers.ts'
import { findDomainZone } from '../../../operate/dns-provider.ts'
import { checkDomainRecord, verifyDomain } from '../../../operate/domain-verification.ts'
import { checkSender } from '../../../operate/sender-checks.ts'
import { recordCheckJson } from '../../../operate/shapes/domain.ts'
import { currentOperationOf } from '../../operation.ts'
import type { RECORD_ROUTES } from '../contract/domains.ts'
import type { Handlers } from '../handlers.ts'
import { requireDomain, wholeDomainJson } from './domain-lookup.ts'

/** Name servers that the page shows. */
const MAX_SERVERS = 4

export const recordHandlers: Handlers<typeof RECORD_ROUTES> = {
  // One record, so that the page shows each result as it comes, however long others take.
  'GET /companies/:company/domains/:domain/check': async ({ op, company, params, query }) => {
    requireDomain(op, company, params.domain)
    return recordCheckJson(await checkDomainRecord(op, { ...params, ...query }))
  },

  'GET /companies/:company/domains/:domain/sender': async ({ op, company, params }) => {
    requireDomain(op, company, params.domain)
    return { checks: await checkSender(op, params) }
  },

  'GET /companies/:company/domains/:domain/zone': async ({ op, company, params }) => {
    requireDomain(op, company, params.domain)
    const { zone, nameServers, provider } = await findDomainZone(op, params)
    return {
      zone,
      nameServers: nameServers.slice(0, MAX_SERVERS),
      provider: provider && providerJson(provider),
    }
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

function providerJson({ steps, notes, ...provider }: DnsProvider) {
  return { ...provider, steps: [...steps], notes: [...notes] }
}
