import type { DatabaseSync } from 'node:sqlite'
import type { Company, DkimIdentity, Route } from '../../../accounts/account.ts'
import { type DomainRow, domainOf, type KeyRow, keyOf } from '../../account-rows.ts'
import type { Suppression } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

type DkimRow = DkimIdentity & { domainId: string }

/** Companies and what belongs to them. */
export function accounts(db: DatabaseSync): Direct<'accounts' | 'accountsVersion' | 'listSuppressions'> {
  const companies = db.prepare('SELECT id, name, created_at AS createdAt FROM companies ORDER BY num')
  const domains = db.prepare(
    `SELECT d.id, c.id AS companyId, d.name, d.status, d.sending, d.created_at AS createdAt,
            d.speaks_for AS speaksFor
     FROM domains d JOIN companies c ON c.num = d.company ORDER BY d.created_at, d.id`,
  )
  const dkim = db.prepare(
    `SELECT domain_id AS domainId, id, selector, algorithm, public_key AS publicKey,
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
  const version = db.prepare("SELECT value FROM counters WHERE name = 'accounts'")
  const suppressions = (condition: string) =>
    db.prepare(
      `SELECT c.id AS companyId, s.address, s.reason, s.created_at AS createdAt, s.email_id AS emailId
       FROM companies c CROSS JOIN suppressions s ON s.company = c.num ${condition}
       WHERE (?1 IS NULL OR c.id = ?1) ORDER BY s.created_at DESC, s.address LIMIT ?2`,
    )
  const listed = suppressions('')
  const ofAddress = suppressions('AND s.address = ?3')
  return {
    /** Everything at one moment. To be called inside a transaction. */
    accounts() {
      const ofDomain = Map.groupBy(all<DkimRow>(dkim), ({ domainId }) => domainId)
      return {
        companies: all<Company>(companies),
        domains: all<DomainRow>(domains).map((row) => {
          const identities = ofDomain.get(row.id) ?? []
          return domainOf(
            row,
            identities.map(({ domainId: _, ...identity }) => identity),
          )
        }),
        keys: all<KeyRow>(keys).map(keyOf),
        routes: all<Route>(routes),
      }
    },
    accountsVersion: () => one<{ value: number }>(version)!.value,
    /** Newest first. */
    listSuppressions: ({ companyId = null, address, limit }) =>
      address === undefined
        ? all<Suppression>(listed, companyId, limit)
        : all<Suppression>(ofAddress, companyId, limit, address),
  }
}
