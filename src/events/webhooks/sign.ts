/** How a webhook proves whom it comes from. */
import { createHmac, createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Seal } from '../../accounts/seal.ts'
import type { ToldEvent } from '../../email/told-event.ts'
import type { Webhook, WebhookDialect } from '../../store/store.ts'
import { formEvent } from '../told/form.ts'
import { jsonEvent } from '../told/json.ts'

/** How long the secret before the newest one signs too. */
const OVERLAP_MS = 24 * 3_600_000
const PREFIX = 'whsec_'
const SECRET_OCTETS = 24

export interface WebhookRequest {
  headers: Record<string, string>
  body: string
}

/** A new one of the JSON dialect: `whsec_` and 24 octets in base64 (Standard Webhooks, "Signature scheme"). */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_OCTETS).toString('base64')}`
}

/** One that is nowhere kept, and the same each time. */
export function derivedWebhookSecret(seal: Pick<Seal, 'derive'>, purpose: string): string {
  return `${PREFIX}${seal.derive(purpose).subarray(0, SECRET_OCTETS).toString('base64')}`
}

/** A new one of the form dialect. */
export function newSigningKey(): string {
  return randomBytes(16).toString('hex')
}

/** Of the secrets of a webhook those that sign now. */
export function counting<Secret>(
  newest: Secret,
  previous: Secret | null,
  rotatedAt: number | null,
  now: number,
): Secret[] {
  const both = previous !== null && rotatedAt !== null && now < rotatedAt + OVERLAP_MS
  return both ? [newest, previous] : [newest]
}

/** Characters of an event's number in a message's id: as many as the highest has. */
const DIGITS = Number.MAX_SAFE_INTEGER.toString(36).length
const MESSAGE_ID = new RegExp(`^msg_([0-9a-z]{${DIGITS}})[\\w-]{16}$`)

/**
 * The same for the same event at each try, on every node. The event can be told from it: that is how receivers name it
 * when they ask what became of it.
 */
export function messageId(webhookId: string, number: number): string {
  const digest = hash('sha256', `${webhookId}:${number}`, 'base64url').slice(0, 16)
  return `msg_${number.toString(36).padStart(DIGITS, '0')}${digest}`
}

/** The event that a message of this webhook is about; null: it is none of its messages. */
export function eventOfMessage(webhookId: string, id: string): number | null {
  const number = Number.parseInt(MESSAGE_ID.exec(id)?.[1] ?? '', 36)
  return Number.isSafeInteger(number) && messageId(webhookId, number) === id ? number : null
}

/** What is told of an event in a dialect; null when it has no word for it. */
export function payload(dialect: WebhookDialect, told: ToldEvent): object | null {
  return dialect === 'json' ? jsonEvent(told) : formEvent(told)
}

/** @param now Unix ms of this try */
export function webhookRequest(
  { id, dialect }: Pick<Webhook, 'id' | 'dialect'>,
  secrets: readonly string[],
  number: number,
  told: object,
  now: number,
): WebhookRequest {
  const seconds = String(Math.floor(now / 1000))
  return dialect === 'json'
    ? standard(messageId(id, number), seconds, secrets, JSON.stringify(told))
    : signedForm(seconds, secrets[0]!, told)
}

/** Keys as they are signed with: made of their text for each signature they would cost six times as much. */
const KEYS = new LRUCache<string, KeyObject>({ max: 1_000 })

function keyOf(secret: string): KeyObject {
  const known = KEYS.get(secret)
  if (known !== undefined) return known
  const octets = secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret)
  const key = createSecretKey(octets)
  KEYS.set(secret, key)
  return key
}

/** Under both names that its readers look for: those of the specification, and those of the service it comes from. */
function standard(id: string, seconds: string, secrets: readonly string[], body: string): WebhookRequest {
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

/** The token is another one at each try, so that a receiver may refuse one that it has seen. */
function signedForm(timestamp: string, key: string, told: object): WebhookRequest {
  const token = randomBytes(25).toString('hex')
  const signature = createHmac('sha256', keyOf(key))
    .update(timestamp + token)
    .digest('hex')
  const body = JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': told })
  return { headers: { 'content-type': 'application/json' }, body }
}
