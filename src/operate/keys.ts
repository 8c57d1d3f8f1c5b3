import { randomUUIDv7 } from 'node:crypto'
import { type ApiKey, type Company, SCOPES, type Scope, type SendingDomain } from '../accounts/account.ts'
import { newToken } from '../accounts/token.ts'
import { canonicalRange, NotARange } from '../network/address-range.ts'
import { visibleAccounts } from './authority.ts'
import { OperateError } from './error.ts'
import { findCompany, findDomain, findKey, findWholeCompany } from './find.ts'
import { checkedName } from './names.ts'
import type { Operation } from './operation.ts'
import { verb } from './verb.ts'

const MOST_RANGES = 100

export interface NewKeyInput {
  /** Name or id. */
  company: string
  /** What it is for. */
  name: string
  /** Default: sending and reading. */
  scopes?: readonly Scope[] | undefined
  /** Name or id of the only domain it may send from. */
  domain?: string | undefined
  /** Addresses and ranges it may be used from; none: from anywhere. */
  networks?: readonly string[] | undefined
  /** Unix ms from which it works no more. */
  expiresAt?: number | undefined
}

/** The token is seen here only: its hash alone is kept. */
export const createKey = verb(
  'manage',
  async (op: Operation, input: NewKeyInput): Promise<{ key: ApiKey; token: string; company: Company }> => {
    const name = checkedName('key', input.name)
    const company = findWholeCompany(op, input.company)
    const domain = input.domain === undefined ? null : ownDomain(op, company, input.domain)
    const { token, hash } = newToken()
    const key: ApiKey = {
      id: randomUUIDv7(),
      companyId: company.id,
      name,
      tokenHash: hash,
      scopes: checkedScopes(input.scopes),
      domainId: domain?.id ?? null,
      networks: checkedRanges(input.networks ?? []),
      createdAt: op.now(),
      expiresAt: checkedExpiry(op, input.expiresAt),
      revokedAt: null,
    }
    await op.store.addKey(key)
    return { key, token, company }
  },
)

function ownDomain(op: Operation, company: Company, text: string): SendingDomain {
  const domain = findDomain(op, text)
  if (domain.companyId === company.id) return domain
  throw new OperateError('not_found', `${domain.name} is not a domain of ${company.name}`, {
    verb: 'listDomains',
    company: company.id,
  })
}

function checkedScopes(scopes: readonly Scope[] = ['sending', 'reading']): Scope[] {
  const known = [...new Set(scopes)]
  if (known.length > 0 && known.every((scope) => SCOPES.includes(scope))) return known
  throw new OperateError('invalid', `a key has at least one scope; known are ${SCOPES.join(', ')}`)
}

function checkedRanges(ranges: readonly string[]): string[] {
  try {
    const known = [...new Set(ranges.map(canonicalRange))]
    if (known.length <= MOST_RANGES) return known
  } catch (error) {
    if (!(error instanceof NotARange)) throw error
    throw new OperateError('invalid', `what names addresses ${error.message}`, null, { cause: error })
  }
  throw new OperateError('invalid', `a key has at most ${MOST_RANGES} ranges of addresses`)
}

function checkedExpiry(op: Operation, at: number | undefined): number | null {
  if (at === undefined || at > op.now()) return at ?? null
  throw new OperateError('invalid', 'the end of a key must not be past')
}

export const listKeys = verb(
  'read',
  async (op: Operation, input: { company?: string | undefined }): Promise<ApiKey[]> => {
    const { keys } = visibleAccounts(op)
    if (input.company === undefined) return keys
    const { id } = findCompany(op, input.company)
    return keys.filter(({ companyId }) => companyId === id)
  },
)

/** For good. Every node follows within a second. */
export const revokeKey = verb('manage', async (op: Operation, input: { id: string }): Promise<ApiKey> => {
  const key = findKey(op, input.id)
  const revokedAt = op.now()
  if (!(await op.store.revokeKey(key.id, revokedAt))) {
    throw new OperateError('nothing_to_do', `the key "${key.name}" was revoked before`)
  }
  return { ...key, revokedAt }
})
