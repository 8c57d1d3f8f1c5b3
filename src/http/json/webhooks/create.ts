import { addWebhook } from '../../../operate/webhooks.ts'
import { URL_GIVEN } from '../../bounds.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { EVENTS, WEBHOOK_SECRET } from './webhook.ts'

export const createWebhook = route('POST /webhooks', {
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
      endpoint: { ...URL_GIVEN, description: 'The URL that events are sent to, with https or http.' },
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
