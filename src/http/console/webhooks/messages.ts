/** The messages of a webhook, their attempts, and replays. */

import { wordOfType } from '../../../events/told/types.ts'
import { messageId } from '../../../events/webhooks/message-id.ts'
import { OperateError } from '../../../operate/error.ts'
import { isoTime } from '../../../operate/shapes.ts'
import { listWebhookAttempts, replayWebhook, showWebhookEvent } from '../../../operate/webhook-events.ts'
import { replayFailed } from '../../../operate/webhook-replay.ts'
import { testWebhook } from '../../../operate/webhook-sample.ts'
import type { WebhookAttempt, WebhookDialect } from '../../../store/store.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { DONE } from '../contract/shapes.ts'
import {
  ATTEMPTS,
  ATTEMPTS_QUERY,
  type AttemptShown,
  MESSAGE,
  MESSAGE_PARAMS,
  REPLAY,
  REPLAYED,
  TEST,
  TESTED,
  WEBHOOK_PARAMS,
} from '../contract/webhooks.ts'
import { operationOnWebhook } from './found.ts'

const attempts = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/webhooks/:id/attempts',
  operation: 'console_webhook_attempts',
  access: 'company',
  schema: {
    operationId: 'listWebhookAttempts',
    summary: 'List the attempts of a webhook, newest first',
    params: WEBHOOK_PARAMS,
    querystring: ATTEMPTS_QUERY,
    response: { 200: ATTEMPTS },
  },
})(async ({ caller, params: { id }, query: { limit, result, message, before } }, core) => {
  const { op, owned } = await operationOnWebhook(core, caller, id)
  const found = await listWebhookAttempts(op, {
    id,
    before,
    event: message,
    limit: limit + 1,
    ...(result !== undefined && { succeeded: result === 'succeeded' }),
  })
  const data = found.slice(0, limit).map((tried) => shown(tried, owned.webhook.dialect))
  return { status: 200, body: { data, more: found.length > limit } }
})

const message = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/webhooks/:id/messages/:message',
  operation: 'console_webhook_message',
  access: 'company',
  schema: {
    operationId: 'readWebhookMessage',
    summary: 'Get a message of a webhook and whether it is sent again',
    params: MESSAGE_PARAMS,
    response: { 200: MESSAGE },
  },
})(async ({ caller, params }, core) => {
  const { op } = await operationOnWebhook(core, caller, params.id)
  const { status, nextAt, payload } = await showWebhookEvent(op, { id: params.id, event: params.message })
  return { status: 200, body: { status, nextAt: isoTime(nextAt), body: JSON.stringify(payload, null, 2) } }
})

const replayOne = endpoint({
  method: 'POST',
  url: '/console/api/companies/:company/webhooks/:id/messages/:message/replay',
  operation: 'console_webhook_replay',
  access: 'company',
  schema: {
    operationId: 'replayWebhookMessage',
    summary: 'Send a message to a webhook again, with the same id',
    params: MESSAGE_PARAMS,
    response: { 200: DONE },
  },
})(async ({ caller, params: { id, message: event } }, core) => {
  const { op } = await operationOnWebhook(core, caller, id)
  await replayWebhook(op, { id, event })
  return { status: 200, body: {} }
})

const replay = endpoint({
  method: 'POST',
  url: '/console/api/companies/:company/webhooks/:id/replay',
  operation: 'console_webhook_replay',
  access: 'company',
  schema: {
    operationId: 'replayWebhook',
    summary: 'Send failed events, or all events, since a time again',
    params: WEBHOOK_PARAMS,
    body: REPLAY,
    response: { 200: REPLAYED },
  },
})(async ({ caller, params: { id }, body: { since: text, what, from } }, core) => {
  const { op } = await operationOnWebhook(core, caller, id)
  const since = Date.parse(text)
  if (Number.isNaN(since)) throw new OperateError('invalid', `"${text}" is not a time`)
  if (what === 'everything') {
    await replayWebhook(op, { id, since })
    return { status: 200, body: { told: null, next: null } }
  }
  return { status: 200, body: await replayFailed(op, { id, since, from }) }
})

const test = endpoint({
  method: 'POST',
  url: '/console/api/companies/:company/webhooks/:id/test',
  operation: 'console_webhook_test',
  access: 'company',
  schema: {
    operationId: 'testWebhook',
    summary: 'Send a sample event once and get the answer',
    params: WEBHOOK_PARAMS,
    body: TEST,
    response: { 200: TESTED },
  },
})(async ({ caller, params: { id }, body: { event } }, core) => {
  const { op } = await operationOnWebhook(core, caller, id)
  const { headers, ...tested } = await testWebhook(op, { id, event })
  const named = Object.entries(headers).map(([name, value]) => ({ name, value }))
  return { status: 200, body: { ...tested, headers: named } }
})

function shown(tried: WebhookAttempt, dialect: WebhookDialect): AttemptShown {
  const { id, webhookId, type, emailId, attempt, at, duration, succeeded } = tried
  const { status, error, response, nextAt } = tried
  return {
    id,
    message: messageId(webhookId, tried),
    type,
    email: emailId,
    attempt,
    succeeded,
    // Types without a word in the dialect are never sent.
    word: wordOfType(dialect, type) ?? type,
    at: isoTime(at),
    duration: Math.round(duration),
    status,
    error,
    response,
    nextAt: isoTime(nextAt),
  }
}

export const webhookMessageEndpoints: readonly Endpoint[] = [attempts, message, replayOne, replay, test]
