/** Messages of a webhook: each event under the id that its receiver sees in `svix-id`. */

import type { Static } from 'typebox'
import { JSON_TYPES } from '../../../events/notices/json.ts'
import {
  listWebhookAttempts,
  listWebhookEvents,
  replayWebhook,
  showWebhookEvent,
  type WebhookMessage,
} from '../../../operate/webhook-events.ts'
import type { WebhookAttempt } from '../../../store/store.ts'
import { PATH_NAME } from '../../bounds.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { listPage, listSchema, PAGE } from '../list.ts'
import { BY_ID, changedSchema } from '../schemas.ts'
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
const REQUIRED = ['id', 'type', 'created_at', 'status'] as const
const EVENT = {
  type: 'object',
  additionalProperties: false,
  required: REQUIRED,
  properties: FACTS,
} as const
const ATTEMPT = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'http_status_code', 'response', 'sent_at'],
  properties: {
    id: { type: 'string' },
    http_status_code: { type: 'integer', description: '0: no answer.' },
    response: { type: 'string', description: 'The beginning of the answer, or why there was none.' },
    sent_at: { type: 'string' },
  },
} as const

const BY_EVENT = {
  type: 'object',
  required: ['id', 'event'],
  properties: { id: PATH_NAME, event: PATH_NAME },
} as const

const list = endpoint({
  method: 'GET',
  url: '/webhooks/:id/events',
  operation: 'webhook_event_list',
  access: 'management',
  schema: {
    operationId: 'listWebhookEvents',
    summary: 'List the events of a webhook, newest first',
    description:
      'Based on stored attempts: the last 1,000 successful ones, and failed ones of the last 30 days.',
    params: BY_ID,
    querystring: {
      type: 'object',
      required: ['limit'],
      properties: { limit: PAGE.limit, after: PAGE.after },
    },
    response: { 200: listSchema(EVENT) },
  },
})(async ({ caller, params: { id }, query }, core) => {
  const op = await operationOnWebhook(core, caller, id)
  const body = await listPage(query, async ({ limit, after }) => {
    return (await listWebhookEvents(op, { id, limit, before: after })).map(webhookEventJson)
  })
  return { status: 200, body }
})

const read = endpoint({
  method: 'GET',
  url: '/webhooks/:id/events/:event',
  operation: 'webhook_event_read',
  access: 'management',
  schema: {
    operationId: 'getWebhookEvent',
    summary: 'Get an event as it is sent to a webhook',
    params: BY_EVENT,
    response: {
      200: {
        type: 'object',
        additionalProperties: false,
        required: ['object', ...REQUIRED, 'next_attempt_at', 'payload'],
        properties: {
          object: { const: 'webhook_event' },
          ...FACTS,
          next_attempt_at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          payload: { type: 'object', additionalProperties: true, description: 'The body that is sent.' },
        },
      },
    },
  },
})(async ({ caller, params }, core) => {
  const op = await operationOnWebhook(core, caller, params.id)
  const event = await showWebhookEvent(op, params)
  const next_attempt_at = event.nextAt === null ? null : timestamp(event.nextAt)
  const payload = event.payload as Record<string, unknown>
  return {
    status: 200,
    body: { object: 'webhook_event', ...webhookEventJson(event), next_attempt_at, payload },
  }
})

const attempts = endpoint({
  method: 'GET',
  url: '/webhooks/:id/events/:event/attempts',
  operation: 'webhook_attempt_list',
  access: 'management',
  schema: {
    operationId: 'listWebhookAttempts',
    summary: 'List the stored attempts of an event, newest first',
    params: BY_EVENT,
    querystring: {
      type: 'object',
      required: ['limit'],
      properties: { limit: PAGE.limit, after: { ...PAGE.after, format: 'uuid' } },
    },
    response: { 200: listSchema(ATTEMPT) },
  },
})(async ({ caller, params, query }, core) => {
  const op = await operationOnWebhook(core, caller, params.id)
  const body = await listPage(query, async ({ limit, after }) => {
    return (await listWebhookAttempts(op, { ...params, limit, before: after })).map(attemptJson)
  })
  return { status: 200, body }
})

const replay = endpoint({
  method: 'POST',
  url: '/webhooks/:id/events/:event/replay',
  operation: 'webhook_event_replay',
  access: 'management',
  schema: {
    operationId: 'replayWebhookEvent',
    summary: 'Send an event to a webhook again, with the same id',
    params: BY_EVENT,
    response: { 200: changedSchema('webhook_event') },
  },
})(async ({ caller, params }, core) => {
  await replayWebhook(await operationOnWebhook(core, caller, params.id), params)
  return { status: 200, body: { object: 'webhook_event', id: params.event } }
})

function webhookEventJson({ id, type, at, status }: WebhookMessage): Static<typeof EVENT> {
  // Types without a word in this dialect are never sent.
  return { id, type: JSON_TYPES[type]!, created_at: timestamp(at), status }
}

function attemptJson({ id, status, error, response, at }: WebhookAttempt): Static<typeof ATTEMPT> {
  return { id, http_status_code: status ?? 0, response: error ?? response, sent_at: timestamp(at) }
}

export const webhookEvents: readonly Endpoint[] = [list, read, attempts, replay]
