/** Webhooks of a company: their URLs, events and secrets. */
import { typesOfWord, WEBHOOK_DIALECTS, webhookWords, wordsOfTypes } from '../../../events/told/types.ts'
import { isoTime } from '../../../operate/shapes.ts'
import type { Operation } from '../../../operate/verb.ts'
import { showWebhookBacklog } from '../../../operate/webhook-events.ts'
import type { OwnedWebhook } from '../../../operate/webhook-find.ts'
import {
  hasOwnSecret,
  rotateSigningKey,
  rotateWebhookSecret,
  showWebhookSecret,
} from '../../../operate/webhook-secrets.ts'
import { visibleWebhookUrl } from '../../../operate/webhook-url.ts'
import { addWebhook, listWebhooks, removeWebhook, updateWebhook } from '../../../operate/webhooks.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import { COMPANY_PARAMS, DONE } from '../contract/shapes.ts'
import {
  ADDED_WEBHOOK,
  NEW_WEBHOOK,
  WEBHOOK,
  WEBHOOK_CHANGE,
  WEBHOOK_PARAMS,
  WEBHOOK_SECRET,
  WEBHOOK_WORDS,
  WEBHOOKS,
  WEBHOOKS_QUERY,
  type WebhookShown,
  type WebhookWords,
} from '../contract/webhooks.ts'
import { operationOnWebhook } from './found.ts'

const list = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/webhooks',
  operation: 'console_webhooks',
  access: 'company',
  schema: {
    operationId: 'listWebhooks',
    summary: 'List webhooks with their health, newest first',
    params: COMPANY_PARAMS,
    querystring: WEBHOOKS_QUERY,
    response: { 200: WEBHOOKS },
  },
})(async ({ caller, query: { limit, after } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const all = (await listWebhooks(op, { company: caller.company ?? undefined })).reverse()
  const begin = after === undefined ? 0 : all.findIndex(({ webhook }) => webhook.id === after) + 1
  const page = all.slice(begin, begin + limit)
  const data = await Promise.all(page.map((owned) => shown(op, owned)))
  return { status: 200, body: { data, more: all.length > begin + limit } }
})

const WORDS = Object.fromEntries(
  WEBHOOK_DIALECTS.map((dialect) => {
    const words = webhookWords(dialect)
    return [dialect, words.map((word) => ({ word, types: [...typesOfWord(dialect, word)!] }))]
  }),
) as WebhookWords

const words = endpoint({
  method: 'GET',
  url: '/console/api/webhook-words',
  operation: 'console_webhooks',
  access: 'person',
  schema: {
    operationId: 'listWebhookWords',
    summary: 'List the events that webhooks can receive',
    response: { 200: WEBHOOK_WORDS },
  },
})(async () => ({ status: 200, body: WORDS }))

const add = endpoint({
  method: 'POST',
  url: '/console/api/companies/:company/webhooks',
  operation: 'console_webhook_change',
  access: 'company',
  schema: {
    operationId: 'addWebhook',
    summary: 'Create a webhook',
    params: COMPANY_PARAMS,
    body: NEW_WEBHOOK,
    response: { 201: ADDED_WEBHOOK },
  },
})(async ({ caller, params: { company }, body }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const { webhook } = await addWebhook(op, { company, ...body })
  return { status: 201, body: { id: webhook.id } }
})

const read = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/webhooks/:id',
  operation: 'console_webhooks',
  access: 'company',
  schema: {
    operationId: 'readWebhook',
    summary: 'Get a webhook with its health',
    params: WEBHOOK_PARAMS,
    response: { 200: WEBHOOK },
  },
})(async ({ caller, params }, core) => {
  const { op, owned } = await operationOnWebhook(core, caller, params.id)
  return { status: 200, body: await shown(op, owned) }
})

const change = endpoint({
  method: 'PATCH',
  url: '/console/api/companies/:company/webhooks/:id',
  operation: 'console_webhook_change',
  access: 'company',
  schema: {
    operationId: 'changeWebhook',
    summary: 'Change the URL or the events of a webhook, or enable or disable it',
    params: WEBHOOK_PARAMS,
    body: WEBHOOK_CHANGE,
    response: { 200: WEBHOOK },
  },
})(async ({ caller, params: { id }, body }, core) => {
  const { op } = await operationOnWebhook(core, caller, id)
  return { status: 200, body: await shown(op, await updateWebhook(op, { id, ...body })) }
})

const remove = endpoint({
  method: 'DELETE',
  url: '/console/api/companies/:company/webhooks/:id',
  operation: 'console_webhook_change',
  access: 'company',
  schema: {
    operationId: 'removeWebhook',
    summary: 'Delete a webhook with its attempts',
    params: WEBHOOK_PARAMS,
    response: { 200: DONE },
  },
})(async ({ caller, params: { id } }, core) => {
  const { op } = await operationOnWebhook(core, caller, id)
  await removeWebhook(op, { id })
  return { status: 200, body: {} }
})

const readSecret = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/webhooks/:id/secret',
  operation: 'console_webhook_secret',
  access: 'company',
  schema: {
    operationId: 'readWebhookSecret',
    summary: 'Get the signing secret of a webhook',
    params: WEBHOOK_PARAMS,
    response: { 200: WEBHOOK_SECRET },
  },
})(async ({ caller, params: { id } }, core) => {
  const { op } = await operationOnWebhook(core, caller, id)
  const { secret, webhook } = await showWebhookSecret(op, { id })
  return { status: 200, body: { secret, own: hasOwnSecret(webhook.dialect) } }
})

const rotateSecret = endpoint({
  method: 'POST',
  url: '/console/api/companies/:company/webhooks/:id/secret',
  operation: 'console_webhook_secret',
  access: 'company',
  schema: {
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the signing secret of a webhook or its company',
    params: WEBHOOK_PARAMS,
    response: { 200: WEBHOOK_SECRET },
  },
})(async ({ caller, params: { id } }, core) => {
  const { op, owned } = await operationOnWebhook(core, caller, id)
  const own = hasOwnSecret(owned.webhook.dialect)
  const secret = own
    ? (await rotateWebhookSecret(op, { id })).secret
    : (await rotateSigningKey(op, { company: owned.company.id })).key
  return { status: 200, body: { secret, own } }
})

async function shown(op: Operation, owned: OwnedWebhook): Promise<WebhookShown> {
  const { webhook, company, domain } = owned
  const { id, dialect, types, status, createdAt, rotatedAt } = webhook
  const url = visibleWebhookUrl(op, webhook.url)
  const { since } = await showWebhookBacklog(op, { id })
  return {
    id,
    company: company.id,
    domain: domain?.name ?? webhook.domainId,
    dialect,
    url,
    status,
    events: wordsOfTypes(dialect, types),
    everything: types.length === 0,
    createdAt: isoTime(createdAt),
    rotatedAt: isoTime(rotatedAt),
    failingSince: isoTime(webhook.failingSince),
    disabledAt: isoTime(webhook.disabledAt),
    disabledReason: webhook.disabledReason,
    behindSince: isoTime(since),
  }
}

export const webhookEndpoints: readonly Endpoint[] = [
  ...[list, words, add, read, change, remove],
  ...[readSecret, rotateSecret],
]
