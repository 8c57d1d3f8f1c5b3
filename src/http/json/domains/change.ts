import { removeDomain, updateDomain, verifyDomain } from '../../../operate/domains.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { changedSchema, deletedSchema } from '../schemas.ts'
import { OPTIONS, settingsIn } from './domain.ts'
import { operationOnDomain } from './find.ts'

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

export const domainChanges: readonly Endpoint[] = [update, verify, remove]
