import { rotateWebhookSecret } from '../../../operate/webhook-secrets.ts'
import { removeWebhook, updateWebhook } from '../../../operate/webhooks.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { changedSchema, deletedSchema } from '../schemas.ts'
import { CHANGES, operationOnWebhook, WEBHOOK_SECRET } from './webhook.ts'

const update = route('PATCH /webhooks/:id', {
  operation: 'webhook_update',
  access: 'management',
  operationId: 'updateWebhook',
  summary: 'Change the URL or the events of a webhook, or enable or disable it',
  description: 'Events that happen while it is disabled are not sent later unless they are replayed.',
  body: CHANGES,
  answer: changedSchema('webhook'),
})(async ({ caller, params: { id }, body }, core) => {
  const op = await operationOnWebhook(core, caller, id)
  await updateWebhook(op, {
    id,
    ...(body.endpoint != null && { url: body.endpoint }),
    ...(body.events != null && { events: body.events }),
    ...(body.status != null && { enabled: body.status === 'enabled' }),
  })
  return { object: 'webhook', id }
})

const remove = route('DELETE /webhooks/:id', {
  operation: 'webhook_delete',
  access: 'management',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook with its attempts',
  answer: deletedSchema('webhook'),
})(async ({ caller, params: { id } }, core) => {
  await removeWebhook(await operationOnWebhook(core, caller, id), { id })
  return { object: 'webhook', id, deleted: true }
})

const rotate = route('POST /webhooks/:id/signing-secret/rotate', {
  operation: 'webhook_rotate_secret',
  access: 'management',
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the signing secret; the previous one also signs for a day',
  answer: WEBHOOK_SECRET,
})(async ({ caller, params: { id } }, core) => {
  const { secret } = await rotateWebhookSecret(await operationOnWebhook(core, caller, id), { id })
  return { object: 'webhook', id, signing_secret: secret }
})

export const webhookChanges: readonly Endpoint[] = [update, remove, rotate]
