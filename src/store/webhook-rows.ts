/** Webhooks as rows of both databases. */
import { listOf, listText } from './json-columns.ts'
import type {
  HeldWebhook,
  Webhook,
  WebhookAttempt,
  WebhookChange,
  WebhookEvent,
  WebhookRetry,
  WebhookType,
} from './webhook.ts'

/** Columns of `webhooks w`, whose company is `c`. */
export const WEBHOOK_COLUMNS = `w.id, c.id AS "companyId", w.domain_id AS "domainId", w.dialect, w.url, w.types, w.status, w.secret,
  w.previous_secret AS "previousSecret", w.rotated_at AS "rotatedAt", w.created_at AS "createdAt",
  w.failing_since AS "failingSince", w.disabled_at AS "disabledAt", w.disabled_reason AS "disabledReason", w.cursor`

type StoredValue = string | number | Uint8Array | null

/** Columns of a new row, in the order of `insertedValues`. */
export const INSERTED = `id, company, domain_id, dialect, url, types, status, secret, previous_secret, rotated_at, created_at,
  failing_since, disabled_at, disabled_reason, cursor`

/** `company`: the company's number. */
export function insertedValues(webhook: Webhook, company: number): StoredValue[] {
  const { id, domainId, dialect, url, types, status, secret, previousSecret, rotatedAt, createdAt } = webhook
  const { failingSince, disabledAt, disabledReason, cursor } = webhook
  return [
    ...[
      id,
      company,
      domainId,
      dialect,
      url,
      listText(types),
      status,
      secret,
      previousSecret,
      rotatedAt,
      createdAt,
    ],
    ...[failingSince, disabledAt, disabledReason, cursor],
  ]
}

export type WebhookRow = Omit<Webhook, 'types'> & { types: string | null }
export type HeldRow = Omit<HeldWebhook, 'types' | 'spare'> & { types: string | null; spare: number | boolean }

export function webhookOf(row: WebhookRow): Webhook {
  return { ...row, types: listOf<WebhookType>(row.types) }
}

export function heldOf(row: HeldRow): HeldWebhook {
  return { ...row, types: listOf<WebhookType>(row.types), spare: Boolean(row.spare) }
}

/** Columns of `webhook_attempts`. */
export const ATTEMPT_COLUMNS = `id, number, part, type, email_id AS "emailId", at, duration, status, error, response, succeeded,
  attempt, next_at AS "nextAt"`

/** The column's value for an event that is sent whole. */
const WHOLE = -1

/** The column's value for a property. */
export function partColumn(part = WHOLE): number {
  return part
}

/** The property for a column's value. */
function partProperty(part: number): { part?: number } {
  return part === WHOLE ? {} : { part }
}

export type RetryRow = WebhookRetry & { part: number }

export function retryOf({ part, ...row }: RetryRow): WebhookRetry {
  return { ...row, ...partProperty(part) }
}

export type AttemptRow = Omit<WebhookAttempt, 'webhookId' | 'succeeded'> & {
  part: number
  succeeded: number | boolean
}

export function attemptOf({ part, ...row }: AttemptRow, webhookId: string): WebhookAttempt {
  const succeeded = row.succeeded === true || row.succeeded === 1
  return { ...row, ...partProperty(part), webhookId, succeeded }
}

/**
 * The events of the newest attempts, each with its last attempt. The parameters are placeholders: `webhook` for the
 * webhook's number, `before` and `beforePart` for the event and its recipient that the page ends before, `limit` for
 * the number of events.
 */
export function eventsTold(webhook: string, before: string, beforePart: string, limit: string): string {
  return `SELECT a.number, a.part, a.type, a.email_id AS "emailId", coalesce(e.at, a.at) AS at, a.succeeded,
      r.attempts, r.due_at AS "dueAt"
    FROM (SELECT number, part, max(id) AS id FROM webhook_attempts
      WHERE webhook = ${webhook} AND (number, part) < (${before}, ${beforePart})
      GROUP BY number, part ORDER BY number DESC, part DESC LIMIT ${limit}) AS n
    JOIN webhook_attempts a ON a.webhook = ${webhook} AND a.id = n.id
    LEFT JOIN webhook_retries r ON r.webhook = ${webhook} AND r.number = n.number AND r.part = n.part
    LEFT JOIN events e ON e.number = n.number
    ORDER BY n.number DESC, n.part DESC`
}

export type WebhookEventRow = Omit<WebhookEvent, 'succeeded' | 'retry'> & {
  part: number
  succeeded: number | boolean
  attempts: number | null
  dueAt: number | null
}

export function webhookEventOf({ part, attempts, dueAt, succeeded, ...row }: WebhookEventRow): WebhookEvent {
  return {
    ...row,
    ...partProperty(part),
    succeeded: succeeded === true || succeeded === 1,
    retry: attempts === null ? null : { attempts, dueAt: dueAt! },
  }
}

const COLUMN: { [Name in keyof Required<WebhookChange>]: string } = {
  url: 'url',
  types: 'types',
  status: 'status',
  secret: 'secret',
  previousSecret: 'previous_secret',
  rotatedAt: 'rotated_at',
  failingSince: 'failing_since',
  disabledAt: 'disabled_at',
  disabledReason: 'disabled_reason',
  cursor: 'cursor',
}

/** The columns of a change, with their new values. */
export function changedColumns(change: WebhookChange): [column: string, value: StoredValue][] {
  return (Object.keys(COLUMN) as (keyof typeof COLUMN)[])
    .filter((name) => change[name] !== undefined)
    .map((name) => {
      const value = name === 'types' ? listText(change.types!) : change[name]!
      return [COLUMN[name], value as StoredValue]
    })
}

/** True when the node that has the webhook must not continue from its present state. */
export function beginsAnew({ status, cursor }: WebhookChange): boolean {
  return status !== undefined || cursor !== undefined
}

/**
 * Finds the number of the last event before a time: `look` returns the first event from a number on. Events lie in the
 * order of their commits, so their times rise, except for differences between clocks and commits.
 */
export function* searchLog(
  end: number,
  at: number,
): Generator<number, number, { number: number; at: number } | undefined> {
  let low = 0
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = yield middle + 1
    if (found === undefined || found.number > high || found.at >= at) high = middle
    else low = found.number
  }
  return low
}
