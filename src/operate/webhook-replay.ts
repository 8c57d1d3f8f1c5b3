/** Telling webhooks again what they were told before: by the id of a message, or all of them since a time. */
import { messageId, tellingOfMessage } from '../events/webhooks/message-id.ts'
import { OperateError } from './error.ts'
import type { OfCompany } from './find.ts'
import { verb } from './verb.ts'
import { disabled, listWebhookEvents, replayWebhook } from './webhook-events.ts'
import { findWebhook, knownWebhooks, type OwnedWebhook } from './webhook-find.ts'

/** Tells again what a message was about, to the webhook that it was for; `id` is what its receiver sees. */
export const replayMessage = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<OwnedWebhook> => {
    const telling = tellingOfMessage(id)
    const [event] = telling === null ? [] : (await op.store.eventsAfter(telling.number - 1, {}, 1)).events
    const its = (await knownWebhooks(op, {})).find(
      ({ webhook }) => event !== undefined && messageId(webhook.id, { ...event, ...telling }) === id,
    )
    if (its !== undefined) return await replayWebhook(op, { id: its.webhook.id, event: id })
    throw new OperateError('not_found', `no webhook has a message with the id "${id}"`, {
      verb: 'listWebhooks',
    })
  },
  null,
)

/** Tells all enabled webhooks again what has happened since a time (Unix ms); those it is told to. */
export const replayWebhooks = verb(
  'manage',
  async (op, { since, ...of }: OfCompany & { since: number }): Promise<OwnedWebhook[]> => {
    const enabled = (await knownWebhooks(op, of)).filter(({ webhook }) => webhook.status === 'enabled')
    for (const { webhook } of enabled) await replayWebhook(op, { id: webhook.id, since })
    return enabled
  },
  null,
)

/** Messages looked through in one call. */
const LOOKED_THROUGH = 500

export interface ReplayedFailed {
  /** Messages that are told again. */
  told: number
  /** The message behind which to go on; null: all were looked through. */
  next: string | null
}

/**
 * Tells again what is told no more although it was never taken, as far as tries are kept: newest first, what happened
 * since a time (Unix ms). A bounded step; `from`: `next` of the step before.
 */
export const replayFailed = verb(
  'manage',
  async (op, input: { id: string; since: number; from?: string | undefined }): Promise<ReplayedFailed> => {
    const { id, since, from } = input
    const { webhook } = await findWebhook(op, id)
    if (webhook.status === 'disabled') throw disabled(id)
    const messages = await listWebhookEvents(op, { id, before: from, limit: LOOKED_THROUGH })
    const recent = messages.filter(({ at }) => at >= since)
    const failed = recent.filter(({ status }) => status === 'failed')
    const now = op.now()
    // At once: they share commits.
    await Promise.all(
      failed.map((message) => {
        const { number, part } = tellingOfMessage(message.id)!
        return op.store.retellWebhook(id, number, now, part === undefined ? undefined : [part])
      }),
    )
    const isDone = messages.length < LOOKED_THROUGH || recent.length === 0
    return { told: failed.length, next: isDone ? null : messages.at(-1)!.id }
  },
  null,
)
