/** Webhooks of a company: their URLs, events and secrets. */
import { typesOfWord, WEBHOOK_DIALECTS, webhookWords, wordsOfTypes } from '../../../events/notices/types.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
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
import { cursorPage, listPageReader } from '../../cursor-page.ts'
import type { WEBHOOK_ROUTES, WebhookJson, WebhookWords } from '../contract/webhooks.ts'
import type { Handlers } from '../handlers.ts'
import { companyWebhook } from './webhook-lookup.ts'

const WORDS = Object.fromEntries(
  WEBHOOK_DIALECTS.map((dialect) => {
    const words = webhookWords(dialect)
    return [dialect, words.map((word) => ({ word, types: [...typesOfWord(dialect, word)!] }))]
  }),
) as WebhookWords

async function webhookJson(op: Operation, owned: OwnedWebhook): Promise<WebhookJson> {
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

export const webhookHandlers: Handlers<typeof WEBHOOK_ROUTES> = {
  'GET /companies/:company/webhooks': async ({ op, company, query: { limit, after } }) => {
    const all = (await listWebhooks(op, { company: company ?? undefined })).reverse()
    const idOf = ({ webhook }: OwnedWebhook) => webhook.id
    const { data, more } = await cursorPage({ limit, after }, listPageReader(all, idOf), idOf)
    return { data: await Promise.all(data.map((owned) => webhookJson(op, owned))), more }
  },

  'GET /webhook-words': async () => WORDS,

  'POST /companies/:company/webhooks': async ({ op, params: { company }, body }) => {
    const { webhook } = await addWebhook(op, { company, ...body })
    return { id: webhook.id }
  },

  'GET /companies/:company/webhooks/:id': async ({ op, company, params }) => {
    return await webhookJson(op, await companyWebhook(op, company, params.id))
  },

  'PATCH /companies/:company/webhooks/:id': async ({ op, company, params: { id }, body }) => {
    await companyWebhook(op, company, id)
    return await webhookJson(op, await updateWebhook(op, { id, ...body }))
  },

  'DELETE /companies/:company/webhooks/:id': async ({ op, company, params: { id } }) => {
    await companyWebhook(op, company, id)
    await removeWebhook(op, { id })
    return {}
  },

  'GET /companies/:company/webhooks/:id/secret': async ({ op, company, params: { id } }) => {
    await companyWebhook(op, company, id)
    const { secret, webhook } = await showWebhookSecret(op, { id })
    return { secret, own: hasOwnSecret(webhook.dialect) }
  },

  'POST /companies/:company/webhooks/:id/secret': async ({ op, company, params: { id } }) => {
    const owned = await companyWebhook(op, company, id)
    const own = hasOwnSecret(owned.webhook.dialect)
    const secret = own
      ? (await rotateWebhookSecret(op, { id })).secret
      : (await rotateSigningKey(op, { company: owned.company.id })).key
    return { secret, own }
  },
}
