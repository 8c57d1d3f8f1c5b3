/** Assigns webhooks to nodes. Only the node that has a webhook sends it events. */
import { listOf } from '../json-columns.ts'
import type { AssignedWebhook, WebhookType } from '../webhook.ts'
import type { Operations, Port } from './port.ts'
import { statement } from './statement.ts'
import { addAttempts } from './webhook-attempts.ts'
import { retryRows, WAIT, WAIT_NO_LONGER } from './webhook-retries.ts'
import { WEBHOOK_COLUMNS, type WebhookRow } from './webhooks.ts'

interface LeasedRow extends Omit<AssignedWebhook, 'types' | 'spare'>, Pick<WebhookRow, 'types'> {
  spare: number | boolean | null
}

const ENABLED = "SELECT count(*) FROM webhooks WHERE status = 'enabled'"
const NODES = '(SELECT count(*) FROM nodes)'
const FREE = `status = 'enabled' AND (lease IS NULL OR lease NOT IN (SELECT token FROM nodes))`
/** The webhooks of one node, rounded up. NULL: there is no node. */
const SHARE = `((${ENABLED}) + ${NODES} - 1) / nullif(${NODES}, 0)`

const SOME_FREE = statement(`SELECT 1 AS free FROM webhooks WHERE ${FREE} LIMIT 1`)
/** No node takes more than its share, so that the other nodes find some. */
const TAKE = statement(({ isAmong }) => {
  const free = isAmong(
    'num',
    `FROM webhooks WHERE ${FREE} ORDER BY num
    LIMIT (SELECT CASE WHEN s.share > s.own THEN s.share - s.own ELSE 0 END
      FROM (SELECT ${SHARE} AS share, (${ENABLED} AND lease = $1) AS own) AS s)
    FOR UPDATE SKIP LOCKED`,
  )
  return `UPDATE webhooks SET lease = $1 WHERE ${free} AND EXISTS (SELECT 1 FROM nodes WHERE token = $1)`
})
const LEASED = statement<LeasedRow>(`SELECT ${WEBHOOK_COLUMNS}, w.generation,
    (SELECT min(due_at) FROM webhook_retries r WHERE r.webhook = w.num) AS "retryAt",
    row_number() OVER (ORDER BY w.num) > ${SHARE} AS spare
  FROM webhooks w JOIN companies c ON c.num = w.company WHERE w.lease = $1 AND w.status = 'enabled' ORDER BY w.num`)
const LEAVE = statement('UPDATE webhooks SET lease = NULL WHERE lease = $1 AND ($2::text IS NULL OR id = $2)')
const PROGRESS = statement<{ num: number; company: number }>(`UPDATE webhooks
  SET cursor = $1, failing_since = $2, status = coalesce($3, status),
    disabled_at = coalesce($4, disabled_at), disabled_reason = coalesce($5, disabled_reason)
  WHERE id = $6 AND lease = $7 AND generation = $8 AND status = 'enabled' RETURNING num, company`)

export const webhookLeaseWrites = {
  *takeWebhooks(port, token) {
    if ((yield* port.read.one(SOME_FREE)) !== undefined) yield* port.write.run(TAKE, token)
    return (yield* port.read.all(LEASED, token)).map((row) => {
      return { ...row, types: listOf<WebhookType>(row.types), spare: Boolean(row.spare) }
    })
  },

  *leaveWebhooks(port, token, id) {
    yield* port.write.run(LEAVE, token, id ?? null)
  },

  *progressWebhook(port, progress) {
    const { id, token, generation, cursor, failingSince, disabled, over, waiting, attempts } = progress
    const state =
      disabled === null ? [null, null, null] : ['disabled', Math.round(disabled.at), disabled.detail.message]
    return yield* port.transaction(function* (db) {
      const row = yield* db.one(PROGRESS, cursor, failingSince, ...state, id, token, generation)
      if (row === undefined) return false
      if (disabled !== null) yield* db.tell(row.company, disabled)
      if (over.length > 0) yield* db.run(WAIT_NO_LONGER, row.num, retryRows(over))
      if (waiting.length > 0) yield* db.run(WAIT, row.num, retryRows(waiting))
      if (attempts.length > 0) yield* addAttempts(db, row.num, attempts)
      return true
    })
  },
} satisfies Operations<Port>
