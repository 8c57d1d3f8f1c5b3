/** API keys: the list, and new keys, whose tokens are shown once. */
import type { Static } from 'typebox'
import type { ApiKey, KeyUse } from '../../accounts/account.ts'
import { visibleAccounts } from '../../operate/authority.ts'
import { OperateError } from '../../operate/error.ts'
import { companyName, noSuchKey } from '../../operate/find.ts'
import { createKey, listKeys, renameKey, revokeKey, rotateKey, withLastUse } from '../../operate/keys.ts'
import { isoTime } from '../../operate/shapes/time.ts'
import type { Operation } from '../../operate/verb.ts'
import type { KEY, KEY_ROUTES, LISTED_KEY } from './contract/keys.ts'
import { MAX_LISTED } from './contract/shapes.ts'
import { requireDomain } from './domains/domain-lookup.ts'
import type { Handlers } from './handlers.ts'
import { oneCompany } from './one-company.ts'

function keyJson(op: Operation, key: ApiKey): Static<typeof KEY> {
  const { id, name, companyId, scopes, domainId, networks, createdAt, expiresAt, revokedAt, tokenStart } = key
  const known = op.accounts.domains.find((domain) => domain.id === domainId)?.name
  return {
    id,
    name,
    scopes,
    networks,
    tokenStart,
    company: { id: companyId, name: companyName(op, companyId) },
    domain: domainId === null ? null : { id: domainId, name: known ?? domainId },
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    revokedAt: isoTime(revokedAt),
  }
}

function lastUseJson(use: KeyUse | null): Static<typeof LISTED_KEY>['lastUse'] {
  if (use === null) return null
  const { at, address, client } = use
  return { at: isoTime(at), address, client }
}

/** A key of another company than the path's does not exist, for operators too. */
function requireKey(op: Operation, company: string | null, id: string): void {
  const found = visibleAccounts(op).keys.find((key) => key.id === id)
  if (found === undefined || (company !== null && found.companyId !== company)) throw noSuchKey(id)
}

function hasEnded({ revokedAt, expiresAt }: ApiKey, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now)
}

function timeOf(text: string): number {
  const at = Date.parse(text)
  if (!Number.isNaN(at)) return at
  throw new OperateError('invalid', 'the expiry of a key must be a time such as 2027-01-31T12:00:00Z')
}

export const keyHandlers: Handlers<typeof KEY_ROUTES> = {
  'GET /companies/:company/keys': async ({ op, company, query }) => {
    const keys = await listKeys(op, company === null ? {} : { company })
    const search = query.search?.trim().toLowerCase() ?? ''
    const ended = query.ended === true
    const now = op.now()
    const found = keys
      .filter((key) => hasEnded(key, now) === ended && key.name.toLowerCase().includes(search))
      .toSorted((a, b) => b.createdAt - a.createdAt)
    const listed = await withLastUse(op, found.slice(0, MAX_LISTED))
    const shown = listed.map(({ lastUse, ...key }) => ({
      ...keyJson(op, key),
      lastUse: lastUseJson(lastUse),
    }))
    return { keys: shown, total: found.length }
  },

  'POST /companies/:company/keys': async ({ op, company, body }) => {
    const own = oneCompany(company)
    const { domain, expiresAt, ...rest } = body
    if (domain !== undefined) requireDomain(op, company, domain)
    const { key, token } = await createKey(op, {
      ...rest,
      company: own,
      ...(domain !== undefined && { domain }),
      ...(expiresAt !== undefined && { expiresAt: timeOf(expiresAt) }),
    })
    return { key: keyJson(op, key), token }
  },

  'PATCH /companies/:company/keys/:key': async ({ op, company, params, body }) => {
    requireKey(op, company, params.key)
    return keyJson(op, await renameKey(op, { id: params.key, name: body.name }))
  },

  'POST /companies/:company/keys/:key/rotation': async ({ op, company, params, body }) => {
    requireKey(op, company, params.key)
    const { key, token, old } = await rotateKey(op, { id: params.key, endsAt: timeOf(body.endsAt) })
    return { key: keyJson(op, key), token, old: keyJson(op, old) }
  },

  'DELETE /companies/:company/keys/:key': async ({ op, company, params }, core) => {
    requireKey(op, company, params.key)
    const key = await revokeKey(op, { id: params.key })
    // The key stops working on this node with this answer; on other nodes within a second.
    await core.deps.accounts.look()
    return keyJson(op, key)
  },
}
