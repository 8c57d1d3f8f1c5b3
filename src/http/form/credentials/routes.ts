/**
 * `/v3/domains/{domain}/credentials`: logins for SMTP. Each is an API key that may only send, from this domain. The
 * client may choose its password; otherwise its token is the password, which is shown once.
 */

import type { ApiKey, SendingDomain } from '../../../accounts/account.ts'
import { isToken } from '../../../accounts/token.ts'
import { Fault } from '../../../ingress/fault.ts'
import { mailDate } from '../../../ingress/message-form/date.ts'
import { invalidField, Refusal } from '../../../intake/refusal.ts'
import { OperateError } from '../../../operate/error.ts'
import { createKey, listKeys, revokeKey } from '../../../operate/keys.ts'
import type { Operation } from '../../../operate/verb.ts'
import { passwordProblem } from '../../../people/password-rule.ts'
import { LINE } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { onOwnDomain } from '../own-domain.ts'
import { TEXT } from '../schemas.ts'

const URL = '/v3/domains/:domain/credentials'
const PASSWORD = {
  ...LINE,
  description: 'Without a password, the service creates one and returns it once.',
} as const
const MADE = {
  type: 'object',
  required: ['message'],
  properties: {
    message: TEXT,
    note: TEXT,
    credentials: { type: 'object', additionalProperties: TEXT },
  },
} as const
const NOTE = 'The password is shown only this once'

const list = route(`GET ${URL}`, {
  operation: 'form_credential_list',
  access: 'reading',
  operationId: 'formListCredentials',
  summary: 'List the SMTP logins of a domain',
  query: {
    type: 'object',
    required: ['limit', 'skip'],
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
      skip: { type: 'integer', minimum: 0, default: 0 },
    },
  },
  answer: {
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
})(async ({ caller, params, query }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const all = await credentialsOf(op, domain)
  const items = all.slice(query.skip, query.skip + query.limit).map(({ name, createdAt }) => {
    return { login: name, mailbox: name, created_at: mailDate(createdAt), size_bytes: null }
  })
  return { total_count: all.length, items }
})

const create = route(`POST ${URL}`, {
  operation: 'form_credential_create',
  access: 'management',
  operationId: 'formCreateCredential',
  summary: 'Create an SMTP login; a generated password is shown only once',
  body: { type: 'object', required: ['login'], properties: { login: LINE, password: PASSWORD } },
  answer: MADE,
})(async ({ caller, params, body }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const login = loginAt(domain, body.login)
  if ((await credentialsOf(op, domain)).some(({ name }) => name === login)) {
    throw alreadyThere()
  }
  const { key, shown } = await makeLogin(core, op, domain, login, body.password)
  // A repeated request may have created the login meanwhile: hashing takes long, and impatient clients retry.
  const now = await onOwnDomain(core, caller, params.domain)
  if ((await othersThan(key, now)).some(({ id }) => id < key.id)) {
    await revoke(now.op, [key])
    throw alreadyThere()
  }
  return { message: 'Created 1 credentials pair(s)', ...shown }
})

const update = route(`PUT ${URL}/:login`, {
  operation: 'form_credential_update',
  access: 'management',
  operationId: 'formUpdateCredential',
  summary: 'Change the password of an SMTP login; a generated password is shown only once',
  body: { type: 'object', properties: { password: PASSWORD } },
  answer: MADE,
})(async ({ caller, params, body }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const [{ name }] = await keysOf(op, domain, params.login)
  const { key, shown } = await makeLogin(core, op, domain, name, body.password)
  // The last of several simultaneous changes stays.
  const now = await onOwnDomain(core, caller, params.domain)
  const older = (await othersThan(key, now)).filter(({ id }) => id < key.id)
  await revoke(now.op, older)
  return { message: 'Password changed', ...shown }
})

const remove = route(`DELETE ${URL}/:login`, {
  operation: 'form_credential_remove',
  access: 'management',
  operationId: 'formRemoveCredential',
  summary: 'Delete an SMTP login',
  answer: { type: 'object', properties: { message: TEXT, spec: TEXT } },
})(async ({ caller, params }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const keys = await keysOf(op, domain, params.login)
  await revoke(op, keys)
  return { message: 'Credentials have been deleted', spec: keys[0].name }
})

