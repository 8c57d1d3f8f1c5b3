/** Relays of a company or a domain: operators set them, members see them. */
import { listRoutes, removeRoute, setRoute } from '../../../operate/routes.ts'
import type { Operation } from '../../../operate/verb.ts'
import { currentOperationOf } from '../../operation.ts'
import type { RELAY_ROUTES } from '../contract/domains.ts'
import type { ConsoleCore } from '../core.ts'
import type { Handlers } from '../handlers.ts'
import { oneCompany } from '../one-company.ts'
import { relayJson, requireDomain, wholeDomainJson } from './domain-lookup.ts'

async function companyRelayJson({ deps }: ConsoleCore, op: Operation, company: string) {
  const routes = await listRoutes(op, { company })
  const relay = relayJson(routes.find(({ domain }) => domain === null)?.route)
  return { relay, delivery: deps.settings.delivery.kind }
}

export const relayHandlers: Handlers<typeof RELAY_ROUTES> = {
  'GET /companies/:company/relay': async ({ op, company }, core) =>
    await companyRelayJson(core, op, oneCompany(company)),

  'PUT /companies/:company/relay': async ({ op, actingAs: caller, company, body }, core) => {
    const own = oneCompany(company)
    await setRoute(op, { company: own, ...body })
    return await companyRelayJson(core, await currentOperationOf(core, caller), own)
  },

  'DELETE /companies/:company/relay': async ({ op, actingAs: caller, company }, core) => {
    const own = oneCompany(company)
    await removeRoute(op, { company: own })
    return await companyRelayJson(core, await currentOperationOf(core, caller), own)
  },

  'PUT /companies/:company/domains/:domain/relay': async (
    { op, actingAs: caller, company, params, body },
    core,
  ) => {
    requireDomain(op, company, params.domain)
    const { domain } = await setRoute(op, { domain: params.domain, ...body })
    return wholeDomainJson(await currentOperationOf(core, caller), domain!)
  },

  'DELETE /companies/:company/domains/:domain/relay': async (
    { op, actingAs: caller, company, params },
    core,
  ) => {
    requireDomain(op, company, params.domain)
    const { domain } = await removeRoute(op, { domain: params.domain })
    return wholeDomainJson(await currentOperationOf(core, caller), domain!)
  },
}
