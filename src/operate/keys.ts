import { randomUUIDv7 } from 'node:crypto'
import { type ApiKey, type Company, type KeyUse, SCOPES, type Scope } from '../accounts/account.ts'
import { newToken } from '../accounts/token.ts'
import { AddressRanges, canonicalRange, NotARange } from '../network/address-range.ts'
import { OperateError } from './error.ts'
import {
  type CompanyFilter,
  checkedName,
  findKey,
  findOwnDomain,
  findWholeCompany,
  listedAccounts,
  noSuchKey,
} from './find.ts'
import { type Operation, verb } from './verb.ts'

const MAX_RANGES = 100
/** Ms for which a rotated key still works, unless the caller names another time. */
const OLD_KEY_LASTS = 7 * 24 * 60 * 60 * 1_000

export interface NewKeyInput {
  /** Name or id. */
  company: string
  /** The key's purpose, for people. */
  name: string
  /** Default: sending and reading. With a member's key, those of the two that the key has. */
  scopes?: readonly Scope[] | undefined
  /** Name or id of the only domain that the key may send from. */
  domain?: string | undefined
  /** Addresses and ranges that the key may be used from; empty: from anywhere. */
  networks?: readonly string[] | undefined
  /** Unix ms at which the key expires. */
  expiresAt?: number | undefined
  /** For logins over SMTP under the key's name, hashed as in `ApiKey.password`. */
  password?: string | undefined
}

/** A new key and its token. */
interface CreatedKey {
  key: ApiKey
  token: string
  company: Company
}

/** `old`: the replaced key, with its new expiry. */
interface KeyRotation extends CreatedKey {
  old: ApiKey
}

/** The scopes of a key, the networks it may be used from, and its expiry. */
type KeyBounds = Pick<ApiKey, 'scopes' | 'networks' | 'expiresAt'>

const UNBOUNDED: KeyBounds = { scopes: [...SCOPES], networks: [], expiresAt: null }
const USUAL_SCOPES: readonly Scope[] = ['sending', 'reading']

/**
 * The token is shown only here, because only its hash is stored. A member's key cannot create a key with more rights
 * than its own; bounds that the input omits are those of the member's key.
 */
export const createKey = verb(
  'manage',
  async (op, input: NewKeyInput): Promise<CreatedKey> => {
    const name = checkedName('key', input.name)
    const company = findWholeCompany(op, input.company)
    const domain = input.domain === undefined ? null : findOwnDomain(op, company, input.domain)
    const { token, hash, start } = newToken()
    const key: ApiKey = {
      id: randomUUIDv7(),
      companyId: company.id,
      name,
      tokenHash: hash,
      tokenStart: start,
      password: input.password ?? null,
      domainId: domain?.id ?? null,
      createdAt: op.now(),
      ...boundsOf(op, input),
      revokedAt: null,
    }
    await op.store.addKey(key)
    return { key, token, company }
  },
  {
    action: 'createKey',
    note({ name, domain }, made) {
      if (made === null) return { target: name }
      const { scopes, networks, expiresAt, companyId } = made.key
      return { target: made.key.name, companyId, detail: { scopes, domain, networks, expiresAt } }
    },
  },
)

/** The bounds of the caller. The restriction to one domain is checked before: see `findWholeCompany`. */
function ownBounds({ caller, accounts, now }: Operation): KeyBounds {
  if (caller.kind === 'operator') return UNBOUNDED
  // A key outlives the membership of the person who creates it, so only the person's role bounds the key.
  if (caller.kind === 'person') return { ...UNBOUNDED, scopes: [...caller.principal.scopes] }
  const own = accounts.keys.find(({ id }) => id === caller.principal.keyId)
  if (own && own.revokedAt === null && now() < (own.expiresAt ?? Number.POSITIVE_INFINITY)) return own
  throw new OperateError('not_allowed', 'this key no longer works')
}

function boundsOf(op: Operation, { scopes, networks, expiresAt }: NewKeyInput): KeyBounds {
  const own = ownBounds(op)
  const bounds = {
    scopes: scopes ? checkedScopes(scopes) : USUAL_SCOPES.filter((scope) => own.scopes.includes(scope)),
    networks: networks ? checkedRanges(networks) : own.networks,
    expiresAt: expiresAt === undefined ? own.expiresAt : checkedExpiry(op, expiresAt),
  }
  refuseBeyond(own, bounds)
  return bounds
}

function refuseBeyond(own: KeyBounds, { scopes, networks, expiresAt }: KeyBounds): void {
  const lacking = scopes.length === 0 ? 'sending' : scopes.find((scope) => !own.scopes.includes(scope))
  if (lacking !== undefined) {
    throw new OperateError(
      'not_allowed',
      `this key lacks the scope ${lacking}, and cannot give it to another key`,
    )
  }
  const ranges = new AddressRanges(own.networks)
  const everywhere = networks.length === 0
  if (ranges.size > 0 && (everywhere || !networks.every((range) => ranges.covers(range)))) {
    const from = own.networks.join(', ')
    throw new OperateError(
      'not_allowed',
      `this key works only from ${from}, and cannot create a key for other addresses`,
    )
  }
  if (own.expiresAt !== null && (expiresAt === null || expiresAt > own.expiresAt)) {
    const end = new Date(own.expiresAt).toISOString()
    throw new OperateError(
      'not_allowed',
      `this key expires at ${end}, and cannot create a key that expires later`,
    )
  }
}

