import { showWebhookSecret } from '../../../operate/webhook-secrets.ts'
import { listWebhooks } from '../../../operate/webhooks.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { listSchema, WHOLE_OR_PAGE, wholeOrPage } from '../list.ts'
import { ONE_WEBHOOK, operationOnWebhook, WEBHOOK, webhookJson } from './webhook.ts'

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

export const webhookReads: readonly Endpoint[] = [list, read]