const clear = route(`DELETE ${URL}`, {
  operation: 'form_credential_clear',
  access: 'management',
  operationId: 'formClearCredentials',
  summary: 'Delete all SMTP logins of a domain',
  answer: { type: 'object', properties: { message: TEXT, count: { type: 'integer' } } },
})(async ({ caller, params }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const all = await credentialsOf(op, domain)
  await revoke(op, all)
  const message = 'All domain credentials have been deleted'
  return { message, count: all.length }
})

/** The keys that these routes created: their name is the login. */
async function credentialsOf(op: Operation, { id, name }: SendingDomain): Promise<ApiKey[]> {
  const keys = await listKeys(op, {})
  return keys.filter((key) => key.domainId === id && key.revokedAt === null && key.name.endsWith(`@${name}`))
}

/** The keys of a login, the oldest first: several while a password is changed. Throws a Fault if there are none. */
async function keysOf(op: Operation, domain: SendingDomain, text: string): Promise<[ApiKey, ...ApiKey[]]> {
  const login = loginAt(domain, text)
  const [first, ...more] = (await credentialsOf(op, domain)).filter(({ name }) => name === login)
  if (first !== undefined) return [first, ...more]
  throw new Fault({ code: 'operation_refused', why: 'not_found', detail: 'Credentials not found' })
}

/** The other keys of the same login. Ids are in the order of time. */
async function othersThan(
  { id, name }: ApiKey,
  { op, domain }: { op: Operation; domain: SendingDomain },
): Promise<ApiKey[]> {
  return (await credentialsOf(op, domain)).filter((key) => key.name === name && key.id !== id)
}

async function revoke(op: Operation, keys: readonly ApiKey[]): Promise<void> {
  for (const { id } of keys) {
    try {
      await revokeKey(op, { id })
    } catch (error) {
      // Another request has revoked it meanwhile.
      if (!(error instanceof OperateError && error.code === 'nothing_to_do')) throw error
    }
  }
}

function alreadyThere(): Fault {
  return new Fault({ code: 'request_invalid', detail: 'A credential with this login already exists' })
}

interface CreatedLogin {
  key: ApiKey
  /** Fields of the answer. A password that the client chose is not among them. */
  shown: { note?: string; credentials?: Record<string, string> }
}

async function makeLogin(
  { smtpLogins }: HttpCore,
  op: Operation,
  { companyId, id, name }: SendingDomain,
  login: string,
  chosen: string | undefined,
): Promise<CreatedLogin> {
  const wanted = { company: companyId, name: login, scopes: ['sending'], domain: id } as const
  if (chosen === undefined || chosen === '') {
    const { key, token } = await createKey(op, wanted)
    return { key, shown: { note: NOTE, credentials: { [login]: token } } }
  }
  assertPassword(chosen, [login, name])
  const { key } = await createKey(op, { ...wanted, password: await smtpLogins.hash(chosen, companyId) })
  return { key, shown: {} }
}

/** Throws a Refusal for a weak password. `own`: words that others would guess. */
function assertPassword(password: string, own: readonly string[]): void {
  // A password in the form of a token would be looked up among the keys.
  const problem = isToken(password)
    ? 'this password belongs to another API key'
    : passwordProblem(password, own)
  if (problem !== null) throw invalidField('password', problem)
}

/** Accepts `postmaster`, or `postmaster@` and the domain. Throws a Refusal. */
function loginAt({ name }: SendingDomain, text: string): string {
  const at = text.lastIndexOf('@')
  const user = at < 0 ? text : text.slice(0, at)
  if (user === '') throw new Refusal({ code: 'field_missing', field: 'login' })
  if (at >= 0 && text.slice(at + 1).toLowerCase() !== name) {
    throw invalidField('login', `it must be an address at ${name}, the domain of the path`)
  }
  return `${user.toLowerCase()}@${name}`
}

export const credentialRoutes: readonly Endpoint[] = [list, create, update, remove, clear]
