/** Messages of a webhook: each event under the id that its receiver sees in `svix-id`. */

import type { Static } from 'typebox'
import { wordOfType } from '../../../events/notices/types.ts'
import {
  listWebhookAttempts,
  listWebhookEvents,
  replayWebhook,
  showWebhookEvent,
  type WebhookMessage,
} from '../../../operate/webhook-events.ts'
import type { WebhookAttempt } from '../../../store/store.ts'
import type { Endpoint } from '../../endpoint.ts'
import { object } from '../../object-schema.ts'
import { route } from '../../route.ts'
import { listPage, listSchema, PAGE } from '../list.ts'
import { changedSchema } from '../schemas.ts'
import { timestamp } from '../timestamp.ts'
import { operationOnWebhook } from './webhook.ts'

const FACTS = {
  id: { type: 'string' },
  type: { type: 'string', description: 'For example `email.delivered`.' },
  created_at: { type: 'string' },
  status: {
    enum: ['success', 'pending', 'failed', 'attempting', 'unknown'],
    description:
      '`pending`: it is sent as soon as possible; `attempting`: an attempt failed, and it is sent again; `failed`: it is ' +
      'given up; `unknown`: no attempt is stored, because the event was delivered or given up long ago, or never sent.',
  },
} as const
const EVENT = object(FACTS)
const ATTEMPT = object({
  id: { type: 'string' },
  http_status_code: { type: 'integer', description: '0: no answer.' },
  response: { type: 'string', description: 'The beginning of the answer, or why there was none.' },
  sent_at: { type: 'string' },
})

const list = route('GET /webhooks/:id/events', {
  operation: 'webhook_event_list',
  access: 'management',
  operationId: 'listWebhookEvents',
  summary: 'List the events of a webhook, newest first',
  description:
    'Based on stored attempts: the last 1,000 successful ones, and failed ones of the last 30 days.',
  query: {
    type: 'object',
    required: ['limit'],
    properties: { limit: PAGE.limit, after: PAGE.after },
  },
  answer: listSchema(EVENT),
})(async ({ caller, params: { id }, query }, core) => {
  const op = await operationOnWebhook(core, caller, id)
  return await listPage(query, async ({ limit, after }) => {
    return (await listWebhookEvents(op, { id, limit, before: after })).map(webhookEventJson)
  })
})

const read = route('GET /webhooks/:id/events/:event', {
  operation: 'webhook_event_read',
  access: 'management',
  operationId: 'getWebhookEvent',
  summary: 'Get an event as it is sent to a webhook',
  answer: object({
    object: { const: 'webhook_event' },
    ...FACTS,
    next_attempt_at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    payload: { type: 'object', additionalProperties: true, description: 'The body that is sent.' },
  }),
})(async ({ caller, params }, core) => {
  const op = await operationOnWebhook(core, caller, params.id)
  const event = await showWebhookEvent(op, params)
  const next_attempt_at = event.nextAt === null ? null : timestamp(event.nextAt)
  const payload = event.payload as Record<string, unknown>
  return { object: 'webhook_event', ...webhookEventJson(event), next_attempt_at, payload }
})

const attempts = route('GET /webhooks/:id/events/:event/attempts', {
  operation: 'webhook_attempt_list',
  access: 'management',
  operationId: 'listWebhookAttempts',
  summary: 'List the stored attempts of an event, newest first',
  query: {
    type: 'object',
    required: ['limit'],
    properties: { limit: PAGE.limit, after: { ...PAGE.after, format: 'uuid' } },
  },
  answer: listSchema(ATTEMPT),
})(async ({ caller, params, query }, core) => {
  const op = await operationOnWebhook(core, caller, params.id)
  return await listPage(query, async ({ limit, after }) => {
    return (await listWebhookAttempts(op, { ...params, limit, before: after })).map(attemptJson)
  })
})

const replay = route('POST /webhooks/:id/events/:event/replay', {
  operation: 'webhook_event_replay',
  access: 'management',
  operationId: 'replayWebhookEvent',
  summary: 'Send an event to a webhook again, with the same id',
  answer: changedSchema('webhook_event'),
})(async ({ caller, params }, core) => {
  await replayWebhook(await operationOnWebhook(core, caller, params.id), params)
  return { object: 'webhook_event', id: params.event }
})

function webhookEventJson({ id, type, at, status }: WebhookMessage): Static<typeof EVENT> {
  // Types without a word in this dialect are never sent.
  return { id, type: wordOfType('json', type)!, created_at: timestamp(at), status }
}

function attemptJson({ id, status, error, response, at }: WebhookAttempt): Static<typeof ATTEMPT> {
  return { id, http_status_code: status ?? 0, response: error ?? response, sent_at: timestamp(at) }
}

export const webhookEvents: readonly Endpoint[] = [list, read, attempts, replay]
