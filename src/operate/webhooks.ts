/** Webhooks: URLs where a company gets the events of its mail. */
import { randomUUIDv7 } from 'node:crypto'
import { type EntryType, webhookSwitched } from '../email/company-event.ts'
import { typesOfWord, webhookWords } from '../events/notices/types.ts'
import { isUnsent } from '../events/notices/unsent.ts'
import { hasOwnSecret, newWebhookSecret, sealWebhookSecret } from '../events/webhooks/secrets.ts'
import type { Webhook, WebhookChange, WebhookDialect, WebhookType } from '../store/store.ts'
import { OperateError } from './error.ts'
import { findCompany, findOwnDomain, findWholeCompany } from './find.ts'
import { type Operation, verb } from './verb.ts'
import { findWebhook, type OwnedWebhook, visibleWebhooks, webhookNote } from './webhook-find.ts'
import { signingKeyOf } from './webhook-secrets.ts'
import { publicWebhookUrl } from './webhook-url.ts'

export interface NewWebhookInput {
  /** Name or id. */
  company: string
  url: string
  /** Types of events, in the dialect's names; absent or empty: all. */
  events?: readonly string[] | undefined
  /** Default: json. */
  dialect?: WebhookDialect | undefined
  /** Name or id: only events of this domain's mail. */
  domain?: string | undefined
}

/**
 * The secret is shown only here; in the form dialect it is the signing key of the company, which can be shown again.
 */
export const addWebhook = verb(
  'manage',
  async (op, input: NewWebhookInput): Promise<OwnedWebhook & { secret: string }> => {
    const { dialect = 'json' } = input
    const company =
      input.domain === undefined ? findWholeCompany(op, input.company) : findCompany(op, input.company)
    const domain = input.domain === undefined ? null : findOwnDomain(op, company, input.domain)
    const types = webhookTypes(dialect, input.events ?? [])
    const url = publicWebhookUrl(op, input.url)
    const seal = await op.seal()
    const id = randomUUIDv7()
    const own = newWebhookSecret()
    const secret = hasOwnSecret(dialect) ? own : await signingKeyOf(op, company.id)
    const webhook: Webhook = {
      id,
      companyId: company.id,
      domainId: domain?.id ?? null,
      dialect,
      url,
      types,
      status: 'enabled' as const,
      secret: sealWebhookSecret(seal, id, own),
      previousSecret: null,
      rotatedAt: null,
      createdAt: op.now(),
      failingSince: null,
      disabledAt: null,
      disabledReason: null,
      cursor: await op.store.lastEventNumber(),
    }
    await op.store.addWebhook(webhook)
    return { webhook, company, domain, secret }
  },
  {
    action: 'addWebhook',
    note: ({ events, dialect }, added) => ({ ...webhookNote({}, added), detail: { events, dialect } }),
  },
)

/** In order of creation. */
export const listWebhooks = verb('see', visibleWebhooks)

export const showWebhook = verb('see', async (op, { id }: { id: string }): Promise<OwnedWebhook> => {
  return await findWebhook(op, id)
})

export interface WebhookUpdate {
  id: string
  url?: string | undefined
  /** Types of events, in the dialect's names; empty: all. */
  events?: readonly string[] | undefined
  /** A webhook that is enabled again gets events from then on; missed ones can be replayed (`replayWebhook`). */
  enabled?: boolean | undefined
}

export const updateWebhook = verb(
  'manage',
  async (op, input: WebhookUpdate): Promise<OwnedWebhook> => {
    const { id, url, events, enabled } = input
    const { webhook } = await findWebhook(op, id)
    const switched = enabled !== undefined && enabled !== (webhook.status === 'enabled')
    const change = {
      ...(url !== undefined && { url: publicWebhookUrl(op, url) }),
      ...(events !== undefined && { types: webhookTypes(webhook.dialect, events) }),
    }
    if (!switched) await op.store.updateWebhook(id, change)
    else await switchWebhook(op, { ...webhook, ...change }, enabled, change)
    return await findWebhook(op, id)
  },
  {
    action: 'updateWebhook',
    note: (input, updated) => ({
      ...webhookNote(input, updated),
      detail: {
        events: input.events,
        enabled: input.enabled,
        ...(input.url !== undefined && { url: 'changed' }),
      },
    }),
  },
)

/** Also logs an event, so that the company can see since when its webhook has got no events, or gets them again. */
async function switchWebhook(op: Operation, webhook: Webhook, enabled: boolean, more: WebhookChange) {
  const now = op.now()
  if (enabled) {
    const event = webhookSwitched('webhook.enabled', webhook, now, 'it was enabled')
    await op.store.updateWebhook(webhook.id, { ...more, ...(await anew(op)) }, event)
    return
  }
  const event = webhookSwitched('webhook.disabled', webhook, now, 'it was disabled')
  const { at: disabledAt, detail } = event
  const off = { status: 'disabled' as const, disabledAt, disabledReason: detail.message }
  await op.store.updateWebhook(webhook.id, { ...more, ...off }, event)
}

async function anew(op: Operation) {
  const cursor = await op.store.lastEventNumber()
  return { status: 'enabled' as const, cursor, failingSince: null, disabledAt: null, disabledReason: null }
}

export const removeWebhook = verb(
  'manage',
  async (op, { id }: { id: string }): Promise<OwnedWebhook> => {
    const found = await findWebhook(op, id)
    await op.store.removeWebhook(id)
    return found
  },
  { action: 'removeWebhook', note: webhookNote },
)

/** Resolves words like `eventTypes`, and keeps documented words that are never sent. Throws `invalid`. */
function webhookTypes(dialect: WebhookDialect, words: readonly string[]): WebhookType[] {
  const unsent = words.filter((word) => isUnsent(dialect, word))
  const sent = words.filter((word) => !isUnsent(dialect, word))
  return [...eventTypes(dialect, sent), ...new Set(unsent)]
}

/** The types that words of a dialect stand for, without duplicates. Throws `invalid`. */
export function eventTypes(dialect: WebhookDialect, words: readonly string[]): EntryType[] {
  const types = words.flatMap((word) => {
    const meant = typesOfWord(dialect, word)
    if (meant !== null) return meant
    const known = webhookWords(dialect).join(', ')
    throw new OperateError(
      'invalid',
      `a webhook of this dialect has no event "${word}"; the events are ${known}`,
    )
  })
  return [...new Set(types)]
}
