/** Companies, sending domains, API keys and routes. */
import { type ApiKey, CHECK_EVERY_MS, SOONEST_CHECK_MS } from '../../accounts/account.ts'
import {
  changedLimits,
  domainHeldMessage,
  LIMIT_COLUMNS,
  limitValues,
  REVOKED_KEPT,
  ROUTES,
  takenName,
} from '../account-rows.ts'
import { jsonOrNull, listText, mapText } from '../json-columns.ts'
import { StoreConflict } from '../store.ts'
import { changeAccounts, changeOne } from './account-change.ts'
import { companyNumber } from './companies.ts'
import { insertDkimKey } from './dkim-keys.ts'
import { forgetBefore } from './forgetting.ts'
import { checkOwnedLimit, refuseForeign } from './owned.ts'
import type { Operations, Port, PortSteps, PortTransaction } from './port.ts'
import { dynamicStatement, statement } from './statement.ts'
import { insertUnique, unlessDuplicate } from './unique.ts'

interface IdRow {
  id: string
}

interface OwnerRow {
  company: number
}

const ADD_COMPANY = statement(`INSERT INTO companies (id, name, created_at, ${LIMIT_COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`)

const ADD_DOMAIN = statement(`INSERT INTO domains
    (id, company, name, status, sending, created_at, speaks_for, settings, seen, check_due_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`)
const DOMAIN_NAME = statement<{ name: string; company: number }>(
  'SELECT name, company FROM domains WHERE id = $1',
)
const CHANGE_DOMAIN = statement(`UPDATE domains SET status = coalesce($2, status),
    sending = CASE WHEN $7::boolean AND sending = 'inactive' THEN 'active' ELSE coalesce($3, sending) END,
    speaks_for = coalesce($4, speaks_for), settings = coalesce($5, settings), seen = coalesce($6, seen),
    return_path_host = nullif(coalesce($8, return_path_host), ''),
    lost_since = nullif(coalesce($9::int8, lost_since), 0)
  WHERE id = $1`)
const KEY_SEEN = statement(`UPDATE dkim_keys
  SET seen_since = CASE WHEN seen = $3 THEN seen_since ELSE $4 END, seen = $3
  WHERE domain_id = $1 AND id = $2`)
const LOCK_DOMAIN = statement<OwnerRow>('SELECT company FROM domains WHERE id = $1 FOR UPDATE')
/** A domain that was never active has no mail, and is not remembered. */
const NOTE_REMOVED = statement(`INSERT INTO removed_domains (id, company, name, removed_at)
  SELECT id, company, name, $2 FROM domains WHERE id = $1 AND (status <> 'pending' OR sending <> 'inactive')`)
/** Revokes the keys restricted to a domain, and takes away their reference to it. */
const REVOKE_OF_DOMAIN = statement<IdRow>(
  'UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2), domain_id = NULL WHERE domain_id = $1 RETURNING id',
)
const REMOVE_DOMAIN = [
  'DELETE FROM dkim_keys WHERE domain_id = $1',
  'DELETE FROM routes WHERE domain_id = $1',
  'DELETE FROM tags WHERE domain_id = $1',
  'DELETE FROM domains WHERE id = $1',
].map((sql) => statement(sql))

const ADD_KEY = statement(`INSERT INTO api_keys
    (id, company, name, token_hash, token_start, password, scopes, domain_id, networks, created_at, expires_at, revoked_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`)
const RENAME_KEY = statement('UPDATE api_keys SET name = $2 WHERE id = $1')
const REVOKE_KEY = statement<OwnerRow>(
  'UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING company',
)
const END_KEY = statement(`UPDATE api_keys
  SET expires_at = CASE WHEN expires_at < $2 THEN expires_at ELSE $2 END
  WHERE id = $1 AND company = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)`)
