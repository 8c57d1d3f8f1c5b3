/** `/v1/webhooks`: webhooks of the whole company. Each is one URL, and gets the events of all domains. */

import type { Principal } from '../../../accounts/account.ts'
import { Fault } from '../../../ingress/fault.ts'
import { invalidField, Refusal } from '../../../intake/refusal.ts'
import { authoriseWhole } from '../../../operate/authority.ts'
import type { Operation } from '../../../operate/verb.ts'
import { noSuchWebhook } from '../../../operate/webhook-find.ts'
import { checkedWebhookUrl } from '../../../operate/webhook-url.ts'
import { addWebhook, removeWebhook, updateWebhook } from '../../../operate/webhooks.ts'
import type { Webhook } from '../../../store/store.ts'
import { oneOrMore, PASSAGE, URL_INPUT, WORD } from '../../bounds.ts'
import { commaList } from '../../comma-list.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { TEXT } from '../schemas.ts'
import { formWebhookOf, WORDS, webhooksOf } from './by-word.ts'
import { eventNamesIn, requireRoom } from './event-names.ts'

const URL = '/v1/webhooks'
/** The most ids in a request: more than a company has webhooks. */
const MAX_IDS = 1_000
const MAX_WORDS = 100

const WEBHOOK = {
  type: 'object',
  properties: {
    webhook_id: TEXT,
    description: TEXT,
    url: TEXT,
    event_types: { type: 'array', items: TEXT },
    created_at: { ...TEXT, description: 'RFC 3339.' },
  },
} as const
const GIVEN = {
  type: 'object',
  required: ['url', 'event_types'],
  properties: {
    url: URL_INPUT,
    event_types: {
      ...oneOrMore(WORD, MAX_WORDS),
      description: `Of ${WORDS.join(', ')}; several may be given.`,
    },
    description: { ...PASSAGE, description: 'Ignored: it is not stored.' },
  },
} as const
const NOTHING = { type: 'null', description: 'No content.' } as const
/** A comma-separated list; its length bounds the number of ids. */
const IDS = { ...PASSAGE, description: 'Ids, separated by commas.' } as const

function webhookJson(webhook: Webhook) {
  const { id, url, words } = formWebhookOf(webhook)
  return {
    webhook_id: id,
    description: '',
    url,
    event_types: words,
    created_at: new Date(webhook.createdAt).toISOString(),
  }
}

interface AccountCall {
  op: Operation
  webhooks: Webhook[]
}

/** The form webhooks of the whole company. Throws `not_allowed` for a key that is restricted to one domain. */
async function onAccount(core: HttpCore, caller: Principal): Promise<AccountCall> {
  const op = await currentOperation(core, caller)
  authoriseWhole(op.caller)
  return { op, webhooks: await webhooksOf(op, null) }
}

function webhookNamed(webhooks: readonly Webhook[], id: string): Webhook {
  const found = webhooks.find((webhook) => webhook.id === id)
  if (found === undefined) throw noSuchWebhook(id)
  return found
}

function idsIn(text: string): string[] {
  const ids = commaList(text)
  if (ids.length > MAX_IDS) throw invalidField('webhook_ids', `at most ${MAX_IDS} are allowed`)
  return [...new Set(ids)]
}

const list = route(`GET ${URL}`, {
  operation: 'form_webhook_list',
  access: 'reading',
  operationId: 'formListAccountWebhooks',
  summary: 'List the webhooks of the whole company',
  query: { type: 'object', properties: { webhook_ids: IDS } },
  answer: { type: 'object', properties: { webhooks: { type: 'array', items: WEBHOOK } } },
})(async ({ caller, query }, core) => {
  const ids = idsIn(query.webhook_ids ?? '')
  const { webhooks } = await onAccount(core, caller)
  const wanted = webhooks.filter(({ id }) => ids.length === 0 || ids.includes(id))
  return { webhooks: wanted.map(webhookJson) }
})

