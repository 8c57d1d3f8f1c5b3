/** Events that wait to be sent to a webhook again. */
import type { WebhookRetry } from '../webhook.ts'
import type { Operations, ReadPort } from './port.ts'
import { statement } from './statement.ts'

/** The column's value for an event that is sent whole. */
const WHOLE = -1

const EVENT = { number: 'bigint', part: 'integer' } as const

/** Values: the webhook's number, and `retryRows`. */
export const WAIT = statement(
  ({ rows }) => `INSERT INTO webhook_retries (webhook, number, part, attempts, due_at)
    SELECT $1, number, part, attempts, "dueAt"
    FROM ${rows('$2', { ...EVENT, attempts: 'integer', dueAt: 'bigint' })} WHERE true
    ON CONFLICT (webhook, number, part) DO UPDATE SET attempts = excluded.attempts, due_at = excluded.due_at`,
)

/** Values: the webhook's number, and `retryRows`. A retry with another due time was requested meanwhile, and stays. */
export const WAIT_NO_LONGER = statement(
  ({ rows }) => `DELETE FROM webhook_retries
    WHERE webhook = $1
      AND (number, part, due_at) IN (SELECT number, part, "dueAt" FROM ${rows('$2', { ...EVENT, dueAt: 'bigint' })})`,
)

interface RetryRow extends WebhookRetry {
  part: number
}

const DUE = statement<RetryRow>(`SELECT number, part, attempts, due_at AS "dueAt" FROM webhook_retries
  WHERE webhook = (SELECT num FROM webhooks WHERE id = $1) AND due_at <= $2 ORDER BY due_at LIMIT $3`)

export const webhookRetryReads = {
  *webhookRetries(port, id, dueBefore, limit) {
    const rows = yield* port.read.all(DUE, id, Math.round(dueBefore), limit)
    return rows.map(({ part, ...row }) => ({ ...row, ...partProperty(part) }))
  },
} satisfies Operations<ReadPort>

export function retryRows(retries: readonly WebhookRetry[]): object[] {
  return retries.map(({ number, part, attempts, dueAt }) => {
    return { number, part: partColumn(part), attempts, dueAt: Math.round(dueAt) }
  })
}

/** The column's value for a property. */
export function partColumn(part = WHOLE): number {
  return part
}

/** The property for a column's value. */
export function partProperty(part: number): { part?: number } {
  return part === WHOLE ? {} : { part }
}
