/** The events that webhooks were sent, and the outcome of the attempts. */
import type { EntryType, LogEntry } from '../email/company-event.ts'
import { isOfEmail } from '../email/event-notice.ts'
import { NoticeReader } from '../events/notice-reader.ts'
import { isReportedPerRecipient, typesSent } from '../events/notices/types.ts'
import { messageId, subjectOfMessage } from '../events/webhooks/message-id.ts'
import { payload } from '../events/webhooks/sign.ts'
import type {
  ShownWebhookAttempt,
  Webhook,
  WebhookEvent,
  WebhookEventFilter,
  WebhookSubject,
} from '../store/store.ts'
import { OperateError } from './error.ts'
import { type Operation, verb } from './verb.ts'
import { findWebhook, type OwnedWebhook } from './webhook-find.ts'

export interface AttemptsRequest {
  id: string
  /** Only attempts that succeeded, or only those that failed. */
  succeeded?: boolean | undefined
  /** Only attempts for this event: its number, or the id of the message about it. */
  event?: number | string | undefined
  /** Only attempts older than this one. */
  before?: string | undefined
  limit: number
}

/** Newest first. */
export const listWebhookAttempts = verb(
  'see',
  async (op, { id, succeeded, event, before, limit }: AttemptsRequest): Promise<ShownWebhookAttempt[]> => {
    const { webhook } = await findWebhook(op, id)
    const subject =
      typeof event === 'string' ? (await eventOf(op, webhook, event)).subject : { number: event }
    return await op.store.webhookAttempts({
      webhookId: id,
      limit,
      ...(succeeded !== undefined && { succeeded }),
      ...(subject.number !== undefined && (subject as WebhookSubject)),
      ...(before !== undefined && { before }),
    })
  },
)

export interface WebhookHealth extends OwnedWebhook {
  /** Number of the last event in the log of all companies; the webhook has got the events up to `webhook.cursor`. */
  lastEvent: number
  /** Null: nothing was sent, or no attempt is stored any more. */
  lastAttempt: ShownWebhookAttempt | null
}

/** A webhook, its position in the log, and its last attempt. */
export const showWebhookHealth = verb('see', async (op, { id }: { id: string }): Promise<WebhookHealth> => {
  const found = await findWebhook(op, id)
  const lastEvent = await op.store.lastEventNumber()
  const [lastAttempt = null] = await op.store.webhookAttempts({ webhookId: id, limit: 1 })
  return { ...found, lastEvent, lastAttempt }
})

/**
 * When the oldest event that is still to be sent to a webhook happened (Unix ms). Null: there is none, or the webhook
 * is disabled.
 */
export const showWebhookBacklog = verb(
  'see',
  async (op, { id }: { id: string }): Promise<{ since: number | null }> => {
    const { webhook } = await findWebhook(op, id)
    const { status, cursor, companyId, dialect } = webhook
    if (status === 'disabled') return { since: null }
    const types = typesSent(dialect, webhook.types)
    const { events } = await op.store.entriesAfter(cursor, { companyId, types }, 1)
    return { since: events[0]?.at ?? null }
  },
)

/**
 * - `pending`: not attempted yet, or replayed by hand.
 * - `attempting`: an attempt failed, and another follows.
 * - `failed`: the attempts failed, and no other follows.
 * - `unknown`: no attempt is stored. The event was delivered or given up long ago, or never sent.
 */
export type MessageStatus = 'pending' | 'attempting' | 'success' | 'failed' | 'unknown'

/** An event in the form of a message to one webhook. */
export interface WebhookMessage {
  /** The same for each attempt. */
  id: string
  type: EntryType
  /** Null: it is an event of the company. */
  emailId: string | null
  /** Unix ms of the event. */
  at: number
  status: MessageStatus
  /** Unix ms of the next attempt; null: none follows, or it is the first, which is made as soon as possible. */
  nextAt: number | null
}

export interface MessagesRequest {
  id: string
  /** Only messages sent before this one. Throws `invalid` when it is not a message of this webhook. */
  before?: string | undefined
  limit: number
}

/** Messages whose attempts are stored, newest first. */
export const listWebhookEvents = verb(
  'see',
  async (op, { id, before, limit }: MessagesRequest): Promise<WebhookMessage[]> => {
    await findWebhook(op, id)
    const place = before === undefined ? null : await subjectOf(op, id, before)
    const events = await op.store.webhookEvents({
      webhookId: id,
      limit,
      ...(place !== null && { before: place.number }),
      ...(place?.part !== undefined && { beforePart: place.part }),
    })
    return events.map((each) => messageOf(id, each))
  },
)

/** Includes the payload in the webhook's dialect, without data that retention has removed. */
export const showWebhookEvent = verb(
  'see',
  async (op, input: { id: string; event: string }): Promise<WebhookMessage & { payload: object }> => {
    const { webhook } = await findWebhook(op, input.id)
    const { event, subject } = await eventOf(op, webhook, input.event)
    const { part } = subject
    const noticeReader = new NoticeReader(op.store)
    const [whole] = await noticeReader.readNotices([event])
    const [notice] =
      part === undefined || !isOfEmail(whole!) ? [whole] : await noticeReader.readParts(whole, [part])
    const content = notice === undefined ? null : payload(webhook.dialect, notice, op.apiUrl())
    if (content === null) throw noSuchEvent(input.event)
    const [newest] = await op.store.webhookEvents(upTo(webhook.id, subject))
    if (isSame(newest, subject)) return { ...messageOf(webhook.id, newest), payload: content }
    const { number, type, emailId, at } = event
    const isToCome = number > webhook.cursor && isSubscribed(webhook, type)
    const status = isToCome ? 'pending' : 'unknown'
    return { id: input.event, type, emailId, at, status, nextAt: null, payload: content }
  },
)

