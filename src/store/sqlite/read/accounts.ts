import type {
  AccountsSnapshot,
  Company,
  DkimIdentity,
  Route,
  SendingDomain,
} from '../../../accounts/account.ts'
import { type KeyRow, keyOf } from '../../account-rows.ts'
import type { Suppression } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { all, one } from '../rows.ts'

const suppressions = (condition: string): string =>
  `SELECT c.id AS companyId, s.address, s.reason, s.created_at AS createdAt, s.email_id AS emailId
   FROM companies c CROSS JOIN suppressions s ON s.company = c.num ${condition}
   WHERE (?1 IS NULL OR c.id = ?1) ORDER BY s.created_at DESC, s.address LIMIT ?2`

type DkimRow = DkimIdentity & { domainId: string }

export class AccountReader extends OnConnection {
  readonly #companies = this.db.prepare(
    'SELECT id, name, created_at AS createdAt FROM companies ORDER BY num',
  )
  readonly #domains = this.db.prepare(
    `SELECT d.id, c.id AS companyId, d.name, d.status, d.sending, d.created_at AS createdAt
     FROM domains d JOIN companies c ON c.num = d.company ORDER BY d.created_at, d.id`,
  )
  readonly #dkim = this.db.prepare(
    `SELECT domain_id AS domainId, id, selector, algorithm, public_key AS publicKey,
            sealed_private_key AS sealedPrivateKey
     FROM dkim_keys ORDER BY domain_id, position`,
  )
  readonly #keys = this.db.prepare(
    `SELECT k.id, c.id AS companyId, k.name, k.token_hash AS tokenHash, k.scopes, k.domain_id AS domainId,
            k.networks, k.created_at AS createdAt, k.expires_at AS expiresAt, k.revoked_at AS revokedAt
     FROM api_keys k JOIN companies c ON c.num = k.company ORDER BY k.created_at, k.id`,
  )
  readonly #routes = this.db.prepare(
    `SELECT r.id, c.id AS companyId, nullif(r.domain_id, '') AS domainId, r.url, r.sealed, r.created_at AS createdAt
     FROM routes r JOIN companies c ON c.num = r.company ORDER BY r.company, r.domain_id`,
  )
  readonly #version = this.db.prepare("SELECT value FROM counters WHERE name = 'accounts'")
  readonly #suppressions = this.db.prepare(suppressions(''))
  readonly #suppression = this.db.prepare(suppressions('AND s.address = ?3'))

  /** Everything at one moment. To be called inside a transaction. */
  snapshot(): AccountsSnapshot {
    const domains = all<Omit<SendingDomain, 'dkim'>>(this.#domains).map((row): SendingDomain => {
      return { ...row, dkim: [] }
    })
    const byId = new Map(domains.map((domain) => [domain.id, domain]))
    for (const { domainId, ...identity } of all<DkimRow>(this.#dkim)) byId.get(domainId)?.dkim.push(identity)
    return {
      companies: all<Company>(this.#companies).map((row) => ({ ...row })),
      domains,
      keys: all<KeyRow>(this.#keys).map(keyOf),
      routes: all<Route>(this.#routes).map((row) => ({ ...row })),
    }
  }

  version(): number {
    return one<{ value: number }>(this.#version)!.value
  }

  /** Newest first. */
  suppressions(filter: { companyId?: string; address?: string; limit: number }): Suppression[] {
    const { companyId = null, address, limit } = filter
    const rows =
      address === undefined
        ? all<Suppression>(this.#suppressions, companyId, limit)
        : all<Suppression>(this.#suppression, companyId, limit, address)
    return rows.map((row) => ({ ...row }))
  }
}
