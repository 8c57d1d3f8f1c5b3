/** The DKIM keys of sending domains. */
import type { DkimIdentity } from '../../accounts/account.ts'
import { refuseFullOfKeys } from '../account-rows.ts'
import { StoreConflict } from '../store.ts'
import { changeAccounts, changeOne } from './account-change.ts'
import type { Operations, Port, PortSteps, PortTransaction } from './port.ts'
import { statement } from './statement.ts'
import { insertUnique, unlessDuplicate } from './unique.ts'

interface DomainReference {
  domainId: string
}

/**
 * A condition on a DKIM key `k`: `k` is inactive, or the domain has another active key. Mail of a domain must never go
 * unsigned.
 */
const OTHER_ACTIVE = `(NOT k.active OR EXISTS (
  SELECT 1 FROM dkim_keys o WHERE o.domain_id = k.domain_id AND o.id <> k.id AND o.active))`

const LOCK_DOMAIN = statement('SELECT id FROM domains WHERE id = $1 FOR UPDATE')
/** Without the lock, two concurrent changes could leave no key active. */
const LOCK_DOMAIN_OF_KEY = statement(
  'SELECT id FROM domains WHERE id = (SELECT domain_id FROM dkim_keys WHERE id = $1) FOR UPDATE',
)
const NEXT_POSITION = statement<{ position: number }>(`SELECT coalesce(max(k.position) + 1, 0) AS position
  FROM domains d LEFT JOIN dkim_keys k ON k.domain_id = d.id WHERE d.id = $1 GROUP BY d.id`)
const COUNT = statement<{ count: number }>('SELECT count(*) AS count FROM dkim_keys WHERE domain_id = $1')
const ADD = statement(`INSERT INTO dkim_keys
    (domain_id, position, id, selector, algorithm, active, public_key, sealed_private_key, stage, stage_since, seen,
      delegated, active_since, seen_since)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`)
const CHANGE = statement<DomainReference>(`UPDATE dkim_keys AS k
  SET active = coalesce($2::boolean, active), selector = coalesce($3, selector),
    seen = CASE WHEN $3::text IS NULL THEN seen END,
    seen_since = CASE WHEN $3::text IS NULL THEN seen_since END,
    active_since = CASE WHEN $2::boolean IS NULL THEN active_since WHEN $2::boolean THEN $4::int8 END,
    stage = CASE WHEN $2::boolean THEN NULL ELSE stage END,
    stage_since = CASE WHEN $2::boolean THEN NULL ELSE stage_since END
  WHERE id = $1 AND ($2::boolean IS DISTINCT FROM false OR ${OTHER_ACTIVE}) RETURNING domain_id AS "domainId"`)
const PROMOTE = statement<DomainReference & { algorithm: string }>(`UPDATE dkim_keys
  SET active = true, stage = NULL, stage_since = NULL, active_since = $2
  WHERE id = $1 AND stage = 'next' RETURNING domain_id AS "domainId", algorithm`)
/** Receivers could not verify mail signed with a key that DNS lacks, so its record need not stay. */
const REPLACED = statement(`UPDATE dkim_keys SET active = false, active_since = NULL, stage_since = $4,
    stage = CASE WHEN seen IN ('missing', 'different') THEN 'retired' ELSE 'retiring' END
  WHERE domain_id = $2 AND algorithm = $3 AND active AND id <> $1`)
const RETIRE = statement<DomainReference>(`UPDATE dkim_keys SET stage = 'retired', stage_since = $3
  WHERE id = $1 AND stage = 'retiring' AND stage_since <= $2 RETURNING domain_id AS "domainId"`)
const QUEUE = statement<DomainReference>(`UPDATE dkim_keys SET stage = 'next', stage_since = $2
  WHERE id = $1 AND stage IS NULL AND NOT active RETURNING domain_id AS "domainId"`)
const UNQUEUE = statement<DomainReference>(`UPDATE dkim_keys SET stage = NULL, stage_since = NULL
  WHERE id = $1 AND stage = 'next' RETURNING domain_id AS "domainId"`)
