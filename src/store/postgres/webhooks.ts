import type { NewCompanyEvent } from '../../email/company-event.ts'
import { mapText } from '../json-columns.ts'
import { StoreConflict } from '../store.ts'
import type { WebhookTelling } from '../webhook.ts'
import {
  ATTEMPT_COLUMNS,
  type AttemptRow,
  attemptOf,
  beginsAnew,
  changedColumns,
  eventsTold,
  type HeldRow,
  heldOf,
  INSERTED,
  insertedValues,
  partColumn,
  type RetryRow,
  retryOf,
  searchLog,
  WEBHOOK_COLUMNS,
  type WebhookEventRow,
  type WebhookRow,
  webhookEventOf,
  webhookOf,
} from '../webhook-rows.ts'
import type { WebhookStore } from '../webhook-store.ts'
import { withNotice } from './change-notice.ts'
import type { Session, Value } from './database.ts'
import { checkOwnedLimit } from './owned-limits.ts'
import type { Parts } from './parts.ts'
import { storable } from './rows.ts'

/** Attempts removed in one step at most. */
const STEP = 1_000

const FROM = `SELECT ${WEBHOOK_COLUMNS} FROM webhooks w JOIN companies c ON c.num = w.company`
const INSERT = `INSERT INTO webhooks (${INSERTED})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`
const FREE = `status = 'enabled' AND (lease IS NULL OR lease NOT IN (SELECT token FROM nodes))`
const SHARE = `ceil((SELECT count(*) FROM webhooks WHERE status = 'enabled')
        / greatest(1, (SELECT count(*) FROM nodes))::numeric)::integer`
/** No node takes more than its share, so that the other nodes find some. */
const TAKE = `UPDATE webhooks SET lease = $1 WHERE num IN (
    SELECT num FROM webhooks WHERE ${FREE} ORDER BY num
    LIMIT (SELECT greatest(0, ${SHARE}
      - (SELECT count(*) FROM webhooks WHERE status = 'enabled' AND lease = $1)))
    FOR UPDATE SKIP LOCKED
  ) AND EXISTS (SELECT 1 FROM nodes WHERE token = $1) RETURNING num`
const HELD = `SELECT ${WEBHOOK_COLUMNS}, w.generation,
    (SELECT min(due_at) FROM webhook_retries r WHERE r.webhook = w.num) AS "retryAt",
    row_number() OVER (ORDER BY w.num) > (SELECT ${SHARE}) AS spare
  FROM webhooks w JOIN companies c ON c.num = w.company WHERE w.lease = $1 AND w.status = 'enabled' ORDER BY w.num`
const LEAVE = 'UPDATE webhooks SET lease = NULL WHERE lease = $1 AND ($2::text IS NULL OR id = $2)'
const SOME_FREE = `SELECT EXISTS (SELECT 1 FROM webhooks WHERE ${FREE}) AS free`
const RETRIES = `SELECT number, part, attempts, due_at AS "dueAt" FROM webhook_retries
  WHERE webhook = (SELECT num FROM webhooks WHERE id = $1) AND due_at <= $2 ORDER BY due_at LIMIT $3`
const WAIT = `INSERT INTO webhook_retries (webhook, number, part, attempts, due_at)
  SELECT $1, number, part, attempts, due
  FROM json_to_recordset($2::json) AS j (number bigint, part integer, attempts integer, due bigint)
  ON CONFLICT (webhook, number, part) DO UPDATE SET attempts = excluded.attempts, due_at = excluded.due_at`
const PROGRESS = `UPDATE webhooks SET cursor = $1, failing_since = $2, status = coalesce($3, status),
    disabled_at = coalesce($4, disabled_at), disabled_reason = coalesce($5, disabled_reason)
  WHERE id = $6 AND lease = $7 AND generation = $8 AND status = 'enabled' RETURNING num, company`
const OVER = `DELETE FROM webhook_retries WHERE webhook = $1
  AND (number, part) IN (SELECT number, part FROM json_to_recordset($2::json) AS j (number bigint, part integer))`
/** A repeated row was committed before, although no answer came. */
const TRIED = `INSERT INTO webhook_attempts
    (webhook, id, number, part, type, email_id, at, duration, status, error, response, succeeded, attempt, next_at)
  SELECT $1, id, number, part, type, "emailId", at, duration, status, error, response, succeeded, attempt, "nextAt"
  FROM json_to_recordset($2::json) AS j (id text, number bigint, part integer, type text, "emailId" text, at bigint, duration bigint,
    status integer, error text, response text, succeeded boolean, attempt integer, "nextAt" bigint)
  ON CONFLICT DO NOTHING`
