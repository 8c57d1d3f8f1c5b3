import { removeDomain, updateDomain, verifyDomain } from '../../../operate/domains.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { BY_ID, changedSchema, deletedSchema } from '../schemas.ts'
import { OPTIONS, settingsIn } from './domain.ts'
import { operationOnDomain } from './find.ts'

const update = endpoint({
  method: 'PATCH',
  url: '/domains/:id',
  operation: 'domain_update',
  access: 'management',
  schema: {
    operationId: 'updateDomain',
    summary: 'Change the settings of a sending domain',
    params: BY_ID,
    body: { type: 'object', properties: OPTIONS },
    response: { 200: changedSchema('domain') },
  },
})(async ({ caller, params, body }, core) => {
  const settings = settingsIn(body)
  const { id } = await updateDomain(await operationOnDomain(core, caller, params.id), {
    domain: params.id,
    settings,
  })
  return { status: 200, body: { object: 'domain', id } }
})

const verify = endpoint({
  method: 'POST',
  url: '/domains/:id/verify',
  operation: 'domain_verify',
  access: 'management',
  schema: {
    operationId: 'verifyDomain',
    summary: 'Verify the DNS records of a sending domain, and activate sending if they are correct',
    description: 'The answer comes once DNS has answered; `GET /domains/{id}` shows the result.',
    params: BY_ID,
    response: { 200: changedSchema('domain') },
  },
})(async ({ caller, params }, core) => {
  const { domain } = await verifyDomain(await operationOnDomain(core, caller, params.id), {
    domain: params.id,
  })
  return { status: 200, body: { object: 'domain', id: domain.id } }
})

const remove = endpoint({
  method: 'DELETE',
  url: '/domains/:id',
  operation: 'domain_delete',
  access: 'management',
  schema: {
    operationId: 'deleteDomain',
    summary: 'Delete a sending domain',
    description: 'API keys restricted to it are revoked. Waiting mail from it fails at its next attempt.',
    params: BY_ID,
    response: { 200: deletedSchema('domain') },
  },
})(async ({ caller, params }, core) => {
  const { id } = await removeDomain(await operationOnDomain(core, caller, params.id), { domain: params.id })
  // This node accepts nothing more from the domain after this answer, other nodes within a second.
  await core.deps.accounts.look()
  return { status: 200, body: { object: 'domain', id, deleted: true } }
})

export const domainChanges: readonly Endpoint[] = [update, verify, remove]
