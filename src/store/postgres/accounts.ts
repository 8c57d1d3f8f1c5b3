import type { DkimIdentity } from '../../accounts/account.ts'
import {
  changedLimits,
  heldElsewhere,
  LIMIT_COLUMNS,
  limitValues,
  REVOKED_KEPT,
  ROUTES,
  refuseFullOfKeys,
  takenName,
  VERSIONS_KEPT,
} from '../account-rows.ts'
import { OTHER_ACTIVE } from '../account-statements.ts'
import { jsonOrNull, listText, mapText } from '../json-columns.ts'
import { type AccountStore, StoreConflict } from '../store.ts'
import { withNotice } from './change-notice.ts'
import type { Session, Value } from './database.ts'
import { checkOwnedLimit } from './owned-limits.ts'
import type { Parts } from './parts.ts'
import { accountReads } from './read/accounts.ts'
import { unlessDuplicate, unlessTaken } from './unless-taken.ts'

const CHANGE_DOMAIN = `UPDATE domains SET status = coalesce($2, status),
    sending = CASE WHEN $7::boolean AND sending = 'inactive' THEN 'active' ELSE coalesce($3, sending) END,
    speaks_for = coalesce($4, speaks_for), settings = coalesce($5, settings), seen = coalesce($6, seen)
  WHERE id = $1 RETURNING 1`
// A domain that was never active has no mail, and is not remembered.
const NOTE_REMOVED = `INSERT INTO removed_domains (id, company, name, removed_at)
  SELECT id, company, name, $2 FROM domains WHERE id = $1 AND (status <> 'pending' OR sending <> 'inactive')`
// The key refers to a domain that no longer exists.
const REVOKE_OF_DOMAIN =
  'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2), domain_id = NULL WHERE domain_id = $1 RETURNING id'

const FORGET_REVOKED = `DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys WHERE id IN (
      SELECT id FROM api_keys WHERE company = $1 AND revoked_at IS NOT NULL ORDER BY revoked_at DESC, id DESC OFFSET $2
    ) FOR UPDATE SKIP LOCKED
  ) RETURNING id`

const NEXT_DKIM_POSITION = `SELECT coalesce(max(k.position) + 1, 0) AS position
  FROM domains d LEFT JOIN dkim_keys k ON k.domain_id = d.id WHERE d.id = $1 GROUP BY d.id`
const CHANGE_DKIM_KEY = `UPDATE dkim_keys k SET active = coalesce($2::boolean, active), selector = coalesce($3, selector)
  WHERE id = $1 AND ($2::boolean IS DISTINCT FROM false OR ${OTHER_ACTIVE}) RETURNING domain_id AS "domainId"`

const NOTE = `INSERT INTO account_changes (version, id)
  SELECT $1::int8, id FROM (SELECT DISTINCT json_array_elements_text($2::json) AS id) AS changed`

const FORGET = [
  `DELETE FROM removed_domains WHERE id IN (
    SELECT id FROM removed_domains WHERE removed_at < $1 ORDER BY removed_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING id`,
  `DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys WHERE revoked_at < $1 ORDER BY revoked_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING id`,
]

type OfDomain = { domainId: string }
type OfCompany = { company: number }

const SET_ROUTE = `INSERT INTO routes (company, domain_id, id, url, sealed, created_at) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (company, domain_id) DO UPDATE
  SET id = excluded.id, url = excluded.url, sealed = excluded.sealed, created_at = excluded.created_at`

/**
 * Companies, domains, keys and routes. Every change raises the version that the nodes look at, and is announced to
 * them.
 */
