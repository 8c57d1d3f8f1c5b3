/** Companies and everything that belongs to them, as it is read. */
import type { CustomRoute, SendingDomain, SourcePool } from '../../accounts/account.ts'
import {
  type ApiKeyRow,
  type ChangedRow,
  type CompanyRow,
  changedIds,
  companyOf,
  type DkimKeyRow,
  type DomainRow,
  dkimKeyOf,
  domainOf,
  keyOf,
  noChange,
  POOLS,
  poolOf,
  ROUTES,
  SELECTED_LIMITS,
  type SourcePoolRow,
} from '../account-rows.ts'
import { type QuotaUsage, usedAt } from '../quota.ts'
import type { Operations, PortSteps, Queries, ReadPort } from './port.ts'
import { type ColdStatement, statement } from './statement.ts'

type DkimRow = DkimKeyRow & { domainId: string }

/** Selects all rows, or those with one of the ids in the one value, as JSON. */
interface List<Row> {
  all: ColdStatement<Row>
  some: ColdStatement<Row>
}

function list<Row>(select: string, id: string, order: string): List<Row> {
  return {
    all: statement(`${select} ORDER BY ${order}`),
    some: statement(({ texts }) => `${select} WHERE ${id} IN (${texts('$1')}) ORDER BY ${order}`),
  }
}

const COMPANIES = list<CompanyRow>(
  `SELECT id, name, own_name AS "ownName", created_at AS "createdAt", pool,
      content_retention AS "contentRetention", logo, ${SELECTED_LIMITS}
    FROM companies`,
  'id',
  'num',
)
const DOMAINS = list<DomainRow>(
  `SELECT d.id, c.id AS "companyId", d.name, d.status, d.sending, d.created_at AS "createdAt",
      d.speaks_for AS "speaksFor", d.settings, d.seen,
      d.return_path_host AS "returnPathHost", d.lost_since AS "lostSince"
    FROM domains d JOIN companies c ON c.num = d.company`,
  'd.id',
  'd.created_at, d.id',
)
const REMOVED = list<{ id: string; name: string }>('SELECT id, name FROM removed_domains', 'id', 'id')
const DKIM = list<DkimRow>(
  `SELECT domain_id AS "domainId", id, selector, algorithm, active, public_key AS "publicKey",
      sealed_private_key AS "sealedPrivateKey", stage, stage_since AS since, seen,
      delegated, active_since AS "activeSince", seen_since AS "seenSince"
    FROM dkim_keys`,
  'domain_id',
  'domain_id, position',
)
const KEYS = list<ApiKeyRow>(
  `SELECT k.id, c.id AS "companyId", k.name, k.token_hash AS "tokenHash", k.token_start AS "tokenStart", k.password, k.scopes,
      k.domain_id AS "domainId", k.networks, k.created_at AS "createdAt", k.expires_at AS "expiresAt",
      k.revoked_at AS "revokedAt"
    FROM api_keys k JOIN companies c ON c.num = k.company`,
  'k.id',
  'k.created_at, k.id',
)

const ALL_ROUTES =
  statement<CustomRoute>(`SELECT r.id, c.id AS "companyId", nullif(r.domain_id, '') AS "domainId", r.url, r.sealed,
    r.created_at AS "createdAt"
  FROM routes r JOIN companies c ON c.num = r.company ORDER BY r.company, r.domain_id`)
const ALL_POOLS = statement<SourcePoolRow>(
  'SELECT name, addresses, warming, created_at AS "createdAt" FROM source_pools ORDER BY name',
)
const VERSION = statement<{ value: number }>("SELECT value FROM counters WHERE name = 'accounts'")
const CHANGES = statement<ChangedRow>('SELECT version, id FROM account_changes WHERE version > $1')
const QUOTA_USED = statement<QuotaUsage>(`SELECT q.day, q.daily, q.month, q.monthly
  FROM companies c JOIN quotas q ON q.company = c.num WHERE c.id = $1`)

export const accountReads = {
  *accounts(port) {
    return yield* port.snapshot(function* (db) {
      return { ...(yield* readAccounts(db)), routes: yield* db.all(ALL_ROUTES), pools: yield* readPools(db) }
    })
  },

  *accountsSince(port, since) {
    return yield* port.snapshot(function* (db) {
      const { value: now } = (yield* db.one(VERSION))!
      const ids = changedIds(yield* db.all(CHANGES, since), since, now)
      if (ids === null) return null
      if (ids.length === 0) return noChange(now)
      const changed = yield* readAccounts(db, ids)
      const routes = ids.includes(ROUTES) ? yield* db.all(ALL_ROUTES) : null
      const pools = ids.includes(POOLS) ? yield* readPools(db) : null
      return { ...changed, version: now, ids, routes, pools }
    })
  },

  *findDomain(port, id) {
    return yield* port.snapshot(function* (db) {
      return (yield* readDomains(db, [id]))[0] ?? null
    })
  },

  *accountsVersion(port) {
    return (yield* port.read.one(VERSION))!.value
  },

  *quotaUsed(port, companyId, at) {
    const { daily, monthly } = usedAt(yield* port.read.one(QUOTA_USED, companyId), at)
    return { daily, monthly }
  },
} satisfies Operations<ReadPort>

/** Everything except routes; only things with one of these ids, if ids are given. */
function* readAccounts(db: Queries, ids?: string[]) {
  const companies = (yield* rows(db, COMPANIES, ids)).map(companyOf)
  const domains = yield* readDomains(db, ids)
  const removedDomains = yield* rows(db, REMOVED, ids)
  const keys = (yield* rows(db, KEYS, ids)).map(keyOf)
  return { companies, domains, removedDomains, keys }
}

function* readPools(db: Queries): PortSteps<SourcePool[]> {
  return (yield* db.all(ALL_POOLS)).map(poolOf)
}

function* readDomains(db: Queries, ids?: string[]): PortSteps<SendingDomain[]> {
  const domains = yield* rows(db, DOMAINS, ids)
  const ofDomain = Map.groupBy(yield* rows(db, DKIM, ids), ({ domainId }) => domainId)
  return domains.map((row) => {
    const keys = ofDomain.get(row.id) ?? []
    return domainOf(
      row,
      keys.map(({ domainId: _, ...key }) => dkimKeyOf(key)),
    )
  })
}

function rows<Row>(db: Queries, { all, some }: List<Row>, ids?: string[]): PortSteps<Row[]> {
  return ids === undefined ? db.all(all) : db.all(some, ids)
}
