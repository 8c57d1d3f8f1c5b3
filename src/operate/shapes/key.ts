import type { AccountsSnapshot, ApiKey } from '../../accounts/account.ts'
import type { ListedKey } from '../keys.ts'
import { isoTime } from './time.ts'

/** Without the token, which is not stored, and without its hash. */
export function keyJson(accounts: Pick<AccountsSnapshot, 'domains'>, key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    company_id: key.companyId,
    token_start: key.tokenStart,
    scopes: key.scopes,
    domain: keyDomain(accounts, key),
    networks: key.networks,
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    revoked_at: isoTime(key.revokedAt),
  }
}

/** A key as lists show it. */
export function listedKeyJson(accounts: Pick<AccountsSnapshot, 'domains'>, { lastUse, ...key }: ListedKey) {
  return {
    ...keyJson(accounts, key),
    last_used: lastUse && { at: isoTime(lastUse.at), address: lastUse.address, client: lastUse.client },
  }
}

/** The name of the only domain that a key is for; null: the key is for the whole company. */
export function keyDomain(
  { domains }: Pick<AccountsSnapshot, 'domains'>,
  { domainId }: ApiKey,
): string | null {
  if (domainId === null) return null
  return domains.find(({ id }) => id === domainId)?.name ?? domainId
}
