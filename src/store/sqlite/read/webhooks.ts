import type { DatabaseSync } from 'node:sqlite'
import {
  ATTEMPT_COLUMNS,
  type AttemptRow,
  attemptOf,
  eventsTold,
  partColumn,
  type RetryRow,
  retryOf,
  searchLog,
  WEBHOOK_COLUMNS,
  type WebhookEventRow,
  type WebhookRow,
  webhookEventOf,
  webhookOf,
} from '../../webhook-rows.ts'
import type { Direct } from '../protocol.ts'
import { all, one } from '../rows.ts'

type WebhookReads =
  | 'webhooks'
  | 'signingKey'
  | 'webhookRetries'
  | 'webhookAttempts'
  | 'webhookEvents'
  | 'lastEventBefore'

export function webhooks(db: DatabaseSync): Direct<WebhookReads> {
  const FROM = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks w JOIN companies c ON c.num = w.company`
  const everyone = db.prepare(`${FROM} ORDER BY w.num`)
  const ofCompany = db.prepare(
    `${FROM} WHERE w.company = (SELECT num FROM companies WHERE id = ?) ORDER BY w.num`,
  )
  const byId = db.prepare(`${FROM} WHERE w.id = ?`)
  const key = db.prepare(
    'SELECT sealed FROM signing_keys WHERE company = (SELECT num FROM companies WHERE id = ?)',
  )
  const due = db.prepare(
    `SELECT number, part, attempts, due_at AS dueAt FROM webhook_retries
     WHERE webhook = (SELECT num FROM webhooks WHERE id = ?) AND due_at <= ? ORDER BY due_at LIMIT ?`,
  )
  const OF_WEBHOOK = `SELECT ${ATTEMPT_COLUMNS} FROM webhook_attempts
    WHERE webhook = (SELECT num FROM webhooks WHERE id = ?1) AND id < ?2`
  const attempts = db.prepare(`${OF_WEBHOOK} ORDER BY id DESC LIMIT ?3`)
  const attemptsOfKind = db.prepare(`${OF_WEBHOOK} AND succeeded = ?4 ORDER BY id DESC LIMIT ?3`)
  const attemptsOfEvent = db.prepare(
    `${OF_WEBHOOK} AND number = ?4 AND (?5 IS NULL OR succeeded = ?5)
       AND (?6 IS NULL OR part = ?6) ORDER BY id DESC LIMIT ?3`,
  )
  const told = db.prepare(eventsTold('(SELECT num FROM webhooks WHERE id = ?1)', '?2', '?3', '?4'))
  const last = db.prepare("SELECT value FROM counters WHERE name = 'events'")
  const eventFrom = db.prepare('SELECT number, at FROM events WHERE number >= ? ORDER BY number LIMIT 1')
  return {
    webhooks({ companyId, id }) {
      if (id === undefined) {
        return (
          companyId === undefined ? all<WebhookRow>(everyone) : all<WebhookRow>(ofCompany, companyId)
        ).map(webhookOf)
      }
      const found = all<WebhookRow>(byId, id).map(webhookOf)
      return found.filter((webhook) => companyId === undefined || webhook.companyId === companyId)
    },

    signingKey: (companyId) => one<{ sealed: Uint8Array }>(key, companyId)?.sealed ?? null,

    webhookRetries: (id, dueBefore, limit) =>
      all<RetryRow>(due, id, Math.round(dueBefore), limit).map(retryOf),

    webhookAttempts({ webhookId, succeeded, number, part, before = '~', limit }) {
      const kind = succeeded === undefined ? null : Number(succeeded)
      const rows =
        number !== undefined
          ? all<AttemptRow>(attemptsOfEvent, webhookId, before, limit, number, kind, part ?? null)
          : kind === null
            ? all<AttemptRow>(attempts, webhookId, before, limit)
            : all<AttemptRow>(attemptsOfKind, webhookId, before, limit, kind)
      return rows.map((row) => attemptOf(row, webhookId))
    },

    webhookEvents: ({ webhookId, before = Number.MAX_SAFE_INTEGER, beforePart, limit }) =>
      all<WebhookEventRow>(told, webhookId, before, partColumn(beforePart), limit).map(webhookEventOf),

    lastEventBefore(at) {
      const search = searchLog(one<{ value: number }>(last)!.value, at)
      let step = search.next()
      while (!step.done) step = search.next(one<{ number: number; at: number }>(eventFrom, step.value))
      return step.value
    },
  }
}
