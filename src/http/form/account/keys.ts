/** `/v1/keys`: API keys of the company. A new key has no more rights than the key that creates it. */

import { type ApiKey, SCOPES, type Scope } from '../../../accounts/account.ts'
import { invalidField, Refusal } from '../../../intake/refusal.ts'
import { noSuchKey } from '../../../operate/find.ts'
import { createKey, listKeys, revokeKey } from '../../../operate/keys.ts'
import { DOMAIN_NAME, ID, LINE } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { onOwnDomain } from '../own-domain.ts'
import { MESSAGE_ONLY, TEXT } from '../schemas.ts'

const URL = '/v1/keys'
const NULL = { type: 'null' } as const

const ROLES = ['admin', 'developer', 'basic', 'sending'] as const
type KeyRole = (typeof ROLES)[number]

const SCOPES_OF: Readonly<Record<KeyRole, readonly Scope[]>> = {
  admin: SCOPES,
  developer: SCOPES,
  basic: ['reading'],
  sending: ['sending'],
}

const KEY = {
  type: 'object',
  properties: {
    id: TEXT,
    description: TEXT,
    kind: { enum: ['domain', 'user'], description: '`domain`: only for that domain.' },
    role: { enum: ROLES },
    created_at: { ...TEXT, description: 'In UTC, e.g. `2026-11-20T22:55:01`.' },
    updated_at: TEXT,
    expires_at: { ...TEXT, description: 'Absent: the key does not expire.' },
    requestor: { ...NULL, description: 'Always empty: the requestor of a key is not stored.' },
    user_name: NULL,
    domain_name: { anyOf: [TEXT, NULL] },
    is_disabled: { type: 'boolean', description: 'Whether it has expired.' },
    secret: { ...TEXT, description: 'Shown only once.' },
  },
} as const

/** The only time format that the Go client parses here. */
function time(at: number): string {
  return new Date(at).toISOString().slice(0, 19)
}

function roleOf(scopes: readonly Scope[]): KeyRole {
  if (SCOPES.every((scope) => scopes.includes(scope))) return 'admin'
  if (scopes.includes('management')) return 'developer'
  return scopes.includes('reading') ? 'basic' : 'sending'
}

function keyJson({ id, name, scopes, createdAt, expiresAt }: ApiKey, domain: string | null) {
  return {
    id,
    description: name,
    kind: domain === null ? ('user' as const) : ('domain' as const),
    role: roleOf(scopes),
    created_at: time(createdAt),
    updated_at: time(createdAt),
    ...(expiresAt !== null && { expires_at: time(expiresAt) }),
    requestor: null,
    user_name: null,
    domain_name: domain,
    is_disabled: expiresAt !== null && expiresAt <= Date.now(),
  }
}

const list = route(`GET ${URL}`, {
  operation: 'key_list',
  access: 'management',
  operationId: 'formListApiKeys',
  summary: 'List the API keys that are not revoked',
  query: {
    type: 'object',
    properties: {
      domain_name: DOMAIN_NAME,
      kind: { enum: ['domain', 'user', 'web'], description: 'There are no keys of the kind `web`.' },
    },
  },
  answer: {
    type: 'object',
    properties: { total_count: { type: 'integer' }, items: { type: 'array', items: KEY } },
  },
})(async ({ caller, query }, core) => {
  const { domain_name: name, kind } = query
  const op = await currentOperation(core, caller)
  const wanted = name === undefined ? null : (await onOwnDomain(core, caller, name)).domain.id
  const keys = await listKeys(op, {})
  const items = keys
    .filter(({ revokedAt }) => revokedAt === null)
    .filter(({ domainId }) => wanted === null || domainId === wanted)
    .map((key) => keyJson(key, domainName(core, key)))
    .filter((key) => kind === undefined || key.kind === kind)
  return { total_count: items.length, items }
})

function domainName({ deps }: HttpCore, { domainId }: ApiKey): string | null {
  return domainId === null ? null : (deps.accounts.directory.domainName(domainId) ?? domainId)
}

const create = route(`POST ${URL}`, {
  operation: 'key_create',
  access: 'management',
  operationId: 'formCreateApiKey',
  summary: 'Create an API key; its secret is shown only once',
  description:
    'The new key cannot have more rights than the key of the request. User names and addresses are ignored.',
  body: {
    type: 'object',
    required: ['role'],
    properties: {
      role: {
        enum: ROLES,
        description:
          '`sending`: only the scope sending. `basic`: only reading. `admin` and `developer`: sending, reading and management.',
      },
      kind: { enum: ['domain', 'user'], description: '`domain` requires `domain_name`.' },
      domain_name: { ...DOMAIN_NAME, description: 'The only domain that the key is for.' },
      description: { ...LINE, description: 'A name for people, up to 200 characters.' },
      expiration: {
        type: 'integer',
        minimum: 0,
        maximum: 2 ** 31 - 1,
        description: 'Seconds until it expires; 0: never.',
      },
      user_id: ID,
      user_name: LINE,
      email: LINE,
    },
  },
  answer: { type: 'object', properties: { message: TEXT, key: KEY } },
})(async ({ caller, body }, core) => {
  const { role, kind, domain_name: name = '', description = '', expiration = 0 } = body
  if (kind === 'domain' && name === '') throw new Refusal({ code: 'field_missing', field: 'domain_name' })
  if (kind === 'user' && name !== '') {
    throw invalidField(
      'domain_name',
      'a key of the kind user is for all domains; use the kind domain for a key for one domain',
    )
  }
  const op = await currentOperation(core, caller)
  const domain = name === '' ? null : (await onOwnDomain(core, caller, name)).domain
  const { key, token } = await createKey(op, {
    company: caller.companyId,
    name: description.trim() === '' ? `${role} key` : description,
    scopes: SCOPES_OF[role],
    ...(domain !== null && { domain: domain.id }),
    ...(expiration > 0 && { expiresAt: op.now() + expiration * 1_000 }),
  })
  return { message: 'great success', key: { ...keyJson(key, domain?.name ?? null), secret: token } }
})

const remove = route(`DELETE ${URL}/:id`, {
  operation: 'key_delete',
  access: 'management',
  operationId: 'formDeleteApiKey',
  summary: 'Revoke an API key',
  answer: MESSAGE_ONLY,
})(async ({ caller, params: { id } }, core) => {
  const op = await currentOperation(core, caller)
  // For clients of this dialect a revoked key does not exist.
  if (op.accounts.keys.some((key) => key.id === id && key.revokedAt !== null)) throw noSuchKey(id)
  await revokeKey(op, { id })
  // This node refuses the key from this answer on, other nodes within a second.
  await core.deps.accounts.look()
  return { message: 'key deleted' }
})

export const keyRoutes: readonly Endpoint[] = [list, create, remove]