const ATTEMPTS = `SELECT ${ATTEMPT_COLUMNS} FROM webhook_attempts WHERE webhook = (SELECT num FROM webhooks WHERE id = $1)
    AND id < $2 AND ($4::boolean IS NULL OR succeeded = $4) AND ($5::bigint IS NULL OR number = $5)
    AND ($6::integer IS NULL OR part = $6)
  ORDER BY id DESC LIMIT $3`
const TOLD = eventsTold('(SELECT num FROM webhooks WHERE id = $1)', '$2', '$3', '$4')
const PRUNE = `DELETE FROM webhook_attempts WHERE webhook = $1 AND id IN (
    (SELECT id FROM webhook_attempts WHERE webhook = $1 AND succeeded ORDER BY id DESC LIMIT ${STEP} OFFSET $2)
    UNION ALL
    (SELECT id FROM webhook_attempts WHERE webhook = $1 AND NOT succeeded ORDER BY id DESC LIMIT ${STEP} OFFSET $3)
    UNION ALL
    (SELECT id FROM webhook_attempts WHERE webhook = $1 AND NOT succeeded AND at < $4 ORDER BY id LIMIT ${STEP}))`
const TELL = `INSERT INTO events (company, at, type, detail) VALUES ($1, $2, $3, $4)`
const REACHED =
  'SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS reached FROM events_number_seq'

