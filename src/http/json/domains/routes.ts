/** `/domains`: the sending domains of a company. */

import { verifyDomain } from '../../../operate/domain-verification.ts'
import { addDomain, listDomains, removeDomain, showDomain, updateDomain } from '../../../operate/domains.ts'
import { DOMAIN_NAME } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { listSchema, WHOLE_OR_PAGE, wholeOrPage } from '../list.ts'
import { operationOn } from '../operation-on.ts'
import { changedSchema, deletedSchema } from '../schemas.ts'
import {
  DOMAIN,
  DOMAIN_WITH_RECORDS,
  domainJson,
  domainWithRecordsJson,
  OPTIONS,
  requireDomain,
  settingsIn,
} from './domain.ts'

const operationOnDomain = operationOn(requireDomain)

const create = route('POST /domains', {
  operation: 'domain_create',
  access: 'management',
  operationId: 'createDomain',
  summary: 'Add a sending domain and get the DNS records to publish',
  body: {
    type: 'object',
    required: ['name'],
    examples: [{ name: 'mail.example.com', open_tracking: false }],
    properties: { name: { ...DOMAIN_NAME, minLength: 1 }, ...OPTIONS },
  },
  status: 201,
  answer: DOMAIN_WITH_RECORDS,
})(async ({ caller, body }, core) => {
  const settings = settingsIn(body)
  const op = await currentOperation(core, caller)
  const { domain, records } = await addDomain(op, { company: caller.companyId, name: body.name, settings })
  return domainWithRecordsJson(domain, records)
})

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

const update = route('PATCH /domains/:id', {
  operation: 'domain_update',
  access: 'management',
  operationId: 'updateDomain',
  summary: 'Change the settings of a sending domain',
  body: { type: 'object', properties: OPTIONS },
  answer: changedSchema('domain'),
})(async ({ caller, params, body }, core) => {
  const settings = settingsIn(body)
  const { id } = await updateDomain(await operationOnDomain(core, caller, params.id), {
    domain: params.id,
    settings,
  })
  return { object: 'domain', id }
})

const verify = route('POST /domains/:id/verify', {
  operation: 'domain_verify',
  access: 'management',
  operationId: 'verifyDomain',
  summary: 'Verify the DNS records of a sending domain, and activate sending if they are correct',
  description: 'The answer comes once DNS has answered; `GET /domains/{id}` shows the result.',
  answer: changedSchema('domain'),
})(async ({ caller, params }, core) => {
  const { domain } = await verifyDomain(await operationOnDomain(core, caller, params.id), {
    domain: params.id,
  })
  return { object: 'domain', id: domain.id }
})

const remove = route('DELETE /domains/:id', {
  operation: 'domain_delete',
  access: 'management',
  operationId: 'deleteDomain',
  summary: 'Delete a sending domain',
  description: 'API keys restricted to it are revoked. Waiting mail from it fails at its next attempt.',
  answer: deletedSchema('domain'),
})(async ({ caller, params }, core) => {
  const { id } = await removeDomain(await operationOnDomain(core, caller, params.id), { domain: params.id })
  // This node accepts nothing more from the domain after this answer, other nodes within a second.
  await core.deps.accounts.look()
  return { object: 'domain', id, deleted: true }
})

export const domainRoutes: readonly Endpoint[] = [create, list, read, update, verify, remove]
