/** A webhook in the requests and answers of this dialect. */

import type { Static } from 'typebox'
import { webhookWords, wordsOfTypes } from '../../../events/notices/types.ts'
import { UNSENT_WORDS } from '../../../events/notices/unsent.ts'
import { noSuchWebhook, type OwnedWebhook } from '../../../operate/webhook-find.ts'
import { showWebhook } from '../../../operate/webhooks.ts'
import { URL_INPUT, WORD } from '../../bounds.ts'
import { object, orNull } from '../../object-schema.ts'
import { operationOn } from '../operation-on.ts'
import { timestamp } from '../timestamp.ts'

const WORDS = webhookWords('json')

/** Many times the number of event types: a client may repeat one. */
const MAX_EVENTS_NAMED = 1_000

/** The event types of a webhook, in requests. */
export const EVENTS = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_EVENTS_NAMED,
  items: WORD,
  description: `Any of ${WORDS.join(', ')}. These are stored and shown, but never sent: ${UNSENT_WORDS.json.join(', ')}.`,
} as const

export const STATUS = { enum: ['enabled', 'disabled'] } as const

const FACTS = {
  id: { type: 'string' },
  endpoint: { type: 'string' },
  events: { type: 'array', items: { type: 'string' } },
  status: STATUS,
  created_at: { type: 'string' },
} as const

/** An item of a list. */
export const WEBHOOK = object(FACTS)

const OBJECT = { const: 'webhook' } as const
const SECRET = { type: 'string', description: '`whsec_` and the key, in base64.' } as const

export const ONE_WEBHOOK = object({ object: OBJECT, ...FACTS, signing_secret: SECRET })

export const WEBHOOK_SECRET = object({ object: OBJECT, id: { type: 'string' }, signing_secret: SECRET })

/** The changes that a request may make. */
export const CHANGES = {
  type: 'object',
  properties: { endpoint: orNull(URL_INPUT), events: orNull(EVENTS), status: orNull(STATUS) },
} as const

export function webhookJson({ webhook }: OwnedWebhook): Static<typeof WEBHOOK> {
  const { id, url, types, status, createdAt } = webhook
  const events = wordsOfTypes('json', types)
  return { id, endpoint: url, events, status, created_at: timestamp(createdAt) }
}

/** Webhooks of the form dialect send other messages, and do not exist here. */
export const operationOnWebhook = operationOn(async (op, id) => {
  const { webhook } = await showWebhook(op, { id })
  if (webhook.dialect !== 'json') throw noSuchWebhook(id)
})
