/** Sending domains: the list, their settings, and the permission to send. */
import {
  activateDomain,
  addDomain,
  listDomains,
  removeDomain,
  showDomain,
  suspendDomain,
  updateDomain,
} from '../../../operate/domains.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import {
  DOMAIN_CHANGE,
  DOMAIN_PARAMS,
  DOMAINS,
  DOMAINS_QUERY,
  NEW_DOMAIN,
  SENDING_CHANGE,
  WHOLE_DOMAIN,
} from '../contract/domains.ts'
import { COMPANY_PARAMS, DONE, MOST_LISTED } from '../contract/shapes.ts'
import { oneCompany } from '../one-company.ts'
import { operationOnDomain, requireDomain, shownDomain, shownWhole } from './found.ts'

const ALL = '/console/api/companies/:company/domains'
const ONE = `${ALL}/:domain`

const list = endpoint({
  method: 'GET',
  url: ALL,
  operation: 'console_domain_list',
  access: 'company',
  schema: {
    operationId: 'listDomains',
    summary: 'List sending domains, newest first',
    params: COMPANY_PARAMS,
    querystring: DOMAINS_QUERY,
    response: { 200: DOMAINS },
  },
})(async ({ caller, query }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const all = await listDomains(op, caller.company === null ? {} : { company: caller.company })
  const search = query.search?.trim().toLowerCase() ?? ''
  const found = all
    .filter(({ name, sending }) => name.includes(search) && sending === (query.sending ?? sending))
    .toSorted((a, b) => b.createdAt - a.createdAt)
  const domains = found.slice(0, MOST_LISTED).map((domain) => shownDomain(op, domain))
  return { status: 200, body: { domains, total: found.length } }
})

const add = endpoint({
  method: 'POST',
  url: ALL,
  operation: 'console_domain_add',
  access: 'company',
  schema: {
    operationId: 'addDomain',
    summary: 'Add a sending domain and get the DNS records to publish',
    params: COMPANY_PARAMS,
    body: NEW_DOMAIN,
    response: { 201: WHOLE_DOMAIN },
  },
})(async ({ caller, body }, core) => {
  const company = oneCompany(caller)
  const op = await currentOperationOf(core, caller.caller)
  const { domain } = await addDomain(op, { company, ...body })
  return { status: 201, body: shownWhole(op, domain) }
})

const read = endpoint({
  method: 'GET',
  url: ONE,
  operation: 'console_domain_read',
  access: 'company',
  schema: {
    operationId: 'readDomain',
    summary: 'Get a sending domain with its records, DKIM keys and route',
    params: DOMAIN_PARAMS,
    response: { 200: WHOLE_DOMAIN },
  },
})(async ({ caller, params }, core) => {
  const op = await operationOnDomain(core, caller, params.domain)
  const { domain } = await showDomain(op, params)
  return { status: 200, body: shownWhole(op, domain) }
})

const update = endpoint({
  method: 'PATCH',
  url: ONE,
  operation: 'console_domain_update',
  access: 'company',
  schema: {
    operationId: 'updateDomain',
    summary: 'Change the other domains that mail of a domain may use in From',
    params: DOMAIN_PARAMS,
    body: DOMAIN_CHANGE,
    response: { 200: WHOLE_DOMAIN },
  },
})(async ({ caller, params, body }, core) => {
  const op = await operationOnDomain(core, caller, params.domain)
  for (const id of body.speaksFor ?? []) requireDomain(op, caller, id)
  const domain = await updateDomain(op, { domain: params.domain, ...body })
  return { status: 200, body: shownWhole(op, domain) }
})

const setSending = endpoint({
  method: 'PUT',
  url: `${ONE}/sending`,
  operation: 'console_domain_sending',
  access: 'company',
  schema: {
    operationId: 'setSending',
    summary: 'Activate or suspend sending from a domain, as an operator',
    params: DOMAIN_PARAMS,
    body: SENDING_CHANGE,
    response: { 200: WHOLE_DOMAIN },
  },
})(async ({ caller, params, body }, core) => {
  const op = await operationOnDomain(core, caller, params.domain)
  const change = body.sending === 'active' ? activateDomain : suspendDomain
  return { status: 200, body: shownWhole(op, await change(op, params)) }
})

const remove = endpoint({
  method: 'DELETE',
  url: ONE,
  operation: 'console_domain_remove',
  access: 'company',
  schema: {
    operationId: 'removeDomain',
    summary: 'Delete a sending domain',
    params: DOMAIN_PARAMS,
    response: { 200: DONE },
  },
})(async ({ caller, params }, core) => {
  await removeDomain(await operationOnDomain(core, caller, params.domain), params)
  // Nothing more is accepted from the domain by this node; by other nodes within a second.
  await core.deps.accounts.look()
  return { status: 200, body: {} }
})

export const domainEndpoints: readonly Endpoint[] = [list, add, read, update, setSending, remove]