function checkedScopes(scopes: readonly Scope[]): Scope[] {
  const known = [...new Set(scopes)]
  if (known.length > 0 && known.every((scope) => SCOPES.includes(scope))) return known
  throw new OperateError('invalid', `a key needs at least one scope of ${SCOPES.join(', ')}`)
}

/** Ranges in canonical spelling, without duplicates. Throws `invalid`. */
export function checkedRanges(texts: readonly string[]): string[] {
  const ranges = [...new Set(texts.map(checkedRange))]
  if (ranges.length <= MAX_RANGES) return ranges
  throw new OperateError('invalid', `a key can have at most ${MAX_RANGES} address ranges`)
}

function checkedRange(text: string): string {
  try {
    return canonicalRange(text)
  } catch (error) {
    if (!(error instanceof NotARange)) throw error
    throw new OperateError('invalid', `"${text}" ${error.message}`, null, { cause: error })
  }
}

function checkedExpiry(op: Operation, at: number): number {
  if (at > op.now()) return at
  throw new OperateError('invalid', 'the expiry of a key must be in the future')
}

/** A key with its last use; null: none was noted. */
export interface ListedKey extends ApiKey {
  lastUse: KeyUse | null
}

export const listKeys = verb(
  'see',
  async (op, of: CompanyFilter): Promise<ApiKey[]> => listedAccounts(op, of).keys,
)

/** Listed keys with their last uses. */
export async function withLastUse(
  { store }: Pick<Operation, 'store'>,
  keys: readonly ApiKey[],
): Promise<ListedKey[]> {
  const uses = await store.lastKeyUses(keys.map(({ id }) => id))
  const lastUses = new Map(uses.map((use) => [use.keyId, use]))
  return keys.map((key) => ({ ...key, lastUse: lastUses.get(key.id) ?? null }))
}

/** Changes the name; nothing else of a key can be changed. */
export const renameKey = verb(
  'manage',
  async (op, input: { id: string; name: string }): Promise<ApiKey> => {
    const name = checkedName('key', input.name)
    const key = findKey(op, input.id)
    if (await op.store.renameKey(key.id, name)) return { ...key, name }
    throw noSuchKey(input.id)
  },
  {
    action: 'renameKey',
    note({ id, name: to }, renamed, { accounts }) {
      const name = accounts.keys.find((key) => key.id === id)?.name
      return { target: name ?? id, detail: { to }, ...(renamed && { companyId: renamed.companyId }) }
    },
  },
)

/**
 * Creates a key with the name and the bounds of another one, which stops working at `endsAt` (Unix ms). Until then both
 * work, so the holder can exchange the token without a pause. As in `createKey`, the token is shown only here.
 */
export const rotateKey = verb(
  'manage',
  async (op, input: { id: string; endsAt?: number | undefined }): Promise<KeyRotation> => {
    const old = findKey(op, input.id)
    const company = findWholeCompany(op, old.companyId)
    refuseBeyond(ownBounds(op), old)
    if (old.password !== null) {
      throw new OperateError(
        'invalid',
        `the key "${old.name}" has a password of its own for SMTP: change the password instead`,
      )
    }
    const endsAt = checkedExpiry(op, input.endsAt ?? op.now() + OLD_KEY_LASTS)
    const { token, hash, start } = newToken()
    const key: ApiKey = {
      ...old,
      id: randomUUIDv7(),
      tokenHash: hash,
      tokenStart: start,
      createdAt: op.now(),
    }
    if (!(await op.store.replaceKey(old.id, key, endsAt))) {
      throw new OperateError('nothing_to_do', `the key "${old.name}" no longer works: create another one`)
    }
    return { key, token, company, old: { ...old, expiresAt: Math.min(endsAt, old.expiresAt ?? endsAt) } }
  },
  {
    action: 'rotateKey',
    note({ id }, rotated) {
      if (rotated === null) return { target: id }
      const { key, old } = rotated
      return { target: key.name, companyId: key.companyId, detail: { endsAt: old.expiresAt } }
    },
  },
)

/** Revokes a key for good. Every node follows within a second. */
export const revokeKey = verb(
  'manage',
  async (op, input: { id: string }): Promise<ApiKey> => {
    const key = findKey(op, input.id)
    const revokedAt = op.now()
    if (!(await op.store.revokeKey(key.id, revokedAt))) {
      throw new OperateError('nothing_to_do', `the key "${key.name}" is already revoked`)
    }
    return { ...key, revokedAt }
  },
  {
    action: 'revokeKey',
    note: ({ id }, key) => (key === null ? { target: id } : { target: key.name, companyId: key.companyId }),
  },
)
