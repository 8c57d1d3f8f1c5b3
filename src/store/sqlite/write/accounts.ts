import type { DatabaseSync } from 'node:sqlite'
import type { DkimIdentity } from '../../../accounts/account.ts'
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
} from '../../account-rows.ts'
import { OTHER_ACTIVE } from '../../account-statements.ts'
import { jsonOrNull, listText, mapText } from '../../json-columns.ts'
import { type AccountReads, type AccountStore, StoreConflict } from '../../store.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'
import type { Parts } from './parts.ts'
import { unlessTaken } from './unless-taken.ts'

type OfDomain = { domainId: string }

type AccountWrites = Direct<Exclude<keyof AccountStore, keyof AccountReads>>

/** Companies, domains, keys and routes. Every change raises the accounts version that other processes look at. */
export function accounts(db: DatabaseSync, { companies, changes, ownedLimits }: Parts): AccountWrites {
  const bump = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'accounts' RETURNING value")
  const note = db.prepare('INSERT OR IGNORE INTO account_changes (version, id) VALUES (?, ?)')
  const forget = db.prepare('DELETE FROM account_changes WHERE version <= ?')
  const insertCompany = db.prepare(
    `INSERT INTO companies (id, name, created_at, ${LIMIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
  const countDkim = db.prepare('SELECT count(*) AS count FROM dkim_keys WHERE domain_id = ?')
  const changeDkimKey = db.prepare(
    `UPDATE dkim_keys AS k SET active = coalesce(?2, active), selector = coalesce(?3, selector)
     WHERE id = ?1 AND (?2 IS NOT 0 OR ${OTHER_ACTIVE}) RETURNING domain_id AS domainId`,
  )
  const deleteDkimKey = db.prepare(
    `DELETE FROM dkim_keys AS k WHERE id = ? AND ${OTHER_ACTIVE} RETURNING domain_id AS domainId`,
  )
  const changeDomain = db.prepare(
    `UPDATE domains SET status = coalesce(?2, status),
       sending = CASE WHEN ?7 AND sending = 'inactive' THEN 'active' ELSE coalesce(?3, sending) END, speaks_for = coalesce(?4, speaks_for), settings = coalesce(?5, settings), seen = coalesce(?6, seen)
     WHERE id = ?1`,
  )
  const forgetDomain = [
    'DELETE FROM dkim_keys WHERE domain_id = ?',
    'DELETE FROM routes WHERE domain_id = ?',
    'DELETE FROM tags WHERE domain_id = ?',
    'DELETE FROM domains WHERE id = ?',
  ].map((sql) => db.prepare(sql))
  // A domain that was never active has no mail, and is not remembered.
  const noteRemoved = db.prepare(
    `INSERT INTO removed_domains (id, company, name, removed_at)
     SELECT id, company, name, ? FROM domains WHERE id = ? AND (status <> 'pending' OR sending <> 'inactive')`,
  )
  const nameOf = db.prepare('SELECT name FROM domains WHERE id = ?')
  // The key refers to a domain that no longer exists.
  const revokeOfDomain = db.prepare(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?), domain_id = NULL WHERE domain_id = ? RETURNING id',
  )
  const renameKey = db.prepare('UPDATE api_keys SET name = ? WHERE id = ?')
  const ownerOf = db.prepare('SELECT company FROM domains WHERE id = ?')
  const insertKey = db.prepare(
    `INSERT INTO api_keys (id, company, name, token_hash, password, scopes, domain_id, networks, created_at, expires_at, revoked_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const revoke = db.prepare(
    'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING company',
  )
  const forgetRevoked = db.prepare(
    `DELETE FROM api_keys WHERE id IN (
       SELECT id FROM api_keys WHERE company = ? AND revoked_at IS NOT NULL ORDER BY revoked_at DESC, id DESC LIMIT -1 OFFSET ?
     ) RETURNING id`,
  )
  const forgotten = [
    `DELETE FROM removed_domains WHERE id IN
       (SELECT id FROM removed_domains WHERE removed_at < ? ORDER BY removed_at LIMIT ?) RETURNING id`,
    `DELETE FROM api_keys WHERE id IN
       (SELECT id FROM api_keys WHERE revoked_at < ? ORDER BY revoked_at LIMIT ?) RETURNING id`,
  ].map((sql) => db.prepare(sql))
  const putRoute = db.prepare(
    'INSERT OR REPLACE INTO routes (company, domain_id, id, url, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const deleteRoute = db.prepare('DELETE FROM routes WHERE company = ? AND domain_id = ?')

  /** @param ids the ids of the changed things: for a DKIM key its domain's, for a route ROUTES */
  function changed(...ids: string[]): void {
    const { value } = one<{ value: number }>(bump)!
    for (const id of ids) note.run(value, id)
    forget.run(value - VERSIONS_KEPT)
    changes.accounts = true
  }

  function changedIf(is: boolean, id: string): boolean {
    if (is) changed(id)
    return is
  }

  /** The company's number. Throws StoreConflict when the domain belongs to another company. */
  function ownerNumber(companyId: string, domainId: string | null): number {
    const company = companies.number(companyId)
    if (domainId !== null && one<{ company: number }>(ownerOf, domainId)?.company !== company) {
      throw new StoreConflict(`The company ${companyId} has no domain with the id ${domainId}`)
    }
    return company
  }

  /** Forgets the revoked keys beyond REVOKED_KEPT, and returns their ids. */
  function revokedBeyond(company: number): string[] {
    return all<{ id: string }>(forgetRevoked, company, REVOKED_KEPT).map(({ id }) => id)
  }

  function insertDkim(domainId: string, position: number, key: DkimIdentity): void {
    const { id, selector, algorithm, active, publicKey, sealedPrivateKey } = key
    const values = [id, selector, algorithm, active ? 1 : 0, publicKey, sealedPrivateKey] as const
    unlessTaken(`There is already a DKIM key with the id ${id}, or with the selector ${selector}`, () =>
      insertDkimKey.run(domainId, position, ...values),
    )
  }

  return {
    addCompany({ id, name, createdAt, limits }) {
      unlessTaken(`there is already a company called ${name}`, () =>
        insertCompany.run(id, name, createdAt, ...limitValues(limits)),
      )
      changed(id)
    },

    updateCompany(id, { limits }) {
      const columns = changedLimits(limits)
      const set = ['id = id', ...columns.map(([column]) => `${column} = ?`)].join(', ')
      const change = db.prepare(`UPDATE companies SET ${set} WHERE id = ?`)
      if (change.run(...columns.map(([, value]) => value), id).changes === 0) {
        throw new StoreConflict(`There is no company with the id ${id}`)
      }
      changed(id)
    },

    addDomain({ id, companyId, name, status, sending, createdAt, speaksFor, settings, seen, dkim }) {
      const company = companies.number(companyId)
      ownedLimits.check('domains', company)
      const lists = [listText(speaksFor), mapText(settings), mapText(seen)] as const
      unlessTaken(takenName({ name, status, sending }), () =>
        insertDomain.run(id, company, name, status, sending, createdAt, ...lists),
      )
      for (const [position, key] of dkim.entries()) {
        insertDkim(id, position, key)
      }
      changed(id)
    },

    updateDomain(id, { status = null, sending = null, proven = false, speaksFor, settings, seen }) {
      const name = one<{ name: string }>(nameOf, id)?.name
      if (name === undefined) throw new StoreConflict(`There is no domain with the id ${id}`)
      const given = [speaksFor, settings, seen].map(jsonOrNull)
      unlessTaken(heldElsewhere(name), () => changeDomain.run(id, status, sending, ...given, Number(proven)))
      changed(id)
    },

    removeDomain(id, at) {
      const domain = one<{ company: number }>(ownerOf, id)
      if (domain === undefined) return false
      noteRemoved.run(at, id)
      const keys = all<{ id: string }>(revokeOfDomain, at, id)
      for (const statement of forgetDomain) statement.run(id)
      changed(id, ROUTES, ...keys.map((key) => key.id), ...revokedBeyond(domain.company))
      return true
    },

    addDkimKey(domainId, key) {
      const next = one<{ position: number }>(nextDkimPosition, domainId)
      if (next === undefined) throw new StoreConflict(`There is no domain with the id ${domainId}`)
      refuseFullOfKeys(one<{ count: number }>(countDkim, domainId)!.count)
      insertDkim(domainId, next.position, key)
      changed(domainId)
    },

    updateDkimKey(id, { active, selector = null }) {
      let of: OfDomain | undefined
      unlessTaken(`There is already a DKIM key with the selector ${selector}`, () => {
        of = one<OfDomain>(changeDkimKey, id, active === undefined ? null : Number(active), selector)
      })
      return changedIf(of !== undefined, of?.domainId ?? '')
    },

    removeDkimKey(id) {
      const of = one<OfDomain>(deleteDkimKey, id)
      return changedIf(of !== undefined, of?.domainId ?? '')
    },

    addKey(key) {
      const { id, companyId, name, tokenHash, password, scopes, domainId, networks } = key
      const { createdAt, expiresAt, revokedAt } = key
      const company = ownerNumber(companyId, domainId)
      if (revokedAt === null) ownedLimits.check('keys', company)
      const bounds = [listText(networks), createdAt, expiresAt, revokedAt] as const
      unlessTaken(`There is already a key with the id ${id} or of the same token`, () =>
        insertKey.run(id, company, name, tokenHash, password, JSON.stringify(scopes), domainId, ...bounds),
      )
      changed(id)
    },

    renameKey: (id, name) => changedIf(renameKey.run(name, id).changes > 0, id),

    revokeKey(id, at) {
      const key = one<{ company: number }>(revoke, at, id)
      if (key !== undefined) changed(id, ...revokedBeyond(key.company))
      return key !== undefined
    },

    forgetAccounts(before, limit) {
      const gone = forgotten.flatMap((each) => all<{ id: string }>(each, Math.round(before), limit))
      if (gone.length > 0) changed(...gone.map(({ id }) => id))
      return gone.length
    },

    setRoute({ id, companyId, domainId, url, sealed, createdAt }) {
      putRoute.run(ownerNumber(companyId, domainId), domainId ?? '', id, url, sealed, createdAt)
      changed(ROUTES)
    },

    removeRoute: ({ companyId, domainId }) =>
      changedIf(deleteRoute.run(companies.number(companyId), domainId ?? '').changes > 0, ROUTES),
  }
}