/** The revoked keys of a company beyond the newest. */
const FORGET_REVOKED = statement<IdRow>(({ isAmong }) => {
  const older = isAmong(
    'id',
    `FROM api_keys WHERE company = $1 AND revoked_at IS NOT NULL
      ORDER BY revoked_at DESC, id DESC LIMIT ${Number.MAX_SAFE_INTEGER} OFFSET $2`,
  )
  return `DELETE FROM api_keys WHERE ${isAmong('id', `FROM api_keys WHERE ${older} FOR UPDATE SKIP LOCKED`)} RETURNING id`
})
const FORGET = [
  forgetBefore<IdRow>('removed_domains', 'id', 'removed_at', 'RETURNING id'),
  forgetBefore<IdRow>('api_keys', 'id', 'revoked_at', 'RETURNING id'),
]

const SET_ROUTE = statement(`INSERT INTO routes (company, domain_id, id, url, sealed, created_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (company, domain_id) DO UPDATE
  SET id = excluded.id, url = excluded.url, sealed = excluded.sealed, created_at = excluded.created_at`)
const REMOVE_ROUTE = statement('DELETE FROM routes WHERE company = $1 AND domain_id = $2')

const takenCompany = (name: string) => `there is already a company called ${name}`

export const accountWrites = {
  *addCompany(port, { id, name, createdAt, limits }) {
    yield* changeOne(port, id, (db) =>
      insertUnique(db, takenCompany(name), ADD_COMPANY, ...[id, name, createdAt, ...limitValues(limits)]),
    )
  },

  *updateCompany(port, id, { name, ownName, limits = {}, pool, contentRetention }) {
    const columns: [column: string, value: number | string | null][] = changedLimits(limits)
    if (name !== undefined) columns.push(['name', name])
    if (ownName !== undefined) columns.push(['own_name', ownName])
    if (pool !== undefined) columns.push(['pool', pool])
    if (contentRetention !== undefined) columns.push(['content_retention', contentRetention])
    const set = ['id = id', ...columns.map(([column], index) => `${column} = $${index + 2}`)].join(', ')
    const update = dynamicStatement(`UPDATE companies SET ${set} WHERE id = $1`)
    yield* changeOne(port, id, function* (db) {
      const updated = yield* unlessDuplicate(db, takenCompany(name ?? id), () =>
        db.run(update, id, ...columns.map(([, value]) => value)),
      )
      if (updated === 0) throw new StoreConflict(`There is no company with the id ${id}`)
    })
  },

  *addDomain(port, domain, event) {
    const { id, companyId, name, status, sending, createdAt, dkim, speaksFor, settings, seen } = domain
    const company = yield* companyNumber(port, companyId)
    const texts = [listText(speaksFor), mapText(settings), mapText(seen)]
    const dueAt = createdAt + (sending === 'inactive' ? SOONEST_CHECK_MS : CHECK_EVERY_MS)
    const values = [id, company, name, status, sending, createdAt, ...texts, dueAt]
    yield* changeOne(port, id, function* (db) {
      yield* checkOwnedLimit(db, 'domains', company)
      yield* insertUnique(db, takenName({ name, status, sending }), ADD_DOMAIN, ...values)
      for (const [position, key] of dkim.entries()) yield* insertDkimKey(db, id, position, key)
      if (event !== undefined) yield* db.tell(company, event)
    })
  },

  *updateDomain(port, id, change, event) {
    const { status = null, sending = null, proven = false, speaksFor, settings, seen, keysSeen } = change
    // Null is a value of these two fields. An empty value stands for it, because null leaves the column as it is.
    const { returnPathHost, lostSince } = change
    const emptied = [
      returnPathHost === null ? '' : (returnPathHost ?? null),
      lostSince === null ? 0 : (lostSince ?? null),
    ]
    const texts = [speaksFor, settings, seen].map(jsonOrNull)
    yield* changeOne(port, id, function* (db) {
      const named = yield* db.one(DOMAIN_NAME, id)
      if (named === undefined) throw new StoreConflict(`There is no domain with the id ${id}`)
      yield* unlessDuplicate(db, domainHeldMessage(named.name), () =>
        db.run(CHANGE_DOMAIN, id, status, sending, ...texts, proven, ...emptied),
      )
      for (const [key, state] of Object.entries(keysSeen?.states ?? {})) {
        yield* db.run(KEY_SEEN, id, key, state, keysSeen!.at)
      }
      if (event !== undefined) yield* db.tell(named.company, event)
    })
  },

  *removeDomain(port, id, at, event) {
    return yield* changeAccounts(port, function* (db) {
      const domain = yield* db.one(LOCK_DOMAIN, id)
      if (domain === undefined) return []
      yield* db.run(NOTE_REMOVED, id, at)
      const keys = yield* db.all(REVOKE_OF_DOMAIN, id, at)
      for (const remove of REMOVE_DOMAIN) yield* db.run(remove, id)
      if (event !== undefined) yield* db.tell(domain.company, event)
      return [id, ROUTES, ...keys.map((key) => key.id), ...(yield* forgetRevoked(db, domain))]
    })
  },

  *addKey(port, key) {
    const company = yield* companyNumber(port, key.companyId)
    yield* changeOne(port, key.id, (db) => insertKey(db, company, key))
  },

  *replaceKey(port, id, successor, endsAt) {
    const company = yield* companyNumber(port, successor.companyId)
    return yield* changeAccounts(port, function* (db) {
      if ((yield* db.run(END_KEY, id, endsAt, company, successor.createdAt)) === 0) return []
      yield* insertKey(db, company, successor)
      return [id, successor.id]
    })
  },

  *renameKey(port, id, name) {
    return yield* changeAccounts(port, function* (db) {
      return (yield* db.run(RENAME_KEY, id, name)) > 0 ? [id] : []
    })
  },

  *revokeKey(port, id, at) {
    return yield* changeAccounts(port, function* (db) {
      const key = yield* db.one(REVOKE_KEY, id, at)
      return key === undefined ? [] : [id, ...(yield* forgetRevoked(db, key))]
    })
  },

  *forgetAccounts(port, before, limit) {
    let gone: string[] = []
    yield* changeAccounts(port, function* (db) {
      gone = []
      for (const forget of FORGET) {
        const rows = yield* db.all(forget, Math.round(before), limit)
        gone.push(...rows.map(({ id }) => id))
      }
      return gone
    })
    return gone.length
  },

  *setRoute(port, { id, companyId, domainId, url, sealed, createdAt }) {
    const company = yield* companyNumber(port, companyId)
    yield* changeOne(port, ROUTES, function* (db) {
      yield* refuseForeign(db, companyId, company, domainId)
      yield* db.run(SET_ROUTE, company, domainId ?? '', id, url, sealed, createdAt)
    })
  },

  *removeRoute(port, { companyId, domainId }) {
    const company = yield* companyNumber(port, companyId)
    return yield* changeAccounts(port, function* (db) {
      return (yield* db.run(REMOVE_ROUTE, company, domainId ?? '')) > 0 ? [ROUTES] : []
    })
  },
} satisfies Operations<Port>

function* insertKey(db: PortTransaction, company: number, key: ApiKey): PortSteps<void> {
  const { id, companyId, name, tokenHash, tokenStart, password, scopes, domainId, networks } = key
  const { createdAt, expiresAt, revokedAt } = key
  const texts = [tokenStart, password, JSON.stringify(scopes), domainId, listText(networks)]
  const values = [id, company, name, tokenHash, ...texts, createdAt, expiresAt, revokedAt]
  yield* refuseForeign(db, companyId, company, domainId)
  if (revokedAt === null) yield* checkOwnedLimit(db, 'keys', company)
  const taken = `There is already a key with the id ${id} or of the same token`
  yield* insertUnique(db, taken, ADD_KEY, ...values)
}

/** Forgets revoked keys beyond REVOKED_KEPT, and returns their ids. */
function* forgetRevoked(db: PortTransaction, { company }: OwnerRow): PortSteps<string[]> {
  return (yield* db.all(FORGET_REVOKED, company, REVOKED_KEPT)).map(({ id }) => id)
}
