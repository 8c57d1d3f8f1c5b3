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
  unchanged,
} from '../../account-rows.ts'
import { ACCOUNTS_VERSION, ALL_ROUTES, LISTED, type Listed } from '../../account-statements.ts'
import { type Used, usedAt } from '../../quota.ts'
import type { AccountReads } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

type DkimRow = Omit<DkimIdentity, 'active'> & { domainId: string; active: number }

/** Statements for all rows, or for those whose ids are in the one parameter, as JSON. */
function statements(db: DatabaseSync, which: 'all' | 'some') {
  const prepare = ({ sql, id, order }: Listed) => {
    const where = which === 'all' ? '' : `WHERE ${id} IN (SELECT value FROM json_each(?))`
    return db.prepare(`${sql} ${where} ORDER BY ${order}`)
  }
  const { companies, domains, removed, dkim, keys } = LISTED
  return {
    companies: prepare(companies),
    domains: prepare(domains),
    removed: prepare(removed),
    dkim: prepare(dkim),
    keys: prepare(keys),
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

/** Everything except routes, at one moment. Must be called inside a transaction. */
function read(from: Statements, ...ids: string[]) {
  return {
    companies: all<CompanyRow>(from.companies, ...ids).map(companyOf),
    domains: domainsFrom(from, ids),
    removedDomains: all<{ id: string; name: string }>(from.removed, ...ids),
    keys: all<KeyRow>(from.keys, ...ids).map(keyOf),
  }
}

/** Companies and everything that belongs to them. */
export function accounts(db: DatabaseSync): Direct<keyof AccountReads> {
  const everything = statements(db, 'all')
  const some = statements(db, 'some')
  const routes = db.prepare(ALL_ROUTES)
  const used = db.prepare(
    `SELECT q.day, q.daily, q.month, q.monthly FROM companies c JOIN quotas q ON q.company = c.num WHERE c.id = ?`,
  )
  const version = db.prepare(ACCOUNTS_VERSION)
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
