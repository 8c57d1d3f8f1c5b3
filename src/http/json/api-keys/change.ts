import type { Principal } from '../../../accounts/account.ts'
import { noSuchKey } from '../../../operate/find.ts'
import { renameKey, revokeKey } from '../../../operate/keys.ts'
import type { Operation } from '../../../operate/verb.ts'
import { LINE } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { BY_ID, changedSchema, deletedSchema } from '../schemas.ts'

const rename = endpoint({
  method: 'PATCH',
  url: '/api-keys/:id',
  operation: 'key_update',
  access: 'management',
  schema: {
    operationId: 'updateApiKey',
    summary: 'Rename an API key',
    params: BY_ID,
    body: { type: 'object', required: ['name'], properties: { name: LINE } },
    response: { 200: changedSchema('api_key') },
  },
})(async ({ caller, params, body }, core) => {
  const op = await operationOnKey(core, caller, params.id)
  const { id } = await renameKey(op, { id: params.id, name: body.name })
  return { status: 200, body: { object: 'api_key', id } }
})

const revoke = endpoint({
  method: 'DELETE',
  url: '/api-keys/:id',
  operation: 'key_delete',
  access: 'management',
  schema: {
    operationId: 'deleteApiKey',
    summary: 'Revoke an API key',
    params: BY_ID,
    response: { 200: deletedSchema('api_key') },
  },
})(async ({ caller, params }, core) => {
  const { id } = await revokeKey(await operationOnKey(core, caller, params.id), { id: params.id })
  // This node refuses the key from this answer on, other nodes within a second.
  await core.deps.accounts.look()
  return { status: 200, body: { object: 'api_key', id, deleted: true } }
})

/** To clients of this dialect a revoked key does not exist. */
async function operationOnKey(core: HttpCore, caller: Principal, id: string): Promise<Operation> {
  const op = await currentOperation(core, caller)
  if (op.accounts.keys.some((key) => key.id === id && key.revokedAt !== null)) throw noSuchKey(id)
  return op
}

export const keyChanges: readonly Endpoint[] = [rename, revoke]