/** Webhook endpoints, and the attempts to deliver events to them. */
export function webhooks(parts: Parts): WebhookStore {
  const { database, companies } = parts
  /** True when something was changed: then watchers are notified. */
  const changing = (work: (session: Session) => Promise<boolean>) => withNotice(parts, 'webhooks', work)
  const numOf = async (id: string) => {
    const [row] = await database.read<{ num: number }>('SELECT num FROM webhooks WHERE id = $1', [id])
    return row?.num
  }
  return {
    async webhooks({ companyId, id }) {
      const rows = await database.read<WebhookRow>(
        `${FROM} WHERE ($1::text IS NULL OR c.id = $1) AND ($2::text IS NULL OR w.id = $2) ORDER BY w.num`,
        [companyId ?? null, id ?? null],
      )
      return rows.map(webhookOf)
    },

    async addWebhook(webhook) {
      const company = await companies.number(webhook.companyId)
      const { domainId } = webhook
      const owned = 'SELECT 1 FROM domains WHERE id = $1 AND company = $2'
      if (domainId !== null && (await database.read(owned, [domainId, company])).length === 0) {
        throw new StoreConflict(`The company ${webhook.companyId} has no domain with the id ${domainId}`)
      }
      await changing(async (session) => {
        await checkOwnedLimit(session, 'webhooks', company)
        await session.run(INSERT, insertedValues(webhook, company))
        return true
      })
    },

    async updateWebhook(id, change, event) {
      const columns = changedColumns(change)
      const set = columns.map(([column], index) => `, ${column} = $${index + 2}`).join('')
      const sql = `UPDATE webhooks SET generation = generation + ${beginsAnew(change) ? 1 : 0}${set} WHERE id = $1 RETURNING company`
      return await changing(async (session) => {
        const values = [id, ...columns.map(([, value]) => value)]
        const [row] = await session.run<{ company: number }>(sql, values)
        if (row === undefined) return false
        if (event !== undefined) await tell(session, row.company, event)
        return true
      })
    },

    async removeWebhook(id) {
      return await changing(async (session) => {
        const sql = 'DELETE FROM webhooks WHERE id = $1 RETURNING num'
        const [row] = await session.run<{ num: number }>(sql, [id])
        if (row === undefined) return false
        await session.run('DELETE FROM webhook_attempts WHERE webhook = $1', [row.num])
        await session.run('DELETE FROM webhook_retries WHERE webhook = $1', [row.num])
        return true
      })
    },

    async retellWebhook(id, tellings, now) {
      const num = await numOf(id)
      if (num === undefined) return false
      return await changing(async (session) => {
        const due = Math.round(now)
        const rows = tellings.map((telling) => ({ ...withPart(telling), attempts: 0, due }))
        await session.run(WAIT, [num, JSON.stringify(rows)])
        return true
      })
    },

    async signingKey(companyId) {
      const company = await companies.number(companyId)
      const sql = 'SELECT sealed FROM signing_keys WHERE company = $1'
      const [row] = await database.read<{ sealed: Uint8Array }>(sql, [company])
      return row?.sealed ?? null
    },

    async setSigningKey(companyId, sealed, replace) {
      const company = await companies.number(companyId)
      const kept = replace ? 'excluded.sealed' : 'signing_keys.sealed'
      const sql = `INSERT INTO signing_keys (company, sealed) VALUES ($1, $2)
        ON CONFLICT (company) DO UPDATE SET sealed = ${kept} RETURNING sealed`
      let now = sealed
      await changing(async (session) => {
        const [row] = await session.run<{ sealed: Uint8Array }>(sql, [company, sealed])
        now = row!.sealed
        return true
      })
      return now
    },

    async takeWebhooks(token) {
      const [some] = await database.read<{ free: boolean }>(SOME_FREE)
      if (some!.free) await database.write(TAKE, [token])
      return (await database.read<HeldRow>(HELD, [token])).map(heldOf)
    },

    async leaveWebhooks(token, id) {
      await database.write(LEAVE, [token, id ?? null])
    },

    async webhookRetries(id, dueBefore, limit) {
      return (await database.read<RetryRow>(RETRIES, [id, Math.round(dueBefore), limit])).map(retryOf)
    },

    async progressWebhook({
      id,
      token,
      generation,
      cursor,
      failingSince,
      disabled,
      over,
      waiting,
      attempts,
    }) {
      const state: Value[] =
        disabled === null
          ? [null, null, null]
          : ['disabled', Math.round(disabled.at), disabled.detail.message]
      return await database.transaction(async (session) => {
        const [row] = await session.run<{ num: number; company: number }>(PROGRESS, [
          ...[cursor, failingSince, ...state, id, token, generation],
        ])
        if (row === undefined) return false
        if (disabled !== null) await tell(session, row.company, disabled)
        if (over.length > 0) await session.run(OVER, [row.num, JSON.stringify(over.map(withPart))])
        if (waiting.length > 0) {
          const rows = waiting.map(({ dueAt, ...retry }) => ({ ...withPart(retry), due: Math.round(dueAt) }))
          await session.run(WAIT, [row.num, JSON.stringify(rows)])
        }
        if (attempts.length > 0) {
          const rows = attempts.map((each) => ({
            ...withPart(each),
            error: each.error === null ? null : storable(each.error),
            response: storable(each.response),
            at: Math.round(each.at),
            duration: Math.round(each.duration),
            nextAt: each.nextAt === null ? null : Math.round(each.nextAt),
          }))
          await session.run(TRIED, [row.num, JSON.stringify(rows)])
        }
        return true
      })
    },

    async webhookAttempts({ webhookId, succeeded, number, part, before = '~', limit }) {
      const values = [webhookId, before, limit, succeeded ?? null, number ?? null, part ?? null]
      return (await database.read<AttemptRow>(ATTEMPTS, values)).map((row) => attemptOf(row, webhookId))
    },

    async webhookEvents({ webhookId, before = Number.MAX_SAFE_INTEGER, beforePart, limit }) {
      const values = [webhookId, before, partColumn(beforePart), limit]
      return (await database.read<WebhookEventRow>(TOLD, values)).map(webhookEventOf)
    },

    async pruneWebhookAttempts(id, { succeeded, failed, failedSince }) {
      const num = await numOf(id)
      if (num !== undefined) await database.write(PRUNE, [num, succeeded, failed, Math.round(failedSince)])
    },

    async lastEventBefore(at) {
      const [row] = await database.read<{ reached: number }>(REACHED)
      const search = searchLog(row!.reached, at)
      let step = search.next()
      while (!step.done) {
        const sql = 'SELECT number, at FROM events WHERE number >= $1 ORDER BY number LIMIT 1'
        const [found] = await database.read<{ number: number; at: number }>(sql, [step.value])
        step = search.next(found)
      }
      return step.value
    },
  }
}

function withPart<Told extends WebhookTelling>(told: Told): Told & { part: number } {
  return { ...told, part: partColumn(told.part) }
}

async function tell(session: Session, company: number, { at, type, detail }: NewCompanyEvent): Promise<void> {
  await session.run(TELL, [company, Math.round(at), type, mapText(detail)])
}
