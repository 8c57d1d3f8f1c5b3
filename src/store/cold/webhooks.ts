/** Webhook endpoints, and the keys that sign what is sent to them. */
import { listOf, listText } from '../json-columns.ts'
import type { Webhook, WebhookChange, WebhookType } from '../webhook.ts'
import { companyNumber } from './companies.ts'
import { checkOwnedLimit, refuseForeign } from './owned.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { dynamicStatement, statement } from './statement.ts'
import { retryRows, WAIT } from './webhook-retries.ts'

/** Columns of `webhooks w`, whose company is `c`. */
export const WEBHOOK_COLUMNS = `w.id, c.id AS "companyId", w.domain_id AS "domainId", w.dialect, w.url, w.types, w.status, w.secret,
  w.previous_secret AS "previousSecret", w.rotated_at AS "rotatedAt", w.created_at AS "createdAt",
  w.failing_since AS "failingSince", w.disabled_at AS "disabledAt", w.disabled_reason AS "disabledReason", w.cursor`

export type WebhookRow = Omit<Webhook, 'types'> & { types: string | null }

/** The number of a webhook, by its id. */
export const WEBHOOK = statement<{ num: number }>('SELECT num FROM webhooks WHERE id = $1')

const LIST = statement<WebhookRow>(`SELECT ${WEBHOOK_COLUMNS}
  FROM webhooks w JOIN companies c ON c.num = w.company
  WHERE ($1::text IS NULL OR c.id = $1) AND ($2::text IS NULL OR w.id = $2) ORDER BY w.num`)
const ADD = statement(`INSERT INTO webhooks
    (id, company, domain_id, dialect, url, types, status, secret, previous_secret, rotated_at, created_at,
    failing_since, disabled_at, disabled_reason, cursor)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`)
const REMOVE = statement<{ num: number }>('DELETE FROM webhooks WHERE id = $1 RETURNING num')
const REMOVE_ATTEMPTS = statement('DELETE FROM webhook_attempts WHERE webhook = $1')
const REMOVE_RETRIES = statement('DELETE FROM webhook_retries WHERE webhook = $1')

interface KeyRow {
  sealed: Uint8Array
}

const SIGNING_KEY = statement<KeyRow>(
  'SELECT sealed FROM signing_keys WHERE company = (SELECT num FROM companies WHERE id = $1)',
)
const putKey = (sealed: string) =>
  statement<KeyRow>(`INSERT INTO signing_keys (company, sealed) VALUES ($1, $2)
    ON CONFLICT (company) DO UPDATE SET sealed = ${sealed} RETURNING sealed`)
const ADD_KEY = putKey('signing_keys.sealed')
const REPLACE_KEY = putKey('excluded.sealed')

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

export const webhookReads = {
  *webhooks(port, { companyId, id }) {
    return (yield* port.read.all(LIST, companyId ?? null, id ?? null)).map(webhookOf)
  },

  *signingKey(port, companyId) {
    return (yield* port.read.one(SIGNING_KEY, companyId))?.sealed ?? null
  },
} satisfies Operations<ReadPort>

export const webhookWrites = {
  *addWebhook(port, webhook) {
    const { id, companyId, domainId, dialect, url, types, status, secret, previousSecret, rotatedAt } =
      webhook
    const { createdAt, failingSince, disabledAt, disabledReason, cursor } = webhook
    const company = yield* companyNumber(port, companyId)
    const values = [id, company, domainId, dialect, url, listText(types), status, secret, previousSecret]
    const state = [rotatedAt, createdAt, failingSince, disabledAt, disabledReason, cursor]
    yield* port.notice('webhooks', function* (db) {
      yield* refuseForeign(db, companyId, company, domainId)
      yield* checkOwnedLimit(db, 'webhooks', company)
      yield* db.run(ADD, ...values, ...state)
      return true
    })
  },

  *updateWebhook(port, id, change, event) {
    const columns = changedColumns(change)
    const set = columns.map(([column], index) => `, ${column} = $${index + 2}`).join('')
    const update = dynamicStatement<{ company: number }>(
      `UPDATE webhooks SET generation = generation + ${beginsAnew(change) ? 1 : 0}${set} WHERE id = $1
      RETURNING company`,
    )
    return yield* port.notice('webhooks', function* (db) {
      const row = yield* db.one(update, id, ...columns.map(([, value]) => value))
      if (row === undefined) return false
      if (event !== undefined) yield* db.tell(row.company, event)
      return true
    })
  },

  *removeWebhook(port, id) {
    return yield* port.notice('webhooks', function* (db) {
      const row = yield* db.one(REMOVE, id)
      if (row === undefined) return false
      yield* db.run(REMOVE_ATTEMPTS, row.num)
      yield* db.run(REMOVE_RETRIES, row.num)
      return true
    })
  },

  *replayWebhook(port, id, subjects, now) {
    const webhook = yield* port.read.one(WEBHOOK, id)
    if (webhook === undefined) return false
    const retries = subjects.map((subject) => ({ ...subject, attempts: 0, dueAt: now }))
    return yield* port.notice('webhooks', function* (db) {
      yield* db.run(WAIT, webhook.num, retryRows(retries))
      return true
    })
  },

  *setSigningKey(port, companyId, sealed, replace) {
    const company = yield* companyNumber(port, companyId)
    let present = sealed
    yield* port.notice('webhooks', function* (db) {
      const row = yield* db.one(replace ? REPLACE_KEY : ADD_KEY, company, sealed)
      present = row!.sealed
      return true
    })
    return present
  },
} satisfies Operations<Port>

function webhookOf(row: WebhookRow): Webhook {
  return { ...row, types: listOf<WebhookType>(row.types) }
}

type StoredValue = string | number | Uint8Array | null

/** The columns of a change, with their new values. */
function changedColumns(change: WebhookChange): [column: string, value: StoredValue][] {
  return (Object.keys(COLUMN) as (keyof typeof COLUMN)[])
    .filter((name) => change[name] !== undefined)
    .map((name) => {
      const value = name === 'types' ? listText(change.types!) : change[name]!
      return [COLUMN[name], value as StoredValue]
    })
}

/** True when the node that has the webhook must not continue from its present state. */
function beginsAnew({ status, cursor }: WebhookChange): boolean {
  return status !== undefined || cursor !== undefined
}
