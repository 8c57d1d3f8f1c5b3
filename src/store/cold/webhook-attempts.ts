/** Attempts to send events to webhooks. */
import type { ShownWebhookAttempt, WebhookAttempt, WebhookEvent } from '../webhook.ts'
import { Conditions } from './conditions.ts'
import type { Operations, Port, PortSteps, PortTransaction, ReadPort } from './port.ts'
import { dynamicStatement, statement } from './statement.ts'
import { partColumn, partProperty } from './webhook-retries.ts'
import { WEBHOOK } from './webhooks.ts'

/** The most attempts removed by one statement. */
const STEP = 1_000
/** The column's value for an event of a company. */
const NO_EMAIL = ''

/** A row that exists was committed by an earlier try whose answer was lost. */
const ADD = statement(
  ({ rows }) => `INSERT INTO webhook_attempts
      (webhook, id, number, part, type, email_id, at, duration, status, error, response, succeeded, attempt, next_at)
    SELECT $1, id, number, part, type, "emailId", at, duration, status, error, response, succeeded, attempt, "nextAt"
    FROM ${rows('$2', {
      id: 'text',
      number: 'bigint',
      part: 'integer',
      type: 'text',
      emailId: 'text',
      at: 'bigint',
      duration: 'bigint',
      status: 'integer',
      error: 'text',
      response: 'text',
      succeeded: 'boolean',
      attempt: 'integer',
      nextAt: 'bigint',
    })} WHERE true
    ON CONFLICT DO NOTHING`,
)

interface WebhookAttemptRow extends Omit<ShownWebhookAttempt, 'webhookId' | 'succeeded'> {
  part: number
  emailId: string
  succeeded: number | boolean
}

interface WebhookMessageRow extends Omit<WebhookEvent, 'succeeded' | 'retry'> {
  part: number
  emailId: string
  succeeded: number | boolean
  attempts: number | null
  dueAt: number | null
}

const NUMBER = '(SELECT num FROM webhooks WHERE id = $1)'

/** The events of the newest attempts, each with its last attempt. */
const EVENTS = statement<WebhookMessageRow>(`SELECT a.number, a.part, a.type, a.email_id AS "emailId",
    coalesce(e.at, a.at) AS at, a.succeeded, r.attempts, r.due_at AS "dueAt"
  FROM (SELECT number, part, max(id) AS id FROM webhook_attempts
    WHERE webhook = ${NUMBER} AND (number, part) < ($2, $3)
    GROUP BY number, part ORDER BY number DESC, part DESC LIMIT $4) AS n
  JOIN webhook_attempts a ON a.webhook = ${NUMBER} AND a.id = n.id
  LEFT JOIN webhook_retries r ON r.webhook = ${NUMBER} AND r.number = n.number AND r.part = n.part
  LEFT JOIN events e ON e.number = n.number
  ORDER BY n.number DESC, n.part DESC`)

/**
 * Values: the webhook's number, then those of `which`: whether the attempts succeeded and how many are kept, or a time.
 */
const forgetSome = (which: string) =>
  statement(
    ({ isAmong }) =>
      `DELETE FROM webhook_attempts WHERE webhook = $1 AND ${isAmong('id', `FROM webhook_attempts WHERE webhook = $1 AND ${which}`)}`,
  )
const FORGET_BEYOND = forgetSome(`succeeded = $2 ORDER BY id DESC LIMIT ${STEP} OFFSET $3`)
const FORGET_OLD_FAILURES = forgetSome(`succeeded = false AND at < $2 ORDER BY id LIMIT ${STEP}`)

export const webhookAttemptReads = {
  *webhookAttempts(port, { webhookId, succeeded, number, part, before = '~', limit }) {
    const conditions = new Conditions()
    conditions.where(webhookId, (place) => `webhook = (SELECT num FROM webhooks WHERE id = ${place})`)
    conditions.where(before, (place) => `id < ${place}`)
    conditions.where(succeeded, (place) => `succeeded = ${place}`)
    conditions.where(number, (place) => `number = ${place}`)
    conditions.where(part, (place) => `part = ${place}`)
    const page =
      dynamicStatement<WebhookAttemptRow>(`SELECT a.id, a.number, a.part, a.type, a.email_id AS "emailId", a.at, a.duration,
        a.status, a.error, a.response, a.succeeded, a.attempt, a.next_at AS "nextAt", r.address AS recipient
      FROM (SELECT * FROM webhook_attempts ${conditions.clause} ORDER BY id DESC LIMIT ${conditions.place(limit)}) AS a
      LEFT JOIN events e ON e.number = a.number
      LEFT JOIN recipients r ON r.email = e.email
        AND r.position = CASE WHEN a.part = ${partColumn()} THEN e.recipient ELSE a.part END
      ORDER BY a.id DESC`)
    return (yield* port.read.all(page, ...conditions.values)).map(({ part, emailId, ...row }) => {
      const about = { emailId: emailOf(emailId), ...partProperty(part) }
      return { ...row, ...about, webhookId, succeeded: Boolean(row.succeeded) }
    })
  },

  *webhookEvents(port, { webhookId, before = Number.MAX_SAFE_INTEGER, beforePart, limit }) {
    return (yield* port.read.all(EVENTS, webhookId, before, partColumn(beforePart), limit)).map(eventOf)
  },
} satisfies Operations<ReadPort>

export const webhookAttemptWrites = {
  *pruneWebhookAttempts(port, id, { succeeded, failed, failedSince }) {
    const webhook = yield* port.read.one(WEBHOOK, id)
    if (webhook === undefined) return
    yield* port.write.run(FORGET_BEYOND, webhook.num, true, succeeded)
    yield* port.write.run(FORGET_BEYOND, webhook.num, false, failed)
    yield* port.write.run(FORGET_OLD_FAILURES, webhook.num, Math.round(failedSince))
  },
} satisfies Operations<Port>

export function* addAttempts(
  db: PortTransaction,
  webhook: number,
  attempts: readonly WebhookAttempt[],
): PortSteps<void> {
  const rows = attempts.map((attempt) => ({
    ...attempt,
    part: partColumn(attempt.part),
    emailId: attempt.emailId ?? NO_EMAIL,
    at: Math.round(attempt.at),
    duration: Math.round(attempt.duration),
    nextAt: attempt.nextAt === null ? null : Math.round(attempt.nextAt),
  }))
  yield* db.run(ADD, webhook, rows)
}

function emailOf(column: string): string | null {
  return column === NO_EMAIL ? null : column
}

function eventOf({ part, emailId, attempts, dueAt, succeeded, ...row }: WebhookMessageRow): WebhookEvent {
  return {
    ...row,
    emailId: emailOf(emailId),
    ...partProperty(part),
    succeeded: Boolean(succeeded),
    retry: attempts === null ? null : { attempts, dueAt: dueAt! },
  }
}