const RENEW = statement<DomainReference>(`UPDATE dkim_keys
  SET id = $2, public_key = $3, sealed_private_key = $4, stage = NULL, stage_since = NULL, seen = NULL, seen_since = NULL
  WHERE id = $1 AND (stage = 'retired' OR (stage = 'retiring' AND stage_since <= $5)) RETURNING domain_id AS "domainId"`)
const REMOVE = statement<DomainReference>(
  `DELETE FROM dkim_keys AS k WHERE id = $1 AND ${OTHER_ACTIVE} RETURNING domain_id AS "domainId"`,
)

export const dkimKeyWrites = {
  *addDkimKey(port, domainId, key) {
    yield* changeOne(port, domainId, function* (db) {
      yield* db.one(LOCK_DOMAIN, domainId)
      const next = yield* db.one(NEXT_POSITION, domainId)
      if (next === undefined) throw new StoreConflict(`There is no domain with the id ${domainId}`)
      refuseFullOfKeys((yield* db.one(COUNT, domainId))!.count)
      yield* insertDkimKey(db, domainId, next.position, key)
    })
  },

  *updateDkimKey(port, id, { active = null, selector = null, activeSince = null }) {
    return yield* changeAccounts(port, function* (db) {
      yield* db.one(LOCK_DOMAIN_OF_KEY, id)
      const rows = yield* unlessDuplicate(
        db,
        `There is already a DKIM key with the selector ${selector}`,
        () => db.all(CHANGE, id, active, selector, activeSince),
      )
      return rows.map(({ domainId }) => domainId)
    })
  },

  *promoteDkimKey(port, id, at) {
    return yield* changeAccounts(port, function* (db) {
      yield* db.one(LOCK_DOMAIN_OF_KEY, id)
      const promoted = yield* db.one(PROMOTE, id, at)
      if (promoted === undefined) return []
      yield* db.run(REPLACED, id, promoted.domainId, promoted.algorithm, at)
      return [promoted.domainId]
    })
  },

  *retireDkimKey(port, id, since, at) {
    return yield* changeAccounts(port, function* (db) {
      return (yield* db.all(RETIRE, id, since, at)).map(({ domainId }) => domainId)
    })
  },

  *queueDkimKey(port, id, at) {
    return yield* changeAccounts(port, function* (db) {
      const waiting = 'Another DKIM key of the domain is already waiting'
      const rows = yield* unlessDuplicate(db, waiting, () => db.all(QUEUE, id, at))
      return rows.map(({ domainId }) => domainId)
    })
  },

  *unqueueDkimKey(port, id) {
    return yield* changeAccounts(port, function* (db) {
      return (yield* db.all(UNQUEUE, id)).map(({ domainId }) => domainId)
    })
  },

  *renewDkimKey(port, id, { id: next, publicKey, sealedPrivateKey }, since) {
    return yield* changeAccounts(port, function* (db) {
      const rows = yield* db.all(RENEW, id, next, publicKey, sealedPrivateKey, since)
      return rows.map(({ domainId }) => domainId)
    })
  },

  *removeDkimKey(port, id) {
    return yield* changeAccounts(port, function* (db) {
      yield* db.one(LOCK_DOMAIN_OF_KEY, id)
      return (yield* db.all(REMOVE, id)).map(({ domainId }) => domainId)
    })
  },
} satisfies Operations<Port>

export function* insertDkimKey(
  db: PortTransaction,
  domainId: string,
  position: number,
  key: DkimIdentity,
): PortSteps<void> {
  const { id, selector, algorithm, active, publicKey, sealedPrivateKey, rotation, seen } = key
  const taken = `There is already a DKIM key with the id ${id}, or with the selector ${selector}`
  const state = [rotation?.stage ?? null, rotation?.since ?? null, seen]
  const times = [key.activeSince, key.seenSince]
  const values = [domainId, position, id, selector, algorithm, active, publicKey, sealedPrivateKey, ...state]
  values.push(key.delegated, ...times)
  yield* insertUnique(db, taken, ADD, ...values)
}
