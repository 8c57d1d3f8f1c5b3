import type { DatabaseSync } from 'node:sqlite'
import { StoreConflict } from '../../store.ts'
import {
  beginsAnew,
  changedColumns,
  type HeldRow,
  heldOf,
  INSERTED,
  insertedValues,
  partColumn,
  WEBHOOK_COLUMNS,
} from '../../webhook-rows.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'
import type { Parts } from './parts.ts'

type WebhookWrites =
  | 'addWebhook'
  | 'updateWebhook'
  | 'removeWebhook'
  | 'retellWebhook'
  | 'setSigningKey'
  | 'takeWebhooks'
  | 'leaveWebhooks'
  | 'progressWebhook'
  | 'pruneWebhookAttempts'

interface Found {
  num: number
  company: number
}

/** Attempts removed in one step at most. */
const STEP = 1_000

/** Webhook endpoints, and the attempts to deliver events to them. */
export function webhooks(
  db: DatabaseSync,
  { changes, companies, events, ownedLimits }: Parts,
): Direct<WebhookWrites> {
  const ownerOf = db.prepare('SELECT company FROM domains WHERE id = ?')
  const insert = db.prepare(
    `INSERT INTO webhooks (${INSERTED})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const find = db.prepare('SELECT num, company FROM webhooks WHERE id = ?')
  const touch = db.prepare('UPDATE webhooks SET generation = generation + 1 WHERE num = ?')
  const removals = [
    db.prepare('DELETE FROM webhook_attempts WHERE webhook = ?'),
    db.prepare('DELETE FROM webhook_retries WHERE webhook = ?'),
    db.prepare('DELETE FROM webhooks WHERE num = ?'),
  ]
  const putKey = db.prepare('INSERT OR REPLACE INTO signing_keys (company, sealed) VALUES (?, ?)')
  const key = db.prepare('SELECT sealed FROM signing_keys WHERE company = ?')
  // Only one process uses the database, so its share is all of them.
  const take = db.prepare(
    `UPDATE webhooks SET lease = ? WHERE status = 'enabled' AND (lease IS NULL OR lease NOT IN (SELECT token FROM nodes))`,
  )
  const free = db.prepare(
    `SELECT 1 AS free FROM webhooks WHERE status = 'enabled' AND (lease IS NULL OR lease NOT IN (SELECT token FROM nodes))
     LIMIT 1`,
  )
  const held = db.prepare(
    `SELECT ${WEBHOOK_COLUMNS}, w.generation, (SELECT min(due_at) FROM webhook_retries r WHERE r.webhook = w.num) AS retryAt,
       0 AS spare
     FROM webhooks w JOIN companies c ON c.num = w.company WHERE w.lease = ? AND w.status = 'enabled' ORDER BY w.num`,
  )
  const leave = db.prepare('UPDATE webhooks SET lease = NULL WHERE lease = ?1 AND (?2 IS NULL OR id = ?2)')
  const progress = db.prepare(
    `UPDATE webhooks SET cursor = ?, failing_since = ?, status = coalesce(?, status), disabled_at = coalesce(?, disabled_at),
       disabled_reason = coalesce(?, disabled_reason)
     WHERE id = ? AND lease = ? AND generation = ? AND status = 'enabled' RETURNING num, company`,
  )
  const wait = db.prepare(
    'INSERT OR REPLACE INTO webhook_retries (webhook, number, part, attempts, due_at) VALUES (?, ?, ?, ?, ?)',
  )
  const over = db.prepare('DELETE FROM webhook_retries WHERE webhook = ? AND number = ? AND part = ?')
  const tried = db.prepare(
    `INSERT INTO webhook_attempts
       (webhook, id, number, part, type, email_id, at, duration, status, error, response, succeeded, attempt, next_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const beyond = db.prepare(
    `DELETE FROM webhook_attempts WHERE webhook = ?1 AND id IN (
       SELECT id FROM webhook_attempts WHERE webhook = ?1 AND succeeded = ?2 ORDER BY id DESC LIMIT ${STEP} OFFSET ?3)`,
  )
  const oldFailures = db.prepare(
    `DELETE FROM webhook_attempts WHERE webhook = ?1 AND id IN (
       SELECT id FROM webhook_attempts WHERE webhook = ?1 AND succeeded = 0 AND at < ?2 ORDER BY id LIMIT ${STEP})`,
  )
  const found = (id: string) => one<Found>(find, id)
  const changed = () => {
    changes.webhooks = true
    return true
  }

  return {
    addWebhook(webhook) {
      const company = companies.number(webhook.companyId)
      const { domainId } = webhook
      if (domainId !== null && one<{ company: number }>(ownerOf, domainId)?.company !== company) {
        throw new StoreConflict(`The company ${webhook.companyId} has no domain with the id ${domainId}`)
      }
      ownedLimits.check('webhooks', company)
      insert.run(...insertedValues(webhook, company))
      changed()
    },

    updateWebhook(id, change, event) {
      const webhook = found(id)
      if (webhook === undefined) return false
      const { num, company } = webhook
      const columns = changedColumns(change)
      if (columns.length > 0) {
        const set = columns.map(([column]) => `${column} = ?`).join(', ')
        db.prepare(`UPDATE webhooks SET ${set} WHERE num = ?`).run(...columns.map(([, value]) => value), num)
      }
      if (beginsAnew(change)) touch.run(num)
      if (event !== undefined) events.appendOfCompany(company, event)
      return changed()
    },

    removeWebhook(id) {
      const num = found(id)?.num
      if (num === undefined) return false
      for (const removal of removals) removal.run(num)
      return changed()
    },

    retellWebhook(id, tellings, now) {
      const num = found(id)?.num
      if (num === undefined) return false
      for (const { number, part } of tellings) wait.run(num, number, partColumn(part), 0, Math.round(now))
      return changed()
    },

    setSigningKey(companyId, sealed, replace) {
      const company = companies.number(companyId)
      const before = one<{ sealed: Uint8Array }>(key, company)
      if (before !== undefined && !replace) return before.sealed
      putKey.run(company, sealed)
      changed()
      return sealed
    },

    takeWebhooks(token) {
      if (one(free) !== undefined) take.run(token)
      return all<HeldRow>(held, token).map(heldOf)
    },

    leaveWebhooks: (token, id) => void leave.run(token, id ?? null),

    progressWebhook({ id, token, generation, cursor, failingSince, disabled, ...more }) {
      const state =
        disabled === null
          ? [null, null, null]
          : ['disabled', Math.round(disabled.at), disabled.detail.message]
      const found = one<Found>(progress, cursor, failingSince, ...state, id, token, generation)
      if (found === undefined) return false
      if (disabled !== null) events.appendOfCompany(found.company, disabled)
      for (const { number, part } of more.over) over.run(found.num, number, partColumn(part))
      for (const { number, part, attempts, dueAt } of more.waiting)
        wait.run(found.num, number, partColumn(part), attempts, Math.round(dueAt))
      for (const each of more.attempts) {
        tried.run(
          ...[
            found.num,
            each.id,
            each.number,
            partColumn(each.part),
            each.type,
            each.emailId,
            Math.round(each.at),
            Math.round(each.duration),
          ],
          ...[each.status, each.error, each.response, Number(each.succeeded), each.attempt],
          each.nextAt === null ? null : Math.round(each.nextAt),
        )
      }
      return true
    },

    pruneWebhookAttempts(id, { succeeded, failed, failedSince }) {
      const num = found(id)?.num
      if (num === undefined) return
      beyond.run(num, 1, succeeded)
      beyond.run(num, 0, failed)
      oldFailures.run(num, Math.round(failedSince))
    },
  }
}
