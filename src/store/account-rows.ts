/** Domains and keys as both databases have them. */
import type { ApiKey, DkimIdentity, SendingDomain } from '../accounts/account.ts'
import { listOf } from './json-columns.ts'

export type DomainRow = Omit<SendingDomain, 'dkim' | 'speaksFor'> & { speaksFor: string | null }

export function domainOf(row: DomainRow, dkim: DkimIdentity[]): SendingDomain {
  return { ...row, dkim, speaksFor: listOf(row.speaksFor) }
}

export type KeyRow = Omit<ApiKey, 'scopes' | 'networks'> & { scopes: string; networks: string | null }

export function keyOf(row: KeyRow): ApiKey {
  return { ...row, scopes: listOf(row.scopes), networks: listOf(row.networks) }
}
