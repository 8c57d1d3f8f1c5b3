/** Replays webhook messages: one by its id, or all since a time. */
import { messageId, subjectOfMessage } from '../events/webhooks/message-id.ts'
import { OperateError } from './error.ts'
import type { CompanyFilter } from './find.ts'
import { verb } from './verb.ts'
import { listWebhookEvents, replayWebhook, webhookDisabledError } from './webhook-events.ts'
import { findWebhook, type OwnedWebhook, visibleWebhooks } from './webhook-find.ts'

/** Sends a message again to its webhook; `id` is the message id that the receiver sees. */
export const replayMessage = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<OwnedWebhook> => {
    const subject = subjectOfMessage(id)
    const [event] = subject === null ? [] : (await op.store.entriesAfter(subject.number - 1, {}, 1)).events
    const its = (await visibleWebhooks(op, {})).find(
      ({ webhook }) => event !== undefined && messageId(webhook.id, { ...event, ...subject }) === id,
    )
    if (its !== undefined) return await replayWebhook(op, { id: its.webhook.id, event: id })
    throw new OperateError('not_found', `no webhook has a message with the id "${id}"`, {
      verb: 'listWebhooks',
    })
  },
  null,
)

/** Sends again all events since a time (Unix ms) to all enabled webhooks. Returns these webhooks. */
export const replayWebhooks = verb(
  'manage',
  async (op, { since, ...of }: CompanyFilter & { since: number }): Promise<OwnedWebhook[]> => {
    const enabled = (await visibleWebhooks(op, of)).filter(({ webhook }) => webhook.status === 'enabled')
    for (const { webhook } of enabled) await replayWebhook(op, { id: webhook.id, since })
    return enabled
  },
  null,
)

/** Messages examined in one call. */
const LOOKED_THROUGH = 500

export interface ReplayResult {
  /** The number of messages that are sent again. */
  told: number
  /** The message to continue behind; null: all were examined. */
  next: string | null
}

/**
 * Sends again messages whose attempts all failed, as far as attempts are stored: newest first, for events since a time
 * (Unix ms). One call is a bounded step; `from`: `next` of the step before.
 */
export const replayFailed = verb(
  'manage',
  async (op, input: { id: string; since: number; from?: string | undefined }): Promise<ReplayResult> => {
    const { id, since, from } = input
    const { webhook } = await findWebhook(op, id)
    if (webhook.status === 'disabled') throw webhookDisabledError(id)
    const messages = await listWebhookEvents(op, { id, before: from, limit: LOOKED_THROUGH })
    const recent = messages.filter(({ at }) => at >= since)
    const failed = recent.filter(({ status }) => status === 'failed')
    const now = op.now()
    // In parallel, so that they share commits.
    await Promise.all(
      failed.map((message) => op.store.replayWebhook(id, [subjectOfMessage(message.id)!], now)),
    )
    const isDone = messages.length < LOOKED_THROUGH || recent.length === 0
    return { told: failed.length, next: isDone ? null : messages.at(-1)!.id }
  },
  null,
)
