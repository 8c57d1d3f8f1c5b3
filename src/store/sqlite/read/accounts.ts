import type { DatabaseSync } from 'node:sqlite'
import type { DkimIdentity, Route } from '../../../accounts/account.ts'
import {
  type CompanyRow,
  companyOf,
  type DomainRow,
  domainOf,
  type KeyRow,
  keyOf,
} from '../../account-rows.ts'
import { type Used, usedAt } from '../../quota.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

type DkimRow = Omit<DkimIdentity, 'active'> & { domainId: string; active: number }

/** Companies and what belongs to them. */
export function accounts(db: DatabaseSync): Direct<'accounts' | 'accountsVersion' | 'quotaUsed'> {
  const companies = db.prepare(
    `SELECT id, name, created_at AS createdAt, rate_limit AS rate, daily_limit AS daily, monthly_limit AS monthly
     FROM companies ORDER BY num`,
  )
  const domains = db.prepare(
    `SELECT d.id, c.id AS companyId, d.name, d.status, d.sending, d.created_at AS createdAt,
            d.speaks_for AS speaksFor, d.settings, d.seen
     FROM domains d JOIN companies c ON c.num = d.company ORDER BY d.created_at, d.id`,
  )
  const removed = db.prepare('SELECT id, name FROM removed_domains ORDER BY id')
  const dkim = db.prepare(
    `SELECT domain_id AS domainId, id, selector, algorithm, active, public_key AS publicKey,
            sealed_private_key AS sealedPrivateKey
     FROM dkim_keys ORDER BY domain_id, position`,
  )
  const keys = db.prepare(
    `SELECT k.id, c.id AS companyId, k.name, k.token_hash AS tokenHash, k.scopes, k.domain_id AS domainId,
            k.networks, k.created_at AS createdAt, k.expires_at AS expiresAt, k.revoked_at AS revokedAt
     FROM api_keys k JOIN companies c ON c.num = k.company ORDER BY k.created_at, k.id`,
  )
  const routes = db.prepare(
    `SELECT r.id, c.id AS companyId, nullif(r.domain_id, '') AS domainId, r.url, r.sealed, r.created_at AS createdAt
     FROM routes r JOIN companies c ON c.num = r.company ORDER BY r.company, r.domain_id`,
  )
  const used = db.prepare(
    `SELECT q.day, q.daily, q.month, q.monthly FROM companies c JOIN quotas q ON q.company = c.num WHERE c.id = ?`,
  )
  const version = db.prepare("SELECT value FROM counters WHERE name = 'accounts'")
  return {
    /** Everything at one moment. To be called inside a transaction. */
    accounts() {
      const ofDomain = Map.groupBy(all<DkimRow>(dkim), ({ domainId }) => domainId)
      return {
        companies: all<CompanyRow>(companies).map(companyOf),
        domains: all<DomainRow>(domains).map((row) => {
          const identities = ofDomain.get(row.id) ?? []
          return domainOf(
            row,
            identities.map(({ domainId: _, active, ...identity }) => ({ ...identity, active: active === 1 })),
          )
        }),
        removedDomains: all<{ id: string; name: string }>(removed),
        keys: all<KeyRow>(keys).map(keyOf),
        routes: all<Route>(routes),
      }
    },
    quotaUsed(companyId, at) {
      const { daily, monthly } = usedAt(one<Used>(used, companyId), at)
      return { daily, monthly }
    },
    accountsVersion: () => one<{ value: number }>(version)!.value,
  }
}