export function accounts(parts: Parts): AccountStore {
  const { companies } = parts
  /** `work` returns the ids of the changed things: for a DKIM key its domain's, for a route ROUTES. */
  const change = async (work: (session: Session) => Promise<string[]>) => {
    let ids: string[] = []
    return await withNotice(
      parts,
      'accounts',
      async (session) => {
        ids = await work(session)
        return ids.length > 0
      },
      async (session, version) => {
        await session.run(NOTE, [version, JSON.stringify(ids)])
        await session.run('DELETE FROM account_changes WHERE version <= $1', [version - VERSIONS_KEPT])
      },
    )
  }
  const insert = async (id: string, work: (session: Session) => Promise<void>) => {
    await change((session) => work(session).then(() => [id]))
  }
  const changeOne = (id: string, sql: string, values: Value[]) =>
    change(async (session) => ((await session.run(sql, values)).length > 0 ? [id] : []))
  return {
    ...accountReads(parts),

    async addCompany({ id, name, createdAt, limits }) {
      const sql = `INSERT INTO companies (id, name, created_at, ${LIMIT_COLUMNS})
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
      const values = [id, name, createdAt, ...limitValues(limits)]
      await insert(id, (session) =>
        unlessTaken(session, sql, values, `there is already a company called ${name}`),
      )
    },

    async updateCompany(id, { limits }) {
      const columns = changedLimits(limits)
      const set = ['id = id', ...columns.map(([column], index) => `${column} = $${index + 2}`)].join(', ')
      const sql = `UPDATE companies SET ${set} WHERE id = $1 RETURNING 1`
      await insert(id, async (session) => {
        const updated = await session.run(sql, [id, ...columns.map(([, value]) => value)])
        if (updated.length === 0) throw new StoreConflict(`There is no company with the id ${id}`)
      })
    },

    async addDomain({ id, companyId, name, status, sending, createdAt, dkim, speaksFor, settings, seen }) {
      const company = await companies.number(companyId)
      await insert(id, async (session) => {
        await checkOwnedLimit(session, 'domains', company)
        await unlessTaken(
          session,
          `INSERT INTO domains (id, company, name, status, sending, created_at, speaks_for, settings, seen)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
          [
            ...[id, company, name, status, sending, createdAt],
            ...[listText(speaksFor), mapText(settings), mapText(seen)],
          ],
          takenName({ name, status, sending }),
        )
        for (const [position, key] of dkim.entries()) {
          await insertDkimKey(session, id, position, key)
        }
      })
    },

    async updateDomain(id, { status = null, sending = null, proven = false, speaksFor, settings, seen }) {
      const given = [speaksFor, settings, seen].map(jsonOrNull)
      await insert(id, async (session) => {
        const [named] = await session.run<{ name: string }>('SELECT name FROM domains WHERE id = $1', [id])
        if (named === undefined) throw new StoreConflict(`There is no domain with the id ${id}`)
        await unlessDuplicate(heldElsewhere(named.name), () =>
          session.run(CHANGE_DOMAIN, [id, status, sending, ...given, proven]),
        )
      })
    },

    removeDomain: (id, at) =>
      change(async (session) => {
        const sql = 'SELECT company FROM domains WHERE id = $1 FOR UPDATE'
        const [domain] = await session.run<OfCompany>(sql, [id])
        if (domain === undefined) return []
        await session.run(NOTE_REMOVED, [id, at])
        const keys = await session.run<{ id: string }>(REVOKE_OF_DOMAIN, [id, at])
        await session.run('DELETE FROM dkim_keys WHERE domain_id = $1', [id])
        await session.run('DELETE FROM routes WHERE domain_id = $1', [id])
        await session.run('DELETE FROM tags WHERE domain_id = $1', [id])
        await session.run('DELETE FROM domains WHERE id = $1', [id])
        return [id, ROUTES, ...idsOf(keys), ...(await forgetRevoked(session, domain))]
      }),

    async addDkimKey(domainId, key) {
      await insert(domainId, async (session) => {
        await session.run('SELECT 1 FROM domains WHERE id = $1 FOR UPDATE', [domainId])
        const [next] = await session.run<{ position: number }>(NEXT_DKIM_POSITION, [domainId])
        if (next === undefined) throw new StoreConflict(`There is no domain with the id ${domainId}`)
        const sql = 'SELECT count(*)::int AS count FROM dkim_keys WHERE domain_id = $1'
        const [{ count }] = (await session.run<{ count: number }>(sql, [domainId])) as [{ count: number }]
        refuseFullOfKeys(count)
        await insertDkimKey(session, domainId, next.position, key)
      })
    },

    updateDkimKey: (id, { active = null, selector = null }) =>
      change(async (session) => {
        const rows = await unlessDuplicate(`There is already a DKIM key with the selector ${selector}`, () =>
          session.run<OfDomain>(CHANGE_DKIM_KEY, [id, active, selector]),
        )
        return rows.map(({ domainId }) => domainId)
      }),

    removeDkimKey: (id) =>
      change(async (session) => {
        const sql = `DELETE FROM dkim_keys k WHERE id = $1 AND ${OTHER_ACTIVE} RETURNING domain_id AS "domainId"`
        return (await session.run<OfDomain>(sql, [id])).map(({ domainId }) => domainId)
      }),

    async addKey(key) {
      const { id, companyId, name, tokenHash, password, scopes, domainId, networks } = key
      const { createdAt, expiresAt, revokedAt } = key
      const company = await companies.number(companyId)
      await insert(id, async (session) => {
        await refuseForeign(session, companyId, company, domainId)
        if (revokedAt === null) await checkOwnedLimit(session, 'keys', company)
        await unlessTaken(
          session,
          `INSERT INTO api_keys (id, company, name, token_hash, password, scopes, domain_id, networks, created_at, expires_at, revoked_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
          [
            ...[id, company, name, tokenHash, password, JSON.stringify(scopes), domainId],
            ...[listText(networks), createdAt, expiresAt, revokedAt],
          ],
          `There is already a key with the id ${id} or of the same token`,
        )
      })
    },

    renameKey: (id, name) =>
      changeOne(id, 'UPDATE api_keys SET name = $2 WHERE id = $1 RETURNING 1', [id, name]),

    revokeKey: (id, at) =>
      change(async (session) => {
        const sql =
          'UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING company'
        const [key] = await session.run<OfCompany>(sql, [id, at])
        return key === undefined ? [] : [id, ...(await forgetRevoked(session, key))]
      }),

    async forgetAccounts(before, limit) {
      let gone: string[] = []
      await change(async (session) => {
        gone = []
        for (const sql of FORGET) {
          gone.push(...idsOf(await session.run<{ id: string }>(sql, [Math.round(before), limit])))
        }
        return gone
      })
      return gone.length
    },

    async setRoute({ id, companyId, domainId, url, sealed, createdAt }) {
      const company = await companies.number(companyId)
      await insert(ROUTES, async (session) => {
        await refuseForeign(session, companyId, company, domainId)
        await session.run(SET_ROUTE, [company, domainId ?? '', id, url, sealed, createdAt])
      })
    },

    async removeRoute({ companyId, domainId }) {
      const company = await companies.number(companyId)
      const sql = 'DELETE FROM routes WHERE company = $1 AND domain_id = $2 RETURNING 1'
      return await changeOne(ROUTES, sql, [company, domainId ?? ''])
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

/** Forgets revoked keys beyond REVOKED_KEPT. */
async function forgetRevoked(session: Session, { company }: OfCompany): Promise<string[]> {
  return idsOf(await session.run<{ id: string }>(FORGET_REVOKED, [company, REVOKED_KEPT]))
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id)
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
