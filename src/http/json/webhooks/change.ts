import { rotateWebhookSecret } from '../../../operate/webhook-secrets.ts'
import { removeWebhook, updateWebhook } from '../../../operate/webhooks.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { BY_ID, changedSchema, deletedSchema } from '../schemas.ts'
import { CHANGES, operationOnWebhook, WEBHOOK_SECRET } from './webhook.ts'

const update = endpoint({
  method: 'PATCH',
  url: '/webhooks/:id',
  operation: 'webhook_update',
  access: 'management',
  schema: {
    operationId: 'updateWebhook',
    summary: 'Change the URL or the events of a webhook, or enable or disable it',
    description: 'Events that happen while it is disabled are not sent later unless they are replayed.',
    params: BY_ID,
    body: CHANGES,
    response: { 200: changedSchema('webhook') },
  },
})(async ({ caller, params: { id }, body }, core) => {
  const op = await operationOnWebhook(core, caller, id)
  await updateWebhook(op, {
    id,
    ...(body.endpoint != null && { url: body.endpoint }),
    ...(body.events != null && { events: body.events }),
    ...(body.status != null && { enabled: body.status === 'enabled' }),
  })
  return { status: 200, body: { object: 'webhook', id } }
})

const remove = endpoint({
  method: 'DELETE',
  url: '/webhooks/:id',
  operation: 'webhook_delete',
  access: 'management',
  schema: {
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook with its attempts',
    params: BY_ID,
    response: { 200: deletedSchema('webhook') },
  },
})(async ({ caller, params: { id } }, core) => {
  await removeWebhook(await operationOnWebhook(core, caller, id), { id })
  return { status: 200, body: { object: 'webhook', id, deleted: true } }
})

const rotate = endpoint({
  method: 'POST',
  url: '/webhooks/:id/signing-secret/rotate',
  operation: 'webhook_rotate_secret',
  access: 'management',
  schema: {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the signing secret; the previous one also signs for a day',
    params: BY_ID,
    response: { 200: WEBHOOK_SECRET },
  },
})(async ({ caller, params: { id } }, core) => {
  const { secret } = await rotateWebhookSecret(await operationOnWebhook(core, caller, id), { id })
  return { status: 200, body: { object: 'webhook', id, signing_secret: secret } }
})

export const webhookChanges: readonly Endpoint[] = [update, remove, rotate]
