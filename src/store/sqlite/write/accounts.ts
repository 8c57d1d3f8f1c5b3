import type { DatabaseSync } from 'node:sqlite'
import type { DkimIdentity } from '../../../accounts/account.ts'
import { limitColumns } from '../../account-rows.ts'
import { jsonOrNull, listText, mapText } from '../../json-columns.ts'
import { type AccountStore, StoreConflict } from '../../store.ts'
import { isDuplicate } from '../database.ts'
import type { Direct } from '../protocol.ts'
import { one } from '../rows.ts'
import type { Parts } from './parts.ts'

/** Mail of a domain is never left without a signature. */
const OTHER_ACTIVE = `(NOT k.active OR EXISTS (
  SELECT 1 FROM dkim_keys o WHERE o.domain_id = k.domain_id AND o.id <> k.id AND o.active))`

type AccountWrites = Direct<Exclude<keyof AccountStore, 'accounts' | 'accountsVersion' | 'quotaUsed'>>

/** Companies, domains, keys and routes. Every change raises the accounts version that the other processes look at. */
export function accounts(db: DatabaseSync, { companies, changes }: Parts): AccountWrites {
  const bump = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'accounts'")
  const insertCompany = db.prepare(
    'INSERT INTO companies (id, name, created_at, rate_limit, daily_limit, monthly_limit) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const changeLimits = db.prepare(
    `UPDATE companies SET rate_limit = iif(?1, ?2, rate_limit), daily_limit = iif(?3, ?4, daily_limit),
       monthly_limit = iif(?5, ?6, monthly_limit) WHERE id = ?7`,
  )
  const insertDomain = db.prepare(
    `INSERT INTO domains (id, company, name, status, sending, created_at, speaks_for, settings, seen)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertDkimKey = db.prepare(
    `INSERT INTO dkim_keys (domain_id, position, id, selector, algorithm, active, public_key, sealed_private_key)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const nextDkimPosition = db.prepare(
    `SELECT coalesce(max(k.position) + 1, 0) AS position FROM domains d LEFT JOIN dkim_keys k ON k.domain_id = d.id
     WHERE d.id = ? GROUP BY d.id`,
  )
  const changeDkimKey = db.prepare(
    `UPDATE dkim_keys AS k SET active = coalesce(?2, active), selector = coalesce(?3, selector)
     WHERE id = ?1 AND (?2 IS NOT 0 OR ${OTHER_ACTIVE})`,
  )
  const deleteDkimKey = db.prepare(`DELETE FROM dkim_keys AS k WHERE id = ? AND ${OTHER_ACTIVE}`)
  const changeDomain = db.prepare(
    `UPDATE domains SET status = coalesce(?2, status), sending = coalesce(?3, sending),
       speaks_for = coalesce(?4, speaks_for), settings = coalesce(?5, settings), seen = coalesce(?6, seen)
     WHERE id = ?1`,
  )
  const forgetDomain = [
    'DELETE FROM dkim_keys WHERE domain_id = ?',
    'DELETE FROM routes WHERE domain_id = ?',
    'DELETE FROM tags WHERE domain_id = ?',
    'DELETE FROM domains WHERE id = ?',
  ].map((sql) => db.prepare(sql))
  const noteRemoved = db.prepare(
    `INSERT INTO removed_domains (id, company, name, removed_at)
     SELECT id, company, name, ? FROM domains WHERE id = ?`,
  )
  // It refers to a domain that is not there any more.
  const revokeOfDomain = db.prepare(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?), domain_id = NULL WHERE domain_id = ?',
  )
  const renameKey = db.prepare('UPDATE api_keys SET name = ? WHERE id = ?')
  const ownerOf = db.prepare('SELECT company FROM domains WHERE id = ?')
  const insertKey = db.prepare(
    `INSERT INTO api_keys (id, company, name, token_hash, scopes, domain_id, networks, created_at, expires_at, revoked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const revoke = db.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const putRoute = db.prepare(
    'INSERT OR REPLACE INTO routes (company, domain_id, id, url, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const deleteRoute = db.prepare('DELETE FROM routes WHERE company = ? AND domain_id = ?')

  function changed(): void {
    bump.run()
    changes.accounts = true
  }

  function changedIf(is: boolean): boolean {
    if (is) changed()
    return is
  }

  /** The company's number. Throws StoreConflict when the domain is another's. */
  function ownerNumber(companyId: string, domainId: string | null): number {
    const company = companies.number(companyId)
    if (domainId !== null && one<{ company: number }>(ownerOf, domainId)?.company !== company) {
      throw new StoreConflict(`The company ${companyId} has no domain with the id ${domainId}`)
    }
    return company
  }

  function insertDkim(domainId: string, position: number, key: DkimIdentity): void {
    const { id, selector, algorithm, active, publicKey, sealedPrivateKey } = key
    const values = [id, selector, algorithm, active ? 1 : 0, publicKey, sealedPrivateKey] as const
    unlessTaken(`There is already a DKIM key with the id ${id}, or with the selector ${selector}`, () =>
      insertDkimKey.run(domainId, position, ...values),
    )
  }

  return {
    addCompany({ id, name, createdAt, limits: { rate, daily, monthly } }) {
      unlessTaken(`There is already a company called ${name}`, () =>
        insertCompany.run(id, name, createdAt, rate, daily, monthly),
      )
      changed()
    },

    updateCompany(id, { limits }) {
      if (changeLimits.run(...limitColumns(limits), id).changes === 0) {
        throw new StoreConflict(`There is no company with the id ${id}`)
      }
      changed()
    },

    addDomain({ id, companyId, name, status, sending, createdAt, speaksFor, settings, seen, dkim }) {
      const company = companies.number(companyId)
      const lists = [listText(speaksFor), mapText(settings), mapText(seen)] as const
      unlessTaken(`The domain ${name} is already set up; a domain belongs to one company`, () =>
        insertDomain.run(id, company, name, status, sending, createdAt, ...lists),
      )
      for (const [position, key] of dkim.entries()) {
        insertDkim(id, position, key)
      }
      changed()
    },

    updateDomain(id, { status = null, sending = null, speaksFor, settings, seen }) {
      const updated = changeDomain.run(
        id,
        status,
        sending,
        ...[speaksFor, settings, seen].map(jsonOrNull),
      ).changes
      if (updated === 0) throw new StoreConflict(`There is no domain with the id ${id}`)
      changed()
    },

    removeDomain(id, at) {
      if (noteRemoved.run(at, id).changes === 0) return false
      revokeOfDomain.run(at, id)
      for (const statement of forgetDomain) statement.run(id)
      changed()
      return true
    },

    addDkimKey(domainId, key) {
      const next = one<{ position: number }>(nextDkimPosition, domainId)
      if (next === undefined) throw new StoreConflict(`There is no domain with the id ${domainId}`)
      insertDkim(domainId, next.position, key)
      changed()
    },

    updateDkimKey(id, { active, selector = null }) {
      let is = false
      unlessTaken(`There is already a DKIM key with the selector ${selector}`, () => {
        const to = active === undefined ? null : Number(active)
        is = changeDkimKey.run(id, to, selector).changes > 0
      })
      return changedIf(is)
    },

    removeDkimKey: (id) => changedIf(deleteDkimKey.run(id).changes > 0),

    addKey({ id, companyId, name, tokenHash, scopes, domainId, networks, createdAt, expiresAt, revokedAt }) {
      const company = ownerNumber(companyId, domainId)
      const bounds = [listText(networks), createdAt, expiresAt, revokedAt] as const
      unlessTaken(`There is already a key with the id ${id} or of the same token`, () =>
        insertKey.run(id, company, name, tokenHash, JSON.stringify(scopes), domainId, ...bounds),
      )
      changed()
    },

    renameKey: (id, name) => changedIf(renameKey.run(name, id).changes > 0),

    revokeKey: (id, at) => changedIf(revoke.run(at, id).changes > 0),

    setRoute({ id, companyId, domainId, url, sealed, createdAt }) {
      putRoute.run(ownerNumber(companyId, domainId), domainId ?? '', id, url, sealed, createdAt)
      changed()
    },

    removeRoute: ({ companyId, domainId }) =>
      changedIf(deleteRoute.run(companies.number(companyId), domainId ?? '').changes > 0),
  }
}

function unlessTaken(message: string, insert: () => void): void {
  try {
    insert()
  } catch (error) {
    if (isDuplicate(error)) throw new StoreConflict(message, { cause: error })
    throw error
  }
}
