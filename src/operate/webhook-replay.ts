/** Telling webhooks again what they were told before: by the id of a message, or all of them since a time. */
import { messageId, numberOfMessage } from '../events/webhooks/message-id.ts'
import { OperateError } from './error.ts'
import type { OfCompany } from './find.ts'
import { verb } from './verb.ts'
import { replayWebhook } from './webhook-events.ts'
import { knownWebhooks, type OwnedWebhook } from './webhook-find.ts'

/** Tells again what a message was about, to the webhook that it was for; `id` is what its receiver sees. */
export const replayMessage = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<OwnedWebhook> => {
    const number = numberOfMessage(id)
    const [event] = number === null ? [] : (await op.store.eventsAfter(number - 1, {}, 1)).events
    const its = (await knownWebhooks(op, {})).find(
      ({ webhook }) => event !== undefined && messageId(webhook.id, event) === id,
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
