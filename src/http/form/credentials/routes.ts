/**
 * `/v3/domains/{domain}/credentials`: logins for SMTP. Each is an API key that may only send, from this domain; its
 * token is the password, which is made here and shown once.
 */

import type { ApiKey, SendingDomain } from '../../../accounts/account.ts'
import { invalidField, Refusal } from '../../../intake/refusal.ts'
import { createKey, listKeys, revokeKey } from '../../../operate/keys.ts'
import type { Operation } from '../../../operate/verb.ts'
import { LINE, PATH_NAME } from '../../bounds.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { Fault } from '../../fault.ts'
import { mailDate } from '../date.ts'
import { onOwnDomain } from '../own-domain.ts'
import { OF_DOMAIN } from '../schemas.ts'

const URL = '/v3/domains/:domain/credentials'
const TEXT = { type: 'string' } as const
const OF_LOGIN = {
  type: 'object',
  required: ['domain', 'login'],
  properties: { domain: PATH_NAME, login: PATH_NAME },
} as const
const PASSWORD = {
  ...LINE,
  description: 'Not taken: the service makes it, and answers it once.',
} as const
const MADE = {
  type: 'object',
  required: ['message', 'credentials'],
  properties: {
    message: TEXT,
    note: TEXT,
    credentials: { type: 'object', additionalProperties: TEXT },
  },
} as const
const NOTE = 'This is the only time that the password is shown'

const list = endpoint({
  method: 'GET',
  url: URL,
  operation: 'form_credential_list',
  access: 'reading',
  schema: {
    operationId: 'formListCredentials',
    summary: 'The SMTP logins of a domain',
    params: OF_DOMAIN,
    querystring: {
      type: 'object',
      required: ['limit', 'skip'],
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
        skip: { type: 'integer', minimum: 0, default: 0 },
      },
    },
    response: {
      200: {
        type: 'object',
        properties: {
          total_count: { type: 'integer' },
          items: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                login: TEXT,
                mailbox: TEXT,
                created_at: TEXT,
                size_bytes: { type: 'null' },
              },
            },
          },
        },
      },
    },
  },
})(async ({ caller, params, query }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const all = await credentialsOf(op, domain)
  const items = all.slice(query.skip, query.skip + query.limit).map(({ name, createdAt }) => {
    return { login: name, mailbox: name, created_at: mailDate(createdAt), size_bytes: null }
  })
  return { status: 200, body: { total_count: all.length, items } }
})

const create = endpoint({
  method: 'POST',
  url: URL,
  operation: 'form_credential_create',
  access: 'management',
  schema: {
    operationId: 'formCreateCredential',
    summary: 'Makes an SMTP login, whose password is shown this once',
    params: OF_DOMAIN,
    body: { type: 'object', required: ['login'], properties: { login: LINE, password: PASSWORD } },
    response: { 200: MADE },
  },
})(async ({ caller, params, body }, core) => {
  refusePassword(body.password)
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const login = loginAt(domain, body.login)
  if ((await credentialsOf(op, domain)).some(({ name }) => name === login)) {
    throw new Fault({ code: 'request_invalid', detail: 'A credential with this login exists already' })
  }
  const password = await made(op, domain, login)
  const message = 'Created 1 credentials pair(s)'
  return { status: 200, body: { message, note: NOTE, credentials: { [login]: password } } }
})

const update = endpoint({
  method: 'PUT',
  url: `${URL}/:login`,
  operation: 'form_credential_update',
  access: 'management',
  schema: {
    operationId: 'formUpdateCredential',
    summary: 'Gives an SMTP login another password, which is shown this once',
    params: OF_LOGIN,
    body: { type: 'object', properties: { password: PASSWORD } },
    response: { 200: MADE },
  },
})(async ({ caller, params, body }, core) => {
  refusePassword(body.password)
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const { id, name } = await credentialOf(op, domain, params.login)
  const password = await made(op, domain, name)
  await revokeKey(op, { id })
  return { status: 200, body: { message: 'Password changed', note: NOTE, credentials: { [name]: password } } }
})

const remove = endpoint({
  method: 'DELETE',
  url: `${URL}/:login`,
  operation: 'form_credential_remove',
  access: 'management',
  schema: {
    operationId: 'formRemoveCredential',
    summary: 'Ends an SMTP login',
    params: OF_LOGIN,
    response: { 200: { type: 'object', properties: { message: TEXT, spec: TEXT } } },
  },
})(async ({ caller, params }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const { id, name } = await credentialOf(op, domain, params.login)
  await revokeKey(op, { id })
  return { status: 200, body: { message: 'Credentials have been deleted', spec: name } }
})

const clear = endpoint({
  method: 'DELETE',
  url: URL,
  operation: 'form_credential_clear',
  access: 'management',
  schema: {
    operationId: 'formClearCredentials',
    summary: 'Ends every SMTP login of a domain',
    params: OF_DOMAIN,
    response: {
      200: { type: 'object', properties: { message: TEXT, count: { type: 'integer' } } },
    },
  },
})(async ({ caller, params }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const all = await credentialsOf(op, domain)
  for (const { id } of all) await revokeKey(op, { id })
  const message = 'All domain credentials have been deleted'
  return { status: 200, body: { message, count: all.length } }
})

/** Keys that were made here: they are called by the login. */
async function credentialsOf(op: Operation, { id, name }: SendingDomain): Promise<ApiKey[]> {
  const keys = await listKeys(op, {})
  return keys.filter((key) => key.domainId === id && key.revokedAt === null && key.name.endsWith(`@${name}`))
}

async function credentialOf(op: Operation, domain: SendingDomain, text: string): Promise<ApiKey> {
  const login = loginAt(domain, text)
  const found = (await credentialsOf(op, domain)).find(({ name }) => name === login)
  if (found !== undefined) return found
  throw new Fault({ code: 'operation_refused', why: 'not_found', detail: 'Credentials not found' })
}

async function made(op: Operation, domain: SendingDomain, login: string): Promise<string> {
  const { companyId: company, id } = domain
  const { token } = await createKey(op, { company, name: login, scopes: ['sending'], domain: id })
  return token
}

/** `postmaster`, or `postmaster@` and the domain. Throws a Refusal. */
function loginAt({ name }: SendingDomain, text: string): string {
  const at = text.lastIndexOf('@')
  const user = at < 0 ? text : text.slice(0, at)
  if (user === '') throw new Refusal({ code: 'field_missing', field: 'login' })
  if (at >= 0 && text.slice(at + 1).toLowerCase() !== name) {
    throw invalidField('login', `it must be at ${name}, the domain of the path`)
  }
  return `${user.toLowerCase()}@${name}`
}

function refusePassword(password: string | undefined): void {
  if (password === undefined || password === '') return
  throw invalidField(
    'password',
    'passwords are made by this service, and shown once in the answer; leave it out',
  )
}

export const credentialRoutes: readonly Endpoint[] = [list, create, update, remove, clear]
