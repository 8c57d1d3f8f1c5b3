/** `/api-keys`: the API keys of a company. */
import { type Principal, SCOPES, type Scope } from '../../../accounts/account.ts'
import { noSuchKey } from '../../../operate/find.ts'
import { createKey, listKeys, renameKey, revokeKey, withLastUse } from '../../../operate/keys.ts'
import { ID, LINE } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { object, orNull } from '../../object-schema.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { requireDomain } from '../domains/domain.ts'
import { listSchema, WHOLE_OR_PAGE, wholeOrPage } from '../list.ts'
import { operationOn } from '../operation-on.ts'
import { changedSchema, deletedSchema } from '../schemas.ts'
import { timestamp } from '../timestamp.ts'

const PERMISSIONS = ['full_access', 'sending_access'] as const

const create = route('POST /api-keys', {
  operation: 'key_create',
  access: 'management',
  operationId: 'createApiKey',
  summary: 'Create an API key; its token is shown only once',
  body: {
    type: 'object',
    required: ['name'],
    examples: [{ name: 'Shop', permission: 'sending_access' }],
    properties: {
      name: { ...LINE, description: 'A name for people, up to 200 characters.' },
      permission: orNull({
        enum: PERMISSIONS,
        description:
          '`sending_access`: only the scope sending. `full_access`: sending, reading and management. ' +
          'Default: the scopes of the key of the request.',
      }),
      domain_id: orNull({ ...ID, description: 'The only domain it may send from.' }),
    },
  },
  status: 201,
  answer: object({ id: { type: 'string' }, token: { type: 'string' } }),
})(async ({ caller, body }, core) => {
  const op = await currentOperation(core, caller)
  if (body.domain_id) requireDomain(op, body.domain_id)
  const { key, token } = await createKey(op, {
    company: caller.companyId,
    name: body.name,
    scopes: scopesOf(body.permission ?? null, caller),
    ...(body.domain_id && { domain: body.domain_id }),
  })
  return { id: key.id, token }
})

function scopesOf(permission: (typeof PERMISSIONS)[number] | null, caller: Principal): readonly Scope[] {
  if (permission === 'sending_access') return ['sending']
  return permission === 'full_access' ? SCOPES : [...caller.scopes]
}

const KEY = object({
  id: { type: 'string' },
  name: { type: 'string' },
  created_at: { type: 'string' },
  last_used_at: orNull({ type: 'string', description: 'Noted within a minute.' }),
})

const list = route('GET /api-keys', {
  operation: 'key_list',
  access: 'management',
  operationId: 'listApiKeys',
  summary: 'List the API keys that are not revoked, newest first',
  query: WHOLE_OR_PAGE,
  answer: listSchema(KEY),
})(async ({ caller, query }, core) => {
  const op = await currentOperation(core, caller)
  const keys = (await listKeys(op, {})).filter(({ revokedAt }) => revokedAt === null)
  const shown = (await withLastUse(op, keys)).map(({ id, name, createdAt, lastUse }) => {
    return { id, name, created_at: timestamp(createdAt), last_used_at: lastUse && timestamp(lastUse.at) }
  })
  return await wholeOrPage(shown.reverse(), query)
})

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

/** For clients of this dialect a revoked key does not exist. */
const operationOnKey = operationOn((op, id) => {
  if (op.accounts.keys.some((key) => key.id === id && key.revokedAt !== null)) throw noSuchKey(id)
})

export const keyRoutes: readonly Endpoint[] = [create, list, rename, revoke]
