import type { Principal } from '../../../accounts/account.ts'
import { noSuchKey } from '../../../operate/find.ts'
import { renameKey, revokeKey } from '../../../operate/keys.ts'
import type { Operation } from '../../../operate/verb.ts'
import { LINE } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { changedSchema, deletedSchema } from '../schemas.ts'

const rename = route('PATCH /api-keys/:id', {
  operation: 'key_update',
  access: 'management',
  operationId: 'updateApiKey',
  summary: 'Rename an API key',
  body: { type: 'object', required: ['name'], properties: { name: LINE } },
  answer: changedSchema('api_key'),
})(async ({ caller, params, body }, core) => {
  const op = await operationOnKey(core, caller, params.id)
  const { id } = await renameKey(op, { id: params.id, name: body.name })
  return { object: 'api_key', id }
})

const revoke = route('DELETE /api-keys/:id', {
  operation: 'key_delete',
  access: 'management',
  operationId: 'deleteApiKey',
  summary: 'Revoke an API key',
  answer: deletedSchema('api_key'),
})(async ({ caller, params }, core) => {
  const { id } = await revokeKey(await operationOnKey(core, caller, params.id), { id: params.id })
  // This node refuses the key from this answer on, other nodes within a second.
  await core.deps.accounts.look()
  return { object: 'api_key', id, deleted: true }
})

/** To clients of this dialect a revoked key does not exist. */
async function operationOnKey(core: HttpCore, caller: Principal, id: string): Promise<Operation> {
  const op = await currentOperation(core, caller)
  if (op.accounts.keys.some((key) => key.id === id && key.revokedAt !== null)) throw noSuchKey(id)
  return op
}

export const keyChanges: readonly Endpoint[] = [rename, revoke]
