/** `/v3/domains/{domain}/webhooks`, by word, and `/v4/domains/{domain}/webhooks`, by URL. */

import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import { Fault } from '../../../ingress/fault.ts'
import { invalidField, Refusal } from '../../../intake/refusal.ts'
import type { Operation } from '../../../operate/verb.ts'
import { testWebhook } from '../../../operate/webhook-sample.ts'
import { checkedWebhookUrl } from '../../../operate/webhook-url.ts'
import { oneOrMore, PASSAGE, PATH_NAME, URL_INPUT, WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { onOwnDomain } from '../own-domain.ts'
import { TEXT } from '../schemas.ts'
import {
  byWord,
  type FormWebhook,
  formWebhookOf,
  setUrlsOfWord,
  setWordsOfUrl,
  urlsOf,
  WORDS,
  webhooksOf,
  wordsOf,
} from './by-word.ts'
import { eventNamesIn, MAX_URLS, requireRoom, wordOf } from './event-names.ts'

/** The bound of the schema. It is above the real maximum, which has its own error. */
const MAX_GIVEN = 100
/** Comma-separated. */
const URL_LIST = PASSAGE
const URLS_GIVEN = oneOrMore(URL_INPUT, MAX_GIVEN)
const URLS = {
  type: 'object',
  required: ['urls'],
  properties: { urls: { type: 'array', items: TEXT } },
} as const
const ALL = {
  type: 'object',
  required: ['webhooks'],
  properties: {
    message: TEXT,
    webhooks: { type: 'object', additionalProperties: URLS },
  },
} as const
const ONE = {
  type: 'object',
  required: ['webhook'],
  properties: { message: TEXT, webhook: URLS },
} as const
const OF_WORD = { word: { ...PATH_NAME, description: `One of ${WORDS.join(', ')}.` } } as const

const V3 = '/v3/domains/:domain/webhooks'
const V4 = '/v4/domains/:domain/webhooks'

const list = route(`GET ${V3}`, {
  operation: 'form_webhook_list',
  access: 'reading',
  operationId: 'formListWebhooks',
  summary: 'List the webhooks of a domain by event',
  answer: ALL,
})(async ({ caller, params }, core) => {
  const { webhooks } = await on(core, caller, params.domain)
  return { webhooks: byWord(webhooks) }
})

const show = route(`GET ${V3}/:word`, {
  operation: 'form_webhook_read',
  access: 'reading',
  operationId: 'formShowWebhook',
  summary: 'Get the URLs that one kind of event is sent to',
  params: OF_WORD,
  answer: ONE,
})(async ({ caller, params }, core) => {
  const { webhooks } = await on(core, caller, params.domain)
  return { webhook: { urls: requireUrls(webhooks, wordOf(params.word)) } }
})

const create = route(`POST ${V3}`, {
  operation: 'form_webhook_create',
  access: 'management',
  operationId: 'formCreateWebhook',
  summary: 'Send one kind of event to up to three URLs',
  body: { type: 'object', required: ['id', 'url'], properties: { id: WORD, url: URLS_GIVEN } },
  answer: ONE,
})(async ({ caller, params, body }, core) => {
  const { op, domain, webhooks } = await on(core, caller, params.domain)
  const word = wordOf(body.id)
  const urls = checkUrls(body.url)
  if (urlsOf(webhooks, word).length > 0) {
    throw new Fault({ code: 'request_invalid', detail: 'Webhook already exists' })
  }
  await setUrlsOfWord(op, domain, webhooks, word, urls)
  return { message: 'Webhook has been created', webhook: { urls } }
})

const update = route(`PUT ${V3}/:word`, {
  operation: 'form_webhook_update',
  access: 'management',
  operationId: 'formUpdateWebhook',
  summary: 'Replace the URLs that one kind of event is sent to',
  params: OF_WORD,
  body: { type: 'object', required: ['url'], properties: { url: URLS_GIVEN } },
  answer: ONE,
})(async ({ caller, params, body }, core) => {
  const { op, domain, webhooks } = await on(core, caller, params.domain)
  requireUrls(webhooks, wordOf(params.word))
  const urls = checkUrls(body.url)
  await setUrlsOfWord(op, domain, webhooks, wordOf(params.word), urls)
  return { message: 'Webhook has been updated', webhook: { urls } }
})

const remove = route(`DELETE ${V3}/:word`, {
  operation: 'form_webhook_remove',
  access: 'management',
  operationId: 'formRemoveWebhook',
  summary: 'Stop sending one kind of event',
  params: OF_WORD,
  answer: ONE,
})(async ({ caller, params }, core) => {
  const { op, domain, webhooks } = await on(core, caller, params.domain)
  const urls = requireUrls(webhooks, wordOf(params.word))
  await setUrlsOfWord(op, domain, webhooks, wordOf(params.word), [])
  return { message: 'Webhook has been deleted', webhook: { urls } }
})

const tryOut = route(`PUT ${V3}/:word/test`, {
  operation: 'form_webhook_test',
  access: 'management',
  operationId: 'formTestWebhook',
  summary: 'Send a sample event to a URL that is a webhook of the domain',
  params: OF_WORD,
  body: { type: 'object', required: ['url'], properties: { url: URL_INPUT } },
  answer: { type: 'object', properties: { code: { type: 'integer' }, message: TEXT } },
})(async ({ caller, params, body }, core) => {
  const { op, webhooks } = await on(core, caller, params.domain)
  const [url] = checkUrls(body.url)
  const known = webhooks.find((each) => each.url === url)
  if (known === undefined) throw notFound()
  const { status, error, response } = await testWebhook(op, { id: known.id, event: wordOf(params.word) })
  return { code: status ?? 0, message: error ?? response }
})

const BY_URL = {
  type: 'object',
  required: ['url', 'event_types'],
  properties: { url: URL_LIST, event_types: oneOrMore(WORD, MAX_GIVEN) },
} as const

const createByUrl = route(`POST ${V4}`, {
  operation: 'form_webhook_create',
  access: 'management',
  operationId: 'formCreateWebhookByUrl',
  summary: 'Add kinds of events to a URL',
  body: BY_URL,
  answer: ALL,
})(async ({ caller, params, body }, core) => {
  const { op, domain, webhooks } = await on(core, caller, params.domain)
  const [url] = checkUrls(body.url)
  const added = eventNamesIn('event_types', body.event_types)
  requireRoom(webhooks, url!, added)
  await setWordsOfUrl(op, domain, webhooks, url!, [...new Set([...wordsOf(webhooks, url!), ...added])])
  return await changeAnswer(op, domain, 'Webhook has been created')
})

const updateByUrl = route(`PUT ${V4}`, {
  operation: 'form_webhook_update',
  access: 'management',
  operationId: 'formUpdateWebhookByUrl',
  summary: 'Replace the kinds of events that are sent to a URL',
  body: BY_URL,
  answer: ALL,
})(async ({ caller, params, body }, core) => {
  const { op, domain, webhooks } = await on(core, caller, params.domain)
  const [url] = checkUrls(body.url)
  if (!webhooks.some((each) => each.url === url)) throw notFound()
  const words = eventNamesIn('event_types', body.event_types)
  requireRoom(webhooks, url!, words)
  await setWordsOfUrl(op, domain, webhooks, url!, words)
  return await changeAnswer(op, domain, 'Webhook has been updated')
})

const removeByUrl = route(`DELETE ${V4}`, {
  operation: 'form_webhook_remove',
  access: 'management',
  operationId: 'formRemoveWebhookByUrl',
  summary: 'Delete the webhooks with these URLs',
  query: {
    type: 'object',
    required: ['url'],
    properties: { url: { ...URL_LIST, description: 'Separate several URLs with commas.' } },
  },
  answer: ALL,
})(async ({ caller, params, query }, core) => {
  const { op, domain, webhooks } = await on(core, caller, params.domain)
  const urls = checkUrls(query.url.split(','), Number.POSITIVE_INFINITY)
  if (!urls.every((url) => webhooks.some((each) => each.url === url))) throw notFound()
  for (const url of urls) await setWordsOfUrl(op, domain, webhooks, url, [])
  return await changeAnswer(op, domain, 'Webhook has been deleted')
})

/** All webhooks of the domain after a change. */
async function changeAnswer(op: Operation, domain: SendingDomain, message: string) {
  return { message, webhooks: byWord(await formWebhooks(op, domain)) }
}

interface DomainCall {
  op: Operation
  domain: SendingDomain
  webhooks: FormWebhook[]
}

async function on(core: HttpCore, caller: Principal, name: string): Promise<DomainCall> {
  const { op, domain } = await onOwnDomain(core, caller, name)
  return { op, domain, webhooks: await formWebhooks(op, domain) }
}

async function formWebhooks(op: Operation, { id }: SendingDomain): Promise<FormWebhook[]> {
  return (await webhooksOf(op, id)).map(formWebhookOf)
}

/** The URLs of the request, each once. Throws a Refusal. */
function checkUrls(given: string | string[], most = MAX_URLS): string[] {
  const urls = [given].flat().filter((url) => url !== '')
  if (urls.length === 0) throw new Refusal({ code: 'field_missing', field: 'url' })
  if (urls.length > most) throw invalidField('url', `at most ${most} are allowed`)
  return [...new Set(urls.map(checkedWebhookUrl))]
}

/** The URLs of the word. Throws a Fault when there are none. */
function requireUrls(webhooks: readonly FormWebhook[], word: string): string[] {
  const urls = urlsOf(webhooks, word)
  if (urls.length > 0) return urls
  throw notFound()
}

function notFound(): Fault {
  return new Fault({ code: 'operation_refused', why: 'not_found', detail: 'Webhook not found' })
}

export const webhookRoutes: readonly Endpoint[] = [
  ...[list, show, create, update, remove, tryOut],
  ...[createByUrl, updateByUrl, removeByUrl],
]
