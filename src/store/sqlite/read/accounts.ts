import type { DatabaseSync } from 'node:sqlite'
import type { DkimIdentity, Route, SendingDomain } from '../../../accounts/account.ts'
import {
  type ChangedRow,
  type CompanyRow,
  changedIds,
  companyOf,
  type DomainRow,
  domainOf,
  type KeyRow,
  keyOf,
  ROUTES,
  SELECTED_LIMITS,
  unchanged,
} from '../../account-rows.ts'
import { type Used, usedAt } from '../../quota.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

type DkimRow = Omit<DkimIdentity, 'active'> & { domainId: string; active: number }

/** Of all, or of those whose ids are in the one parameter, in JSON. */
function statements(db: DatabaseSync, which: 'all' | 'some') {
  const prepare = (sql: string, id: string, order: string) => {
    const where = which === 'all' ? '' : `WHERE ${id} IN (SELECT value FROM json_each(?))`
    return db.prepare(`${sql} ${where} ORDER BY ${order}`)
  }
  return {
    companies: prepare(
      `SELECT id, name, created_at AS createdAt, ${SELECTED_LIMITS} FROM companies`,
      'id',
      'num',
    ),
    domains: prepare(
      `SELECT d.id, c.id AS companyId, d.name, d.status, d.sending, d.created_at AS createdAt,
              d.speaks_for AS speaksFor, d.settings, d.seen
       FROM domains d JOIN companies c ON c.num = d.company`,
      'd.id',
      'd.created_at, d.id',
    ),
    removed: prepare('SELECT id, name FROM removed_domains', 'id', 'id'),
    dkim: prepare(
      `SELECT domain_id AS domainId, id, selector, algorithm, active, public_key AS publicKey,
              sealed_private_key AS sealedPrivateKey
       FROM dkim_keys`,
      'domain_id',
      'domain_id, position',
    ),
    keys: prepare(
      `SELECT k.id, c.id AS companyId, k.name, k.token_hash AS tokenHash, k.scopes, k.domain_id AS domainId,
              k.networks, k.created_at AS createdAt, k.expires_at AS expiresAt, k.revoked_at AS revokedAt
       FROM api_keys k JOIN companies c ON c.num = k.company`,
      'k.id',
      'k.created_at, k.id',
    ),
  }
}

type Statements = ReturnType<typeof statements>

function domainsFrom({ domains, dkim }: Statements, ids: string[]): SendingDomain[] {
  const ofDomain = Map.groupBy(all<DkimRow>(dkim, ...ids), ({ domainId }) => domainId)
  return all<DomainRow>(domains, ...ids).map((row) => {
    const identities = ofDomain.get(row.id) ?? []
    return domainOf(
      row,
      identities.map(({ domainId: _, active, ...identity }) => ({ ...identity, active: active === 1 })),
    )
  })
}

/** Everything but routes, at one moment. To be called inside a transaction. */
function read(from: Statements, ...ids: string[]) {
  return {
    companies: all<CompanyRow>(from.companies, ...ids).map(companyOf),
    domains: domainsFrom(from, ids),
    removedDomains: all<{ id: string; name: string }>(from.removed, ...ids),
    keys: all<KeyRow>(from.keys, ...ids).map(keyOf),
  }
}

type AccountReads = 'accounts' | 'accountsSince' | 'accountsVersion' | 'findDomain' | 'quotaUsed'

/** Companies and what belongs to them. */
export function accounts(db: DatabaseSync): Direct<AccountReads> {
  const everything = statements(db, 'all')
  const some = statements(db, 'some')
  const routes = db.prepare(
    `SELECT r.id, c.id AS companyId, nullif(r.domain_id, '') AS domainId, r.url, r.sealed, r.created_at AS createdAt
     FROM routes r JOIN companies c ON c.num = r.company ORDER BY r.company, r.domain_id`,
  )
  const used = db.prepare(
    `SELECT q.day, q.daily, q.month, q.monthly FROM companies c JOIN quotas q ON q.company = c.num WHERE c.id = ?`,
  )
  const version = db.prepare("SELECT value FROM counters WHERE name = 'accounts'")
  const changes = db.prepare('SELECT version, id FROM account_changes WHERE version > ?')
  const versionNow = () => one<{ value: number }>(version)!.value
  return {
    accounts: () => ({ ...read(everything), routes: all<Route>(routes) }),
    accountsSince(since) {
      const now = versionNow()
      const ids = changedIds(all<ChangedRow>(changes, since), since, now)
      if (ids === null) return null
      if (ids.length === 0) return unchanged(now)
      const changed = read(some, JSON.stringify(ids))
      return { ...changed, version: now, ids, routes: ids.includes(ROUTES) ? all<Route>(routes) : null }
    },
    findDomain: (id) => domainsFrom(some, [JSON.stringify([id])])[0] ?? null,
    quotaUsed(companyId, at) {
      const { daily, monthly } = usedAt(one<Used>(used, companyId), at)
      return { daily, monthly }
    },
    accountsVersion: versionNow,
  }
}
