/** What verbs give, as JSON: each noun once, for every way in. Times are ISO 8601 in UTC. */
import type { AccountsSnapshot, ApiKey, Company, SendingDomain } from '../accounts/account.ts'
import { type DnsRecord, zoneLine } from '../accounts/dns-records.ts'
import type { RecordCheck } from '../accounts/verify.ts'

/** Unix ms as ISO 8601; null stays null. */
export function isoTime(at: number): string
export function isoTime(at: number | null): string | null
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

export function companyJson({ id, name, createdAt }: Company) {
  return { id, name, created_at: isoTime(createdAt) }
}

export function domainJson(domain: SendingDomain) {
  return {
    id: domain.id,
    name: domain.name,
    company_id: domain.companyId,
    status: domain.status,
    sending: domain.sending,
    created_at: isoTime(domain.createdAt),
  }
}

export function dnsRecordJson(record: DnsRecord) {
  const { kind, type, name, value, required, purpose } = record
  return { kind, type, name, value, required, purpose, zone: zoneLine(record) }
}

export function recordCheckJson(record: RecordCheck) {
  const { state, found, advice } = record
  return { ...dnsRecordJson(record), state, found, advice }
}

/** Without the token, which nobody has any more, and without its hash. */
export function keyJson(accounts: Pick<AccountsSnapshot, 'domains'>, key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    company_id: key.companyId,
    scopes: key.scopes,
    domain: keyDomain(accounts, key),
    networks: key.networks,
    created_at: isoTime(key.createdAt),
    expires_at: isoTime(key.expiresAt),
    revoked_at: isoTime(key.revokedAt),
  }
}

/** The name of the one domain a key is for; null: of all of its company. */
export function keyDomain(
  { domains }: Pick<AccountsSnapshot, 'domains'>,
  { domainId }: ApiKey,
): string | null {
  if (domainId === null) return null
  return domains.find(({ id }) => id === domainId)?.name ?? domainId
}
