/** `/webhooks`: the webhooks of this dialect. */
import { rotateWebhookSecret, showWebhookSecret } from '../../../operate/webhook-secrets.ts'
import { addWebhook, listWebhooks, removeWebhook, updateWebhook } from '../../../operate/webhooks.ts'
import { URL_INPUT } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { listSchema, WHOLE_OR_PAGE, wholeOrPage } from '../list.ts'
import { changedSchema, deletedSchema } from '../schemas.ts'
import {
  CHANGES,
  EVENTS,
  ONE_WEBHOOK,
  operationOnWebhook,
  WEBHOOK,
  WEBHOOK_SECRET,
  webhookJson,
} from './webhook.ts'

const create = route('POST /webhooks', {
  operation: 'webhook_create',
  access: 'management',
  operationId: 'createWebhook',
  summary: 'Create a webhook; its events are signed with the returned secret',
  description: 'A key restricted to one domain creates a webhook for the mail of that domain.',
  body: {
    type: 'object',
    required: ['endpoint', 'events'],
    examples: [{ endpoint: 'https://app.example.com/hook', events: ['email.delivered', 'email.bounced'] }],
    properties: {
      endpoint: { ...URL_INPUT, description: 'The URL that events are sent to, with https or http.' },
      events: EVENTS,
    },
  },
  status: 201,
  answer: WEBHOOK_SECRET,
})(async ({ caller, body }, core) => {
  const op = await currentOperation(core, caller)
  const { webhook, secret } = await addWebhook(op, {
    company: caller.companyId,
    url: body.endpoint,
    events: body.events,
    ...(caller.domainId !== null && { domain: caller.domainId }),
  })
  return { object: 'webhook', id: webhook.id, signing_secret: secret }
})

const list = route('GET /webhooks', {
  operation: 'webhook_list',
  access: 'management',
  operationId: 'listWebhooks',
  summary: 'List webhooks, newest first',
  description: 'Webhooks of the form dialect are not included.',
  query: WHOLE_OR_PAGE,
  answer: listSchema(WEBHOOK),
})(async ({ caller, query }, core) => {
  const all = await listWebhooks(await currentOperation(core, caller), {})
  const own = all.filter(({ webhook }) => webhook.dialect === 'json')
  return await wholeOrPage(own.reverse().map(webhookJson), query)
})

const read = route('GET /webhooks/:id', {
  operation: 'webhook_read',
  access: 'management',
  operationId: 'getWebhook',
  summary: 'Get a webhook with its signing secret',
  answer: ONE_WEBHOOK,
})(async ({ caller, params }, core) => {
  const op = await operationOnWebhook(core, caller, params.id)
  const { secret, ...owned } = await showWebhookSecret(op, params)
  return { object: 'webhook', ...webhookJson(owned), signing_secret: secret }
})

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

export const webhookRoutes: readonly Endpoint[] = [create, list, read, update, remove, rotate]
