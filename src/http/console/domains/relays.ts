/** Relays of a company or a domain: operators set them, members see them. */
import { listRoutes, removeRoute, setRoute } from '../../../operate/routes.ts'
import type { Operation } from '../../../operate/verb.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import { COMPANY_RELAY, DOMAIN_PARAMS, NEW_RELAY, WHOLE_DOMAIN } from '../contract/domains.ts'
import { COMPANY_PARAMS } from '../contract/shapes.ts'
import { oneCompany } from '../one-company.ts'
import { operationOnDomain, shownRelay, shownWhole } from './found.ts'

const OF_ALL = '/console/api/companies/:company/relay'
const OF_ONE = '/console/api/companies/:company/domains/:domain/relay'

async function shownOfCompany({ deps }: HttpCore, op: Operation, company: string) {
  const routes = await listRoutes(op, { company })
  const relay = shownRelay(routes.find(({ domain }) => domain === null)?.route)
  return { relay, delivery: deps.settings.delivery.kind }
}

const read = endpoint({
  method: 'GET',
  url: OF_ALL,
  operation: 'console_relay_read',
  access: 'company',
  schema: {
    operationId: 'readRelay',
    summary: 'Get the relay of a company',
    params: COMPANY_PARAMS,
    response: { 200: COMPANY_RELAY },
  },
})(async ({ caller }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  return { status: 200, body: await shownOfCompany(core, op, oneCompany(caller)) }
})

const set = endpoint({
  method: 'PUT',
  url: OF_ALL,
  operation: 'console_relay_set',
  access: 'company',
  schema: {
    operationId: 'setRelay',
    summary: 'Send the mail of a company through its own relay',
    params: COMPANY_PARAMS,
    body: NEW_RELAY,
    response: { 200: COMPANY_RELAY },
  },
})(async ({ caller, body }, core) => {
  const company = oneCompany(caller)
  await setRoute(await currentOperationOf(core, caller.caller), { company, ...body })
  const op = await currentOperationOf(core, caller.caller)
  return { status: 200, body: await shownOfCompany(core, op, company) }
})

const remove = endpoint({
  method: 'DELETE',
  url: OF_ALL,
  operation: 'console_relay_remove',
  access: 'company',
  schema: {
    operationId: 'removeRelay',
    summary: 'Remove the relay of a company',
    params: COMPANY_PARAMS,
    response: { 200: COMPANY_RELAY },
  },
})(async ({ caller }, core) => {
  const company = oneCompany(caller)
  await removeRoute(await currentOperationOf(core, caller.caller), { company })
  const op = await currentOperationOf(core, caller.caller)
  return { status: 200, body: await shownOfCompany(core, op, company) }
})

const setOfDomain = endpoint({
  method: 'PUT',
  url: OF_ONE,
  operation: 'console_domain_relay_set',
  access: 'company',
  schema: {
    operationId: 'setDomainRelay',
    summary: 'Send the mail of a domain through its own relay',
    params: DOMAIN_PARAMS,
    body: NEW_RELAY,
    response: { 200: WHOLE_DOMAIN },
  },
})(async ({ caller, params, body }, core) => {
  const { domain } = await setRoute(await operationOnDomain(core, caller, params.domain), {
    domain: params.domain,
    ...body,
  })
  const op = await currentOperationOf(core, caller.caller)
  return { status: 200, body: shownWhole(op, domain!) }
})

const removeOfDomain = endpoint({
  method: 'DELETE',
  url: OF_ONE,
  operation: 'console_domain_relay_remove',
  access: 'company',
  schema: {
    operationId: 'removeDomainRelay',
    summary: 'Remove the relay of a domain',
    params: DOMAIN_PARAMS,
    response: { 200: WHOLE_DOMAIN },
  },
})(async ({ caller, params }, core) => {
  const { domain } = await removeRoute(await operationOnDomain(core, caller, params.domain), {
    domain: params.domain,
  })
  const op = await currentOperationOf(core, caller.caller)
  return { status: 200, body: shownWhole(op, domain!) }
})

export const relayEndpoints: readonly Endpoint[] = [read, set, remove, setOfDomain, removeOfDomain]
