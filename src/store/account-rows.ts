/** Converts companies, domains and keys between rows of either database and objects. */
import {
  type AccountsChange,
  type ApiKey,
  type Company,
  type CompanyLimits,
  type DkimIdentity,
  type DkimStage,
  DOMAIN_SETTINGS,
  holdsName,
  type LimitedResource,
  MAX_DKIM_KEYS,
  type SendingDomain,
  type SourcePool,
  USUAL_MAX,
} from '../accounts/account.ts'
import { listOf, mapOf } from './json-columns.ts'
import { OverLimit } from './store.ts'

const LIMIT_COLUMN: Readonly<Record<keyof CompanyLimits, string>> = {
  rate: 'rate_limit',
  daily: 'daily_limit',
  monthly: 'monthly_limit',
  domains: 'domain_limit',
  keys: 'key_limit',
  webhooks: 'webhook_limit',
}
const LIMIT_NAMES = Object.keys(LIMIT_COLUMN) as (keyof CompanyLimits)[]

/** For SELECT, each column under its name, and for INSERT, in the order of `limitValues`. */
export const SELECTED_LIMITS = LIMIT_NAMES.map((name) => `${LIMIT_COLUMN[name]} AS "${name}"`).join(', ')
export const LIMIT_COLUMNS = Object.values(LIMIT_COLUMN).join(', ')

export function limitValues(limits: CompanyLimits): (number | null)[] {
  return LIMIT_NAMES.map((name) => limits[name])
}

/** The columns of a change, with their new values. */
export function changedLimits(limits: Partial<CompanyLimits>): [column: string, value: number | null][] {
  return LIMIT_NAMES.flatMap((name) => {
    const value = limits[name]
    return value === undefined ? [] : [[LIMIT_COLUMN[name], value]]
  })
}

export type CompanyRow = Omit<Company, 'ownName' | 'limits' | 'pool' | 'contentRetention' | 'logo'> & {
  ownName: string | null
  pool: string | null
  contentRetention: number | null
  logo: string | null
} & CompanyLimits

export function companyOf({
  id,
  name,
  ownName,
  createdAt,
  pool,
  contentRetention,
  logo,
  ...limits
}: CompanyRow): Company {
  return {
    id,
    name,
    ...(ownName !== null && { ownName }),
    createdAt,
    limits,
    ...(pool !== null && { pool }),
    ...(contentRetention !== null && { contentRetention }),
    ...(logo !== null && { logo }),
  }
}

export type SourcePoolRow = Omit<SourcePool, 'addresses' | 'warming'> &
  Record<'addresses' | 'warming', string>

export function poolOf(row: SourcePoolRow): SourcePool {
  return { ...row, addresses: listOf(row.addresses), warming: mapOf(row.warming) }
}

export function limitColumn(owned: LimitedResource): string {
  return LIMIT_COLUMN[owned]
}

/** Throws OverLimit when there is no room for one more. `own`: the company's own limit. */
export function refuseFull(owned: LimitedResource, count: number, own: number | null): void {
  const most = own ?? USUAL_MAX[owned]
  if (count < most) return
  const what = owned === 'keys' ? 'API keys' : owned
  throw new OverLimit(
    `This company has as many ${what} as it may have (${most}). Remove one of them, or ask the operator of this service ` +
      'for a higher limit',
  )
}

/** Throws OverLimit when the domain may have no further DKIM key. `count`: the keys it has. */
export function refuseFullOfKeys(count: number): void {
  if (count < MAX_DKIM_KEYS) return
  throw new OverLimit(
    `This domain has as many DKIM keys as one may have (${MAX_DKIM_KEYS}). Remove one of them first`,
  )
}

/** The reason why a new domain cannot have its name. */
export function takenName(domain: Pick<SendingDomain, 'name' | 'status' | 'sending'>): string {
  if (holdsName(domain)) return domainHeldMessage(domain.name)
  return `The domain ${domain.name} already exists`
}

export function domainHeldMessage(name: string): string {
  return `${name} is already a sending domain of another company; a domain belongs to one company`
}

/**
 * Revoked keys of a company that are kept in memory, newest first: a client that makes and revokes keys all day must
 * not fill the memory of every node.
 */
export const REVOKED_KEPT = 100

/** A node that lags by more versions, or more changed things, than this reads everything again. */
export const VERSIONS_KEPT = 5_000
const MAX_CHANGED = 500
/** The id that stands for all routes together among the ids of changed things. */
export const ROUTES = 'routes'
/** The same for pools. */
export const POOLS = 'pools'

/** The version of a change, and the id of the thing it changed. */
export interface ChangedRow {
  version: number
  id: string
}

/**
 * The ids of the things changed since a version. Null when the stored changes do not lead from there to the present
 * version without a gap: the version is too old, or was raised by hand.
 */
export function changedIds(rows: readonly ChangedRow[], since: number, now: number): string[] | null {
  const ids = new Set(rows.map(({ id }) => id))
  const versions = new Set(rows.map(({ version }) => version))
  if (since > now || versions.size !== now - since || ids.size > MAX_CHANGED) return null
  return [...ids]
}

export function noChange(version: number): AccountsChange {
  const none = { companies: [], domains: [], removedDomains: [], keys: [], routes: null, pools: null }
  return { version, ids: [], ...none }
}

export type DomainRow = Omit<SendingDomain, 'dkim' | 'speaksFor' | 'settings' | 'seen'> &
  Record<'speaksFor' | 'settings' | 'seen', string | null>

export function domainOf(row: DomainRow, dkim: DkimIdentity[]): SendingDomain {
  const settings = { ...DOMAIN_SETTINGS, ...mapOf(row.settings) }
  return { ...row, dkim, speaksFor: listOf(row.speaksFor), settings, seen: mapOf(row.seen) }
}

export type DkimKeyRow = Omit<DkimIdentity, 'active' | 'delegated' | 'rotation'> & {
  active: number | boolean
  delegated: number | boolean
  stage: DkimStage | null
  since: number | null
}

export function dkimKeyOf({ active, delegated, stage, since, ...key }: DkimKeyRow): DkimIdentity {
  return {
    ...key,
    active: Boolean(active),
    delegated: Boolean(delegated),
    rotation: stage === null ? null : { stage, since: since! },
  }
}

export type ApiKeyRow = Omit<ApiKey, 'scopes' | 'networks'> & { scopes: string; networks: string | null }

export function keyOf(row: ApiKeyRow): ApiKey {
  return { ...row, scopes: listOf(row.scopes), networks: listOf(row.networks) }
}
