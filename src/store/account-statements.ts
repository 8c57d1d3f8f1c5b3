/** Statements about accounts, for both databases. */
import { SELECTED_LIMITS } from './account-rows.ts'

export interface Listed {
  sql: string
  /** The column to select single rows by. */
  id: string
  order: string
}

/** Selects all rows, without an order. */
export const LISTED = {
  companies: {
    sql: `SELECT id, name, created_at AS "createdAt", ${SELECTED_LIMITS} FROM companies`,
    id: 'id',
    order: 'num',
  },
  domains: {
    sql: `SELECT d.id, c.id AS "companyId", d.name, d.status, d.sending, d.created_at AS "createdAt",
        d.speaks_for AS "speaksFor", d.settings, d.seen
      FROM domains d JOIN companies c ON c.num = d.company`,
    id: 'd.id',
    order: 'd.created_at, d.id',
  },
  removed: { sql: 'SELECT id, name FROM removed_domains', id: 'id', order: 'id' },
  dkim: {
    sql: `SELECT domain_id AS "domainId", id, selector, algorithm, active, public_key AS "publicKey",
        sealed_private_key AS "sealedPrivateKey"
      FROM dkim_keys`,
    id: 'domain_id',
    order: 'domain_id, position',
  },
  keys: {
    sql: `SELECT k.id, c.id AS "companyId", k.name, k.token_hash AS "tokenHash", k.password, k.scopes,
        k.domain_id AS "domainId", k.networks, k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"
      FROM api_keys k JOIN companies c ON c.num = k.company`,
    id: 'k.id',
    order: 'k.created_at, k.id',
  },
} satisfies Record<string, Listed>

/** All routes, in order. */
export const ALL_ROUTES = `SELECT r.id, c.id AS "companyId", nullif(r.domain_id, '') AS "domainId", r.url, r.sealed,
    r.created_at AS "createdAt"
  FROM routes r JOIN companies c ON c.num = r.company ORDER BY r.company, r.domain_id`

export const ACCOUNTS_VERSION = "SELECT value FROM counters WHERE name = 'accounts'"

/**
 * A condition on a DKIM key `k`: another active key signs the domain's mail, or this one does not. Mail of a domain is
 * never left without a signature.
 */
export const OTHER_ACTIVE = `(NOT k.active OR EXISTS (
  SELECT 1 FROM dkim_keys o WHERE o.domain_id = k.domain_id AND o.id <> k.id AND o.active))`
