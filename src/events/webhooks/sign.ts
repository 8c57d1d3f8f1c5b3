/** Builds and signs webhook requests. */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { RecentEntries } from '../../common/recent-entries.ts'
import type { LogEntry } from '../../email/company-event.ts'
import { type EventNotice, isOfEmail } from '../../email/event-notice.ts'
import type { Webhook, WebhookDialect } from '../../store/store.ts'
import { formEvent } from '../notices/form.ts'
import { jsonEvent } from '../notices/json.ts'
import { type EventSubject, messageId } from './message-id.ts'
import { SECRET_PREFIX } from './secrets.ts'

export interface WebhookRequest {
  headers: Record<string, string>
  body: string
}

interface SignatureInput {
  /** The webhook's id. */
  id: string
  about: EventSubject
  /** Unix seconds of this attempt. */
  seconds: string
  /** The secrets that sign now, newest first. */
  secrets: readonly string[]
  content: object
}

interface DialectSigning {
  /** The payload for an event; null when the dialect has no word for it. `base`: as in `payload`. */
  payload(notice: EventNotice<LogEntry>, base: string): object | null
  request(unsigned: SignatureInput): WebhookRequest
}

const DIALECTS: Readonly<Record<WebhookDialect, DialectSigning>> = {
  json: { payload: jsonEvent, request: standard },
  form: {
    payload: (notice, base) => (isOfEmail(notice) ? formEvent(notice, base) : null),
    request: signedForm,
  },
}

/**
 * The payload for an event in a dialect; null when it has no word for the event. `base`: the base URL of this service,
 * for the URLs in the payload, without a trailing slash.
 */
export function payload(dialect: WebhookDialect, notice: EventNotice<LogEntry>, base: string): object | null {
  return DIALECTS[dialect].payload(notice, base)
}

/** @param now Unix ms of this attempt */
export function webhookRequest(
  { id, dialect }: Pick<Webhook, 'id' | 'dialect'>,
  secrets: readonly string[],
  about: EventSubject,
  content: object,
  now: number,
): WebhookRequest {
  const seconds = String(Math.floor(now / 1000))
  return DIALECTS[dialect].request({ id, about, seconds, secrets, content })
}

/** Key objects by secret: creating one for each signature would cost six times as much. */
const KEYS = new RecentEntries<KeyObject>(1_000)

function keyOf(secret: string): KeyObject {
  const known = KEYS.get(secret)
  if (known !== undefined) return known
  const octets = secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret)
  const key = createSecretKey(octets)
  KEYS.set(secret, key)
  return key
}

/**
 * The signature has both names that receivers look for: those of the specification, and those of the service it comes
 * from.
 */
function standard({ id: webhookId, about, seconds, secrets, content }: SignatureInput): WebhookRequest {
  const id = messageId(webhookId, about)
  const body = JSON.stringify(content)
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  const signature = signatures.join(' ')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signature,
    'svix-id': id,
    'svix-timestamp': seconds,
    'svix-signature': signature,
  }
  return { headers, body }
}

/** The token differs for each attempt, so that a receiver can refuse one that it has seen. */
function signedForm({ seconds: timestamp, secrets, content }: SignatureInput): WebhookRequest {
  const token = randomBytes(25).toString('hex')
  const signature = createHmac('sha256', keyOf(secrets[0]!))
    .update(timestamp + token)
    .digest('hex')
  const body = JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': content })
  return { headers: { 'content-type': 'application/json' }, body }
}