/** Whether new events of this type are sent to the webhook. */
function isSubscribed({ status, types }: Webhook, type: EntryType): boolean {
  return status === 'enabled' && (types.length === 0 || types.includes(type))
}

/** Finds the newest message up to this one, inclusive. */
function upTo(webhookId: string, { number, part }: WebhookSubject): WebhookEventFilter {
  return { webhookId, before: number, beforePart: part === undefined ? 0 : part + 1, limit: 1 }
}

function isSame(event: WebhookEvent | undefined, { number, part }: WebhookSubject): event is WebhookEvent {
  return event?.number === number && event.part === part
}

/** The position of a message that is listed. */
async function subjectOf(op: Operation, webhookId: string, message: string): Promise<WebhookSubject> {
  const subject = subjectOfMessage(message)
  const [event] = subject === null ? [] : await op.store.webhookEvents(upTo(webhookId, subject))
  if (event !== undefined && messageId(webhookId, event) === message) return subject!
  throw new OperateError(
    'invalid',
    `"${message}" is not an event of this webhook, or its retention period has ended`,
  )
}

function messageOf(webhookId: string, event: WebhookEvent): WebhookMessage {
  const { type, emailId, at, retry } = event
  return {
    id: messageId(webhookId, event),
    type,
    emailId,
    at,
    status: statusOf(event),
    nextAt: retry?.dueAt ?? null,
  }
}

function statusOf({ retry, succeeded }: WebhookEvent): MessageStatus {
  if (retry !== null) return retry.attempts === 0 ? 'pending' : 'attempting'
  return succeeded ? 'success' : 'failed'
}

/** `event`: its number, or the id of the message about it. */
export type Replay = { id: string } & ({ event: number | string } | { since: number })

/** Sends one event again, or all events since a time (Unix ms) that the log still has, with the same message ids. */
export const replayWebhook = verb(
  'manage',
  async (op, input: Replay): Promise<OwnedWebhook> => {
    const { id } = input
    const found = await findWebhook(op, id)
    if (found.webhook.status === 'disabled') throw webhookDisabledError(id)
    if ('event' in input) {
      const { event, subject } = await eventOf(op, found.webhook, input.event)
      const isNumber = typeof input.event === 'number'
      const subjects = isNumber ? await subjectsOf(op, found.webhook, event) : [subject]
      await op.store.replayWebhook(id, subjects, op.now())
      return found
    }
    const cursor = await op.store.lastEventBefore(input.since)
    // Also when they are equal: the node may have sent events whose progress it has not committed yet.
    if (cursor <= found.webhook.cursor) await op.store.updateWebhook(id, { cursor })
    return found
  },
  null,
)

export function webhookDisabledError(id: string): OperateError {
  return new OperateError('conflict', 'this webhook is disabled; enable it first', {
    verb: 'enableWebhook',
    id,
  })
}

/** The messages about this event: one for the whole event, or one for each recipient. */
async function subjectsOf(op: Operation, { dialect }: Webhook, event: LogEntry): Promise<WebhookSubject[]> {
  const { number } = event
  const [notice] = await new NoticeReader(op.store).readNotices([event])
  if (notice === undefined || !isReportedPerRecipient(dialect, notice)) return [{ number }]
  return Array.from({ length: notice.email!.recipientCount }, (_, part) => ({ number, part }))
}

interface NamedEvent {
  event: LogEntry
  subject: WebhookSubject
}

/** An event that the webhook may get: of its company, and of its domain if it has one. Throws `not_found`. */
async function eventOf(op: Operation, webhook: Webhook, event: number | string): Promise<NamedEvent> {
  const subject = typeof event === 'string' ? subjectOfMessage(event) : { number: event }
  if (subject === null) throw noSuchEvent(event)
  const { number } = subject
  const { events } = await op.store.entriesAfter(number - 1, { companyId: webhook.companyId }, 1)
  const [found] = events
  if (found?.number !== number) throw noSuchEvent(event)
  if (typeof event === 'string') {
    if (messageId(webhook.id, { ...found, ...subject }) !== event) throw noSuchEvent(event)
    const all = await subjectsOf(op, webhook, found)
    if (!all.some(({ part }) => part === subject.part)) throw noSuchEvent(event)
  }
  if (webhook.domainId === null) return { event: found, subject }
  const { emailId, detail } = found
  const origin = emailId === null ? detail : await op.store.emailOrigin(emailId)
  if (origin?.domainId !== webhook.domainId) throw noSuchEvent(event)
  return { event: found, subject }
}

function noSuchEvent(event: number | string): OperateError {
  const message = `this webhook does not receive event ${event}, or the retention period of the event has ended`
  return new OperateError('not_found', message, null, {
    about: { noun: 'webhook_event', name: String(event) },
  })
}
