/** Telling webhooks again what they were told before: by the id of a message, or all of them since a time. */
import { eventOfMessage } from '../events/webhooks/message-id.ts'
import { OperateError } from './error.ts'
import type { OfCompany } from './find.ts'
import { verb } from './verb.ts'
import { replayWebhook } from './webhook-events.ts'
import { knownWebhooks, type OwnedWebhook } from './webhook-find.ts'

/** Tells again what a message was about, to the webhook that it was for; `id` is what its receiver sees. */
export const replayMessage = verb('manage', async (op, { id }: { id: string }): Promise<OwnedWebhook> => {
  for (const { webhook } of await knownWebhooks(op, {})) {
    if (eventOfMessage(webhook.id, id) === null) continue
    return await replayWebhook(op, { id: webhook.id, event: id })
  }
  throw new OperateError('not_found', `no webhook has a message with the id "${id}"`, {
    verb: 'listWebhooks',
  })
})

/** Tells all enabled webhooks again what has happened since a time (Unix ms); those it is told to. */
export const replayWebhooks = verb(
  'manage',
  async (op, { since, ...of }: OfCompany & { since: number }): Promise<OwnedWebhook[]> => {
    const enabled = (await knownWebhooks(op, of)).filter(({ webhook }) => webhook.status === 'enabled')
    for (const { webhook } of enabled) await replayWebhook(op, { id: webhook.id, since })
    return enabled
  },
)
