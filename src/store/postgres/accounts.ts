import type { DkimIdentity, Route, SendingDomain } from '../../accounts/account.ts'
import {
  type CompanyRow,
  companyOf,
  type DomainRow,
  domainOf,
  type KeyRow,
  keyOf,
  limitColumns,
} from '../account-rows.ts'
import { jsonOrNull, listText, mapText } from '../json-columns.ts'
import { type Used, usedAt } from '../quota.ts'
import { type AccountStore, StoreConflict } from '../store.ts'
import { withNotice } from './change-notice.ts'
import type { Session, Value } from './database.ts'
import { isDuplicate } from './faults.ts'
import type { Parts } from './parts.ts'

const COMPANIES = `SELECT id, name, created_at AS "createdAt", rate_limit AS rate, daily_limit AS daily,
    monthly_limit AS monthly
  FROM companies ORDER BY num`
const DOMAINS = `SELECT d.id, c.id AS "companyId", d.name, d.status, d.sending, d.created_at AS "createdAt",
    d.speaks_for AS "speaksFor", d.settings, d.seen
  FROM domains d JOIN companies c ON c.num = d.company ORDER BY d.created_at, d.id`
const REMOVED = 'SELECT id, name FROM removed_domains ORDER BY id'
const DKIM = `SELECT domain_id AS "domainId", id, selector, algorithm, active, public_key AS "publicKey",
    sealed_private_key AS "sealedPrivateKey"
  FROM dkim_keys ORDER BY domain_id, position`
const KEYS = `SELECT k.id, c.id AS "companyId", k.name, k.token_hash AS "tokenHash", k.scopes, k.domain_id AS "domainId",
    k.networks, k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"
  FROM api_keys k JOIN companies c ON c.num = k.company ORDER BY k.created_at, k.id`
const ROUTES = `SELECT r.id, c.id AS "companyId", nullif(r.domain_id, '') AS "domainId", r.url, r.sealed, r.created_at AS "createdAt"
  FROM routes r JOIN companies c ON c.num = r.company ORDER BY r.company, r.domain_id`

const VERSION = "SELECT value FROM counters WHERE name = 'accounts'"

const UPDATE_LIMITS = `UPDATE companies SET
    rate_limit = CASE WHEN $1::int4 = 1 THEN $2::int4 ELSE rate_limit END,
    daily_limit = CASE WHEN $3::int4 = 1 THEN $4::int8 ELSE daily_limit END,
    monthly_limit = CASE WHEN $5::int4 = 1 THEN $6::int8 ELSE monthly_limit END
  WHERE id = $7 RETURNING 1`
const CHANGE_DOMAIN = `UPDATE domains SET status = coalesce($2, status), sending = coalesce($3, sending),
    speaks_for = coalesce($4, speaks_for), settings = coalesce($5, settings), seen = coalesce($6, seen)
  WHERE id = $1 RETURNING 1`
const NOTE_REMOVED = `INSERT INTO removed_domains (id, company, name, removed_at)
  SELECT id, company, name, $2 FROM domains WHERE id = $1 RETURNING 1`
// It refers to a domain that is not there any more.
const REVOKE_OF_DOMAIN =
  'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2), domain_id = NULL WHERE domain_id = $1'

const NEXT_DKIM_POSITION = `SELECT coalesce(max(k.position) + 1, 0) AS position
  FROM domains d LEFT JOIN dkim_keys k ON k.domain_id = d.id WHERE d.id = $1 GROUP BY d.id`
/** Mail of a domain is never left without a signature. */
const OTHER_ACTIVE = `(NOT k.active OR EXISTS (
  SELECT 1 FROM dkim_keys o WHERE o.domain_id = k.domain_id AND o.id <> k.id AND o.active))`
const CHANGE_DKIM_KEY = `UPDATE dkim_keys k SET active = coalesce($2::boolean, active), selector = coalesce($3, selector)
  WHERE id = $1 AND ($2::boolean IS DISTINCT FROM false OR ${OTHER_ACTIVE}) RETURNING 1`

