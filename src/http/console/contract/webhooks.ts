/** Webhooks, and their attempts. */
import type { Static } from 'typebox'
import { COMPANY_EVENT_TYPES } from '../../../email/company-event.ts'
import { EVENT_TYPES } from '../../../email/event.ts'
import { routes } from './route.ts'
import { DONE, INTEGER, INTEGER_OR_NULL, object, TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from './shapes.ts'

const DIALECT = { enum: ['json', 'form'] } as const
const TYPE = { enum: [...EVENT_TYPES, ...COMPANY_EVENT_TYPES] } as const

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
  /** Time of the oldest event that has not been sent to the webhook yet; null: there is none. */
  behindSince: TIME_OR_NULL,
} as const

const WEBHOOK = {
  type: 'object',
  additionalProperties: false,
  required: [
    ...(['id', 'company', 'domain', 'dialect', 'url', 'events', 'everything', 'status'] as const),
    ...(['createdAt', 'rotatedAt', 'failingSince', 'disabledAt', 'disabledReason', 'behindSince'] as const),
  ],
  properties: WEBHOOK_PROPERTIES,
} as const
export type WebhookJson = Static<typeof WEBHOOK>

const WEBHOOKS_QUERY = object(
  {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  },
  {
    /** Id of a webhook: only those created before it. */
    after: { type: 'string', maxLength: 100 },
  },
)

const WEBHOOKS = object({ data: { type: 'array', items: WEBHOOK }, more: { type: 'boolean' } })

/** The events of a dialect: its words, and the event types that each word covers. */
export const WORDS = {
  type: 'array',
  items: object({ word: TEXT, types: { type: 'array', items: TYPE } }),
} as const

const WEBHOOK_WORDS = object({ json: WORDS, form: WORDS })
export type WebhookWords = Static<typeof WEBHOOK_WORDS>

export const URL = { type: 'string', minLength: 1, maxLength: 2_000 } as const
/** Empty: all events. */
const EVENTS = { type: 'array', maxItems: 50, items: { type: 'string', maxLength: 100 } } as const

const NEW_WEBHOOK = object(
  { url: URL, dialect: DIALECT, events: EVENTS },
  { domain: { type: 'string', maxLength: 255 } },
)

const WEBHOOK_CHANGE = object({}, { url: URL, events: EVENTS, enabled: { type: 'boolean' } })

export const WEBHOOK_SECRET = object({
  secret: TEXT,
  /** False: the secret is the company's, shared by all its webhooks of the form dialect. */
  own: { type: 'boolean' },
})

const ADDED_WEBHOOK = object({ id: TEXT })

const ATTEMPTS_QUERY = object(
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
  /** Null: it is an event of the company. */
  email: TEXT_OR_NULL,
  /** The address that the event is about; null: it is about no single one, or it is no longer stored. */
  recipient: TEXT_OR_NULL,
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
export type AttemptJson = Static<typeof ATTEMPT>

const ATTEMPTS = object({ data: { type: 'array', items: ATTEMPT }, more: { type: 'boolean' } })

const MESSAGE = object({
  status: { enum: ['pending', 'attempting', 'success', 'failed', 'unknown'] },
  nextAt: TIME_OR_NULL,
  /** The body as sent, indented. */
  body: TEXT,
})

const REPLAY = object(
  {
    since: { type: 'string', maxLength: 40 },
    what: { enum: ['failed', 'everything'] },
  },
  {
    /** `next` of an earlier answer: continues where that one ended. */
    from: { type: 'string', maxLength: 100 },
  },
)

const REPLAYED = object({
  /** Messages that are sent again; null: not counted. */
  told: INTEGER_OR_NULL,
  /** More remains: repeat the request with this as `from`. */
  next: TEXT_OR_NULL,
})

const TEST = object({ event: { type: 'string', maxLength: 100 } })

const TESTED = object({
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

export const WEBHOOK_ROUTES = {
  ...routes('company', {
    'GET /companies/:company/webhooks': { operation: 'webhooks', query: WEBHOOKS_QUERY, answer: WEBHOOKS },
    'POST /companies/:company/webhooks': {
      operation: 'webhook_change',
      body: NEW_WEBHOOK,
      status: 201,
      answer: ADDED_WEBHOOK,
    },
    'GET /companies/:company/webhooks/:id': { operation: 'webhooks', answer: WEBHOOK },
    'PATCH /companies/:company/webhooks/:id': {
      operation: 'webhook_change',
      body: WEBHOOK_CHANGE,
      answer: WEBHOOK,
    },
    'DELETE /companies/:company/webhooks/:id': { operation: 'webhook_change', answer: DONE },
    'GET /companies/:company/webhooks/:id/secret': { operation: 'webhook_secret', answer: WEBHOOK_SECRET },
    /** Makes another secret, of the webhook or of its company. */
    'POST /companies/:company/webhooks/:id/secret': { operation: 'webhook_secret', answer: WEBHOOK_SECRET },
  }),
  ...routes('person', { 'GET /webhook-words': { operation: 'webhooks', answer: WEBHOOK_WORDS } }),
} as const

export const WEBHOOK_MESSAGE_ROUTES = routes('company', {
  'GET /companies/:company/webhooks/:id/attempts': {
    operation: 'webhook_attempts',
    query: ATTEMPTS_QUERY,
    answer: ATTEMPTS,
  },
  'GET /companies/:company/webhooks/:id/messages/:message': {
    operation: 'webhook_message',
    answer: MESSAGE,
  },
  'POST /companies/:company/webhooks/:id/messages/:message/replay': {
    operation: 'webhook_replay',
    answer: DONE,
  },
  'POST /companies/:company/webhooks/:id/replay': {
    operation: 'webhook_replay',
    body: REPLAY,
    answer: REPLAYED,
  },
  'POST /companies/:company/webhooks/:id/test': { operation: 'webhook_test', body: TEST, answer: TESTED },
})