const show = route(`GET ${URL}/:webhook`, {
  operation: 'form_webhook_read',
  access: 'reading',
  operationId: 'formShowAccountWebhook',
  summary: 'Get a webhook of the whole company',
  answer: WEBHOOK,
})(async ({ caller, params }, core) => {
  const { webhooks } = await onAccount(core, caller)
  return webhookJson(webhookNamed(webhooks, params.webhook))
})

/** Throws when the URL already has a webhook. */
function requireNewUrl(others: readonly Webhook[], url: string): void {
  if (!others.some((webhook) => webhook.url === url)) return
  const detail = 'This URL already has a webhook: change that webhook instead'
  throw new Fault({ code: 'operation_refused', why: 'conflict', detail })
}

const create = route(`POST ${URL}`, {
  operation: 'form_webhook_create',
  access: 'management',
  operationId: 'formCreateAccountWebhook',
  summary: 'Create a webhook for these events of all domains',
  body: GIVEN,
  answer: { type: 'object', properties: { webhook_id: TEXT } },
})(async ({ caller, body }, core) => {
  const url = checkUrl(body.url)
  const events = eventNamesIn('event_types', body.event_types)
  const { op, webhooks } = await onAccount(core, caller)
  requireNewUrl(webhooks, url)
  requireRoom(webhooks.map(formWebhookOf), url, events)
  const { webhook } = await addWebhook(op, { company: caller.companyId, dialect: 'form', url, events })
  return { webhook_id: webhook.id }
})

const update = route(`PUT ${URL}/:webhook`, {
  operation: 'form_webhook_update',
  access: 'management',
  operationId: 'formUpdateAccountWebhook',
  summary: 'Change the URL and the events of a webhook of the whole company',
  body: GIVEN,
  status: 204,
  answer: NOTHING,
})(async ({ caller, params, body }, core) => {
  const url = checkUrl(body.url)
  const events = eventNamesIn('event_types', body.event_types)
  const { op, webhooks } = await onAccount(core, caller)
  const { id } = webhookNamed(webhooks, params.webhook)
  const others = webhooks.filter((webhook) => webhook.id !== id)
  requireNewUrl(others, url)
  requireRoom(others.map(formWebhookOf), url, events)
  await updateWebhook(op, { id, url, events })
  return null
})

const remove = route(`DELETE ${URL}/:webhook`, {
  operation: 'form_webhook_remove',
  access: 'management',
  operationId: 'formRemoveAccountWebhook',
  summary: 'Delete a webhook of the whole company',
  status: 204,
  answer: NOTHING,
})(async ({ caller, params }, core) => {
  const { op, webhooks } = await onAccount(core, caller)
  await removeWebhook(op, { id: webhookNamed(webhooks, params.webhook).id })
  return null
})

const removeSeveral = route(`DELETE ${URL}`, {
  operation: 'form_webhook_remove',
  access: 'management',
  operationId: 'formRemoveAccountWebhooks',
  summary: 'Delete several or all webhooks of the whole company',
  query: {
    type: 'object',
    properties: {
      webhook_ids: IDS,
      all: { enum: ['true', 'false'], description: 'Required without ids.' },
    },
  },
  status: 204,
  answer: NOTHING,
})(async ({ caller, query }, core) => {
  const ids = idsIn(query.webhook_ids ?? '')
  if (ids.length === 0 && query.all !== 'true') {
    throw new Refusal({ code: 'field_missing', field: 'webhook_ids' })
  }
  const { op, webhooks } = await onAccount(core, caller)
  const gone = ids.length === 0 ? webhooks : ids.map((id) => webhookNamed(webhooks, id))
  for (const { id } of gone) await removeWebhook(op, { id })
  return null
})

function checkUrl(url: string): string {
  if (url === '') throw new Refusal({ code: 'field_missing', field: 'url' })
  return checkedWebhookUrl(url)
}

export const accountWebhookRoutes: readonly Endpoint[] = [
  ...[list, show, create],
  ...[update, remove, removeSeveral],
]
