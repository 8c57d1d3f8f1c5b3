/** API keys: the list, and new keys, whose tokens are shown once. */
import type { Static } from 'typebox'
import type { ApiKey } from '../../accounts/account.ts'
import { visibleAccounts } from '../../operate/authority.ts'
import { OperateError } from '../../operate/error.ts'
import { companyName, noSuchKey } from '../../operate/find.ts'
import { createKey, listKeys, renameKey, revokeKey } from '../../operate/keys.ts'
import { isoTime } from '../../operate/shapes.ts'
import type { Operation } from '../../operate/verb.ts'
import type { HttpCore } from '../core.ts'
import { type Asker, type Endpoint, endpoint } from '../endpoint.ts'
import { currentOperationOf } from '../operation.ts'
import { KEY, KEY_NAME, KEY_PARAMS, KEYS, KEYS_QUERY, MADE_KEY, NEW_KEY } from './contract/keys.ts'
import { COMPANY_PARAMS, MOST_LISTED } from './contract/shapes.ts'
import { requireDomain } from './domains/found.ts'
import { oneCompany } from './one-company.ts'

const ALL = '/console/api/companies/:company/keys'
const ONE = `${ALL}/:key`

function shownKey(op: Operation, key: ApiKey): Static<typeof KEY> {
  const { id, name, companyId, scopes, domainId, networks, createdAt, expiresAt, revokedAt } = key
  const known = op.accounts.domains.find((domain) => domain.id === domainId)?.name
  return {
    id,
    name,
    scopes,
    networks,
    company: { id: companyId, name: companyName(op, companyId) },
    domain: domainId === null ? null : { id: domainId, name: known ?? domainId },
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    revokedAt: isoTime(revokedAt),
  }
}

/** The operation for a verb on this key. A key of another company than the path's does not exist, for operators too. */
async function operationOnKey(core: HttpCore, asker: Asker<'company'>, id: string): Promise<Operation> {
  const op = await currentOperationOf(core, asker.caller)
  const found = visibleAccounts(op).keys.find((key) => key.id === id)
  if (found === undefined || (asker.company !== null && found.companyId !== asker.company)) {
    throw noSuchKey(id)
  }
  return op
}

function hasEnded({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now)
}

const list = endpoint({
  method: 'GET',
  url: ALL,
  operation: 'console_key_list',
  access: 'company',
  schema: {
    operationId: 'listKeys',
    summary: 'List API keys, newest first',
    params: COMPANY_PARAMS,
    querystring: KEYS_QUERY,
    response: { 200: KEYS },
  },
})(async ({ caller, query }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const keys = await listKeys(op, caller.company === null ? {} : { company: caller.company })
  const search = query.search?.trim().toLowerCase() ?? ''
  const ended = query.ended === true
  const now = op.now()
  const found = keys
    .filter((key) => hasEnded(key, now) === ended && key.name.toLowerCase().includes(search))
    .toSorted((a, b) => b.createdAt - a.createdAt)
  const shown = found.slice(0, MOST_LISTED).map((key) => shownKey(op, key))
  return { status: 200, body: { keys: shown, total: found.length } }
})

const create = endpoint({
  method: 'POST',
  url: ALL,
  operation: 'console_key_create',
  access: 'company',
  schema: {
    operationId: 'createKey',
    summary: 'Create an API key; its token is shown only once',
    params: COMPANY_PARAMS,
    body: NEW_KEY,
    response: { 201: MADE_KEY },
  },
})(async ({ caller, body }, core) => {
  const company = oneCompany(caller)
  const op = await currentOperationOf(core, caller.caller)
  const { domain, expiresAt, ...rest } = body
  if (domain !== undefined) requireDomain(op, caller, domain)
  const { key, token } = await createKey(op, {
    ...rest,
    company,
    ...(domain !== undefined && { domain }),
    ...(expiresAt !== undefined && { expiresAt: timeOf(expiresAt) }),
  })
  return { status: 201, body: { key: shownKey(op, key), token } }
})

function timeOf(text: string): number {
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw new OperateError('invalid', 'the expiry of a key must be a time such as 2027-01-31T12:00:00Z')
}

const rename = endpoint({
  method: 'PATCH',
  url: ONE,
  operation: 'console_key_rename',
  access: 'company',
  schema: {
    operationId: 'renameKey',
    summary: 'Rename an API key',
    params: KEY_PARAMS,
    body: KEY_NAME,
    response: { 200: KEY },
  },
})(async ({ caller, params, body }, core) => {
  const op = await operationOnKey(core, caller, params.key)
  return { status: 200, body: shownKey(op, await renameKey(op, { id: params.key, name: body.name })) }
})

const revoke = endpoint({
  method: 'DELETE',
  url: ONE,
  operation: 'console_key_revoke',
  access: 'company',
  schema: {
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    params: KEY_PARAMS,
    response: { 200: KEY },
  },
})(async ({ caller, params }, core) => {
  const op = await operationOnKey(core, caller, params.key)
  const key = await revokeKey(op, { id: params.key })
  // The key stops working on this node with this answer; on other nodes within a second.
  await core.deps.accounts.look()
  return { status: 200, body: shownKey(op, key) }
})

export const keyEndpoints: readonly Endpoint[] = [list, create, rename, revoke]
