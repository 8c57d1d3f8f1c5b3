import { type Principal, SCOPES, type Scope } from '../../../accounts/account.ts'
import { createKey as create } from '../../../operate/keys.ts'
import { ID, LINE } from '../../bounds.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { requireDomain } from '../domains/find.ts'
import { orNull } from '../schemas.ts'

const PERMISSIONS = ['full_access', 'sending_access'] as const

export const createKey = route('POST /api-keys', {
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
  answer: {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'token'],
    properties: { id: { type: 'string' }, token: { type: 'string' } },
  },
})(async ({ caller, body }, core) => {
  const op = await currentOperation(core, caller)
  if (body.domain_id) requireDomain(op, body.domain_id)
  const { key, token } = await create(op, {
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
