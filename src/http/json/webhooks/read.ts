import { showWebhookSecret } from '../../../operate/webhook-secrets.ts'
import { listWebhooks } from '../../../operate/webhooks.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { listSchema, pageOf, WHOLE_OR_PAGE } from '../list.ts'
import { BY_ID } from '../schemas.ts'
import { ONE_WEBHOOK, operationOnWebhook, WEBHOOK, webhookJson } from './webhook.ts'

const list = endpoint({
  method: 'GET',
  url: '/webhooks',
  operation: 'webhook_list',
  access: 'management',
  schema: {
    operationId: 'listWebhooks',
    summary: 'List webhooks, newest first',
    description: 'Webhooks of the form dialect are not included.',
    querystring: WHOLE_OR_PAGE,
    response: { 200: listSchema(WEBHOOK) },
  },
})(async ({ caller, query }, core) => {
  const all = await listWebhooks(await currentOperation(core, caller), {})
  const own = all.filter(({ webhook }) => webhook.dialect === 'json')
  return { status: 200, body: pageOf(own.reverse().map(webhookJson), query) }
})

const read = endpoint({
  method: 'GET',
  url: '/webhooks/:id',
  operation: 'webhook_read',
  access: 'management',
  schema: {
    operationId: 'getWebhook',
    summary: 'Get a webhook with its signing secret',
    params: BY_ID,
    response: { 200: ONE_WEBHOOK },
  },
})(async ({ caller, params }, core) => {
  const op = await operationOnWebhook(core, caller, params.id)
  const { secret, ...owned } = await showWebhookSecret(op, params)
  return { status: 200, body: { object: 'webhook', ...webhookJson(owned), signing_secret: secret } }
})

export const webhookReads: readonly Endpoint[] = [list, read]