const SET_ROUTE = `INSERT INTO routes (company, domain_id, id, url, sealed, created_at) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (company, domain_id) DO UPDATE
  SET id = excluded.id, url = excluded.url, sealed = excluded.sealed, created_at = excluded.created_at`

/** Companies, domains, keys and routes. Every change raises the version that the nodes look at, and is told to them. */
export function accounts(parts: Parts): AccountStore {
  const { database, companies } = parts
  /** `work` says whether it has changed anything. */
  const change = (work: (session: Session) => Promise<boolean>) => withNotice(parts, 'accounts', work)
  const insert = async (work: (session: Session) => Promise<void>) => {
    await change((session) => work(session).then(() => true))
  }
  return {
    accounts: () => database.snapshot(snapshot),

    async accountsVersion() {
      const [row] = await database.read<{ value: number }>(VERSION)
      return row!.value
    },

    async quotaUsed(companyId, at) {
      const sql = `SELECT q.day, q.daily, q.month, q.monthly
        FROM companies c JOIN quotas q ON q.company = c.num WHERE c.id = $1`
      const [row] = await database.read<Used>(sql, [companyId])
      const { daily, monthly } = usedAt(row, at)
      return { daily, monthly }
    },

    async addCompany({ id, name, createdAt, limits: { rate, daily, monthly } }) {
      const sql = `INSERT INTO companies (id, name, created_at, rate_limit, daily_limit, monthly_limit)
        VALUES ($1, $2, $3, $4, $5, $6)`
      const values = [id, name, createdAt, rate, daily, monthly]
      await insert((session) =>
        unlessTaken(session, sql, values, `There is already a company called ${name}`),
      )
    },

    async updateCompany(id, { limits }) {
      await insert(async (session) => {
        const updated = await session.run(UPDATE_LIMITS, [...limitColumns(limits), id])
        if (updated.length === 0) throw new StoreConflict(`There is no company with the id ${id}`)
      })
    },

    async addDomain({ id, companyId, name, status, sending, createdAt, dkim, speaksFor, settings, seen }) {
      const company = await companies.number(companyId)
      await insert(async (session) => {
        await unlessTaken(
          session,
          `INSERT INTO domains (id, company, name, status, sending, created_at, speaks_for, settings, seen)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
          [
            ...[id, company, name, status, sending, createdAt],
            ...[listText(speaksFor), mapText(settings), mapText(seen)],
          ],
          `The domain ${name} is already set up; a domain belongs to one company`,
        )
        for (const [position, key] of dkim.entries()) {
          await insertDkimKey(session, id, position, key)
        }
      })
    },

    async updateDomain(id, { status = null, sending = null, speaksFor, settings, seen }) {
      const given = [speaksFor, settings, seen].map(jsonOrNull)
      await insert(async (session) => {
        const updated = await session.run(CHANGE_DOMAIN, [id, status, sending, ...given])
        if (updated.length === 0) throw new StoreConflict(`There is no domain with the id ${id}`)
      })
    },

    removeDomain: (id, at) =>
      change(async (session) => {
        if ((await session.run(NOTE_REMOVED, [id, at])).length === 0) return false
        await session.run(REVOKE_OF_DOMAIN, [id, at])
        await session.run('DELETE FROM dkim_keys WHERE domain_id = $1', [id])
        await session.run('DELETE FROM routes WHERE domain_id = $1', [id])
        await session.run('DELETE FROM tags WHERE domain_id = $1', [id])
        await session.run('DELETE FROM domains WHERE id = $1', [id])
        return true
      }),

    async addDkimKey(domainId, key) {
      await insert(async (session) => {
        const [next] = await session.run<{ position: number }>(NEXT_DKIM_POSITION, [domainId])
        if (next === undefined) throw new StoreConflict(`There is no domain with the id ${domainId}`)
        await insertDkimKey(session, domainId, next.position, key)
      })
    },

    updateDkimKey: (id, { active = null, selector = null }) =>
      change(async (session) => {
        try {
          return (await session.run(CHANGE_DKIM_KEY, [id, active, selector])).length > 0
        } catch (error) {
          if (!isDuplicate(error)) throw error
          throw new StoreConflict(`There is already a DKIM key with the selector ${selector}`, {
            cause: error,
          })
        }
      }),

    removeDkimKey: (id) =>
      change(async (session) => {
        const sql = `DELETE FROM dkim_keys k WHERE id = $1 AND ${OTHER_ACTIVE} RETURNING 1`
        return (await session.run(sql, [id])).length > 0
      }),

    async addKey(key) {
      const { id, companyId, name, tokenHash, scopes, domainId, networks, createdAt, expiresAt, revokedAt } =
        key
      const company = await companies.number(companyId)
      await insert(async (session) => {
        await refuseForeign(session, companyId, company, domainId)
        await unlessTaken(
          session,
          `INSERT INTO api_keys (id, company, name, token_hash, scopes, domain_id, networks, created_at, expires_at, revoked_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
          [
            ...[id, company, name, tokenHash, JSON.stringify(scopes), domainId],
            ...[listText(networks), createdAt, expiresAt, revokedAt],
          ],
          `There is already a key with the id ${id} or of the same token`,
        )
      })
    },

    renameKey: (id, name) =>
      change(async (session) => {
        const sql = 'UPDATE api_keys SET name = $2 WHERE id = $1 RETURNING 1'
        return (await session.run(sql, [id, name])).length > 0
      }),

    revokeKey: (id, at) =>
      change(async (session) => {
        const sql = 'UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING 1'
        return (await session.run(sql, [id, at])).length > 0
      }),

    async setRoute({ id, companyId, domainId, url, sealed, createdAt }) {
      const company = await companies.number(companyId)
      await insert(async (session) => {
        await refuseForeign(session, companyId, company, domainId)
        await session.run(SET_ROUTE, [company, domainId ?? '', id, url, sealed, createdAt])
      })
    },

    async removeRoute({ companyId, domainId }) {
      const company = await companies.number(companyId)
      return await change(async (session) => {
        const sql = 'DELETE FROM routes WHERE company = $1 AND domain_id = $2 RETURNING 1'
        return (await session.run(sql, [company, domainId ?? ''])).length > 0
      })
    },
  }
}

async function insertDkimKey(session: Session, domainId: string, position: number, key: DkimIdentity) {
  const { id, selector, algorithm, active, publicKey, sealedPrivateKey } = key
  await unlessTaken(
    session,
    `INSERT INTO dkim_keys (domain_id, position, id, selector, algorithm, active, public_key, sealed_private_key)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [domainId, position, id, selector, algorithm, active, publicKey, sealedPrivateKey],
    `There is already a DKIM key with the id ${id}, or with the selector ${selector}`,
  )
}

async function snapshot(session: Session) {
  const companies = (await session.run<CompanyRow>(COMPANIES)).map(companyOf)
  const rows = await session.run<DomainRow>(DOMAINS)
  const domains = rows.map((row): SendingDomain => domainOf(row, []))
  const removedDomains = await session.run<{ id: string; name: string }>(REMOVED)
  const byId = new Map(domains.map((domain) => [domain.id, domain]))
  for (const { domainId, ...identity } of await session.run<DkimIdentity & { domainId: string }>(DKIM)) {
    byId.get(domainId)?.dkim.push(identity)
  }
  const keys = (await session.run<KeyRow>(KEYS)).map(keyOf)
  const routes = await session.run<Route>(ROUTES)
  return { companies, domains, removedDomains, keys, routes }
}

/** Throws StoreConflict when the domain is not the company's. */
async function refuseForeign(
  session: Session,
  companyId: string,
  company: number,
  domainId: string | null,
): Promise<void> {
  const owned = 'SELECT 1 FROM domains WHERE id = $1 AND company = $2'
  if (domainId !== null && (await session.run(owned, [domainId, company])).length === 0) {
    throw new StoreConflict(`The company ${companyId} has no domain with the id ${domainId}`)
  }
}

/** Inserts one row, or throws StoreConflict when another one has taken what is to be unique. */
async function unlessTaken(session: Session, sql: string, values: Value[], message: string): Promise<void> {
  const inserted = await session.run(`${sql} ON CONFLICT DO NOTHING RETURNING 1`, values)
  if (inserted.length === 0) throw new StoreConflict(message)
}
