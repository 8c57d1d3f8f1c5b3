/** Webhooks, and their attempts. */
import type { Static } from 'typebox'
import { EVENT_TYPES } from '../../../email/event.ts'
import { ID, INTEGER, INTEGER_OR_NULL, object, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from './shapes.ts'

const DIALECT = { enum: ['json', 'form'] } as const
const TYPE = { enum: EVENT_TYPES } as const

export const WEBHOOK_PARAMS = object({ company: ID, id: ID })

export const MESSAGE_PARAMS = object({ company: ID, id: ID, message: ID })

const WEBHOOK_PROPERTIES = {
  id: TEXT,
  company: TEXT,
  /** The domain's name, or its id when it was removed; null: events of all domains. */
  domain: TEXT_OR_NULL,
  dialect: DIALECT,
  url: TEXT,
  events: { type: 'array', items: TEXT },
  /** True: all events, also those of types added later. */
  everything: { type: 'boolean' },
  status: { enum: ['enabled', 'disabled'] },
  createdAt: TIME,
  rotatedAt: TIME_OR_NULL,
  failingSince: TIME_OR_NULL,
  disabledAt: TIME_OR_NULL,
  disabledReason: TEXT_OR_NULL,
  /** Time of the oldest event that the webhook has still to be told; null: none is outstanding. */
  behindSince: TIME_OR_NULL,
} as const

export const WEBHOOK = {
  type: 'object',
  additionalProperties: false,
  required: [
    ...(['id', 'company', 'domain', 'dialect', 'url', 'events', 'everything', 'status'] as const),
    ...(['createdAt', 'rotatedAt', 'failingSince', 'disabledAt', 'disabledReason', 'behindSince'] as const),
  ],
  properties: WEBHOOK_PROPERTIES,
} as const
export type WebhookShown = Static<typeof WEBHOOK>

export const WEBHOOKS_QUERY = object(
  {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  },
  {
    /** Id of a webhook: only those created before it. */
    after: { type: 'string', maxLength: 100 },
  },
)

export const WEBHOOKS = object({ data: { type: 'array', items: WEBHOOK }, more: { type: 'boolean' } })

/** The events of a dialect: its words, and the event types that each word covers. */
const WORDS = {
  type: 'array',
  items: object({ word: TEXT, types: { type: 'array', items: TYPE } }),
} as const

export const WEBHOOK_WORDS = object({ json: WORDS, form: WORDS })
export type WebhookWords = Static<typeof WEBHOOK_WORDS>

const URL = { type: 'string', minLength: 1, maxLength: 2_000 } as const
/** Empty: all events. */
const EVENTS = { type: 'array', maxItems: 50, items: { type: 'string', maxLength: 100 } } as const

export const NEW_WEBHOOK = object(
  { url: URL, dialect: DIALECT, events: EVENTS },
  { domain: { type: 'string', maxLength: 255 } },
)
export type NewWebhook = Static<typeof NEW_WEBHOOK>

export const WEBHOOK_CHANGE = object({}, { url: URL, events: EVENTS, enabled: { type: 'boolean' } })
export type WebhookChanged = Static<typeof WEBHOOK_CHANGE>

export const WEBHOOK_SECRET = object({
  secret: TEXT,
  /** False: the secret is the company's, shared by all its webhooks of the form dialect. */
  own: { type: 'boolean' },
})

export const ADDED_WEBHOOK = object({ id: TEXT })

export const ATTEMPTS_QUERY = object(
  {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
  },
  {
    result: { enum: ['failed', 'succeeded'] },
    /** Only attempts of this message. */
    message: { type: 'string', maxLength: 100 },
    /** Only attempts older than this one. */
    before: { type: 'string', maxLength: 100 },
  },
)

const ATTEMPT = object({
  id: TEXT,
  /** The id that the receiver sees; the same for each attempt. */
  message: TEXT,
  type: TYPE,
  /** The dialect's word for the type. */
  word: TEXT,
  email: TEXT,
  attempt: INTEGER,
  at: TIME,
  /** Ms. */
  duration: INTEGER,
  succeeded: { type: 'boolean' },
  /** HTTP status; null: no response, and `error` gives the reason. */
  status: INTEGER_OR_NULL,
  error: TEXT_OR_NULL,
  /** The beginning of the response. */
  response: TEXT,
  nextAt: TIME_OR_NULL,
})
export type AttemptShown = Static<typeof ATTEMPT>

export const ATTEMPTS = object({ data: { type: 'array', items: ATTEMPT }, more: { type: 'boolean' } })

export const MESSAGE = object({
  status: { enum: ['pending', 'attempting', 'success', 'failed', 'unknown'] },
  nextAt: TIME_OR_NULL,
  /** The body as sent, indented. */
  body: TEXT,
})
export type MessageShown = Static<typeof MESSAGE>

export const REPLAY = object(
  {
    since: { type: 'string', maxLength: 40 },
    what: { enum: ['failed', 'everything'] },
  },
  {
    /** Continues after an earlier answer. */
    from: { type: 'string', maxLength: 100 },
  },
)

export const REPLAYED = object({
  /** Messages that are sent again; null: not counted. */
  told: INTEGER_OR_NULL,
  /** More remains: repeat the request with this as `from`. */
  next: TEXT_OR_NULL,
})

export const TEST = object({ event: { type: 'string', maxLength: 100 } })

export const TESTED = object({
  body: TEXT,
  headers: {
    type: 'array',
    items: object({ name: TEXT, value: TEXT }),
  },
  status: INTEGER_OR_NULL,
  error: TEXT_OR_NULL,
  response: TEXT,
  duration: INTEGER,
})
export type TestedShown = Static<typeof TESTED>
