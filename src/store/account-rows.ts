/** Companies, domains and keys as both databases have them. */
import {
  type ApiKey,
  type Company,
  type CompanyLimits,
  type DkimIdentity,
  DOMAIN_SETTINGS,
  type SendingDomain,
} from '../accounts/account.ts'
import { listOf, mapOf } from './json-columns.ts'

export type CompanyRow = Omit<Company, 'limits'> & CompanyLimits

export function companyOf({ rate, daily, monthly, ...row }: CompanyRow): Company {
  return { ...row, limits: { rate, daily, monthly } }
}

export type DomainRow = Omit<SendingDomain, 'dkim' | 'speaksFor' | 'settings' | 'seen'> &
  Record<'speaksFor' | 'settings' | 'seen', string | null>

export function domainOf(row: DomainRow, dkim: DkimIdentity[]): SendingDomain {
  const settings = { ...DOMAIN_SETTINGS, ...mapOf(row.settings) }
  return { ...row, dkim, speaksFor: listOf(row.speaksFor), settings, seen: mapOf(row.seen) }
}

export type KeyRow = Omit<ApiKey, 'scopes' | 'networks'> & { scopes: string; networks: string | null }

export function keyOf(row: KeyRow): ApiKey {
  return { ...row, scopes: listOf(row.scopes), networks: listOf(row.networks) }
}

/** For each limit whether it is changed (1 or 0), and what it is then. */
export function limitColumns({ rate, daily, monthly }: Partial<CompanyLimits>): (number | null)[] {
  return [rate, daily, monthly].flatMap((limit) => [limit === undefined ? 0 : 1, limit ?? null])
}
