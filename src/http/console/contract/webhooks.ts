/** Webhooks: who is told, and what became of each try. */
import type { Static } from 'typebox'
import { EVENT_TYPES } from '../../../email/event.ts'
import { TEXT, TEXT_OR_NULL, TIME, TIME_OR_NULL } from './shapes.ts'

const DIALECT = { enum: ['json', 'form'] } as const
const TYPE = { enum: EVENT_TYPES } as const
export const NOTHING = { type: 'object', additionalProperties: false, properties: {} } as const

export const OF_WEBHOOK = {
  type: 'object',
  required: ['company', 'id'],
  properties: { company: TEXT, id: TEXT },
} as const

export const OF_MESSAGE = {
  type: 'object',
  required: ['company', 'id', 'message'],
  properties: { company: TEXT, id: TEXT, message: TEXT },
} as const

const WEBHOOK_PROPERTIES = {
  id: TEXT,
  company: TEXT,
  /** Its name, or its id where it was removed; null: of all domains. */
  domain: TEXT_OR_NULL,
  dialect: DIALECT,
  url: TEXT,
  events: { type: 'array', items: TEXT },
  /** All there are, also those to come. */
  everything: { type: 'boolean' },
  status: { enum: ['enabled', 'disabled'] },
  createdAt: TIME,
  rotatedAt: TIME_OR_NULL,
  failingSince: TIME_OR_NULL,
  disabledAt: TIME_OR_NULL,
  disabledReason: TEXT_OR_NULL,
  /** When the oldest event happened that it has still to be told; null: it has been told all. */
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

export const WEBHOOK_PAGE = {
  type: 'object',
  additionalProperties: false,
  required: ['limit'],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    /** Id: only those made before it. */
    after: { type: 'string', maxLength: 100 },
  },
} as const

export const WEBHOOKS = {
  type: 'object',
  additionalProperties: false,
  required: ['data', 'more'],
  properties: { data: { type: 'array', items: WEBHOOK }, more: { type: 'boolean' } },
} as const

/** What a dialect can tell: its words, and the types of events that each stands for. */
const WORDS = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['word', 'types'],
    properties: { word: TEXT, types: { type: 'array', items: TYPE } },
  },
} as const

export const WEBHOOK_WORDS = {
  type: 'object',
  additionalProperties: false,
  required: ['json', 'form'],
  properties: { json: WORDS, form: WORDS },
} as const
export type WebhookWords = Static<typeof WEBHOOK_WORDS>

const URL = { type: 'string', minLength: 1, maxLength: 2_000 } as const
/** None: everything. */
const EVENTS = { type: 'array', maxItems: 50, items: { type: 'string', maxLength: 100 } } as const

export const NEW_WEBHOOK = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'dialect', 'events'],
  properties: { url: URL, dialect: DIALECT, events: EVENTS, domain: { type: 'string', maxLength: 255 } },
} as const
export type NewWebhook = Static<typeof NEW_WEBHOOK>

export const WEBHOOK_CHANGE = {
  type: 'object',
  additionalProperties: false,
  properties: { url: URL, events: EVENTS, enabled: { type: 'boolean' } },
} as const
export type WebhookChanged = Static<typeof WEBHOOK_CHANGE>

export const WEBHOOK_SECRET = {
  type: 'object',
  additionalProperties: false,
  required: ['secret', 'own'],
  properties: {
    secret: TEXT,
    /** False: it is that of the company, for all its webhooks of the form dialect. */
    own: { type: 'boolean' },
  },
} as const

export const ADDED_WEBHOOK = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id: TEXT },
} as const

export const ATTEMPTS_WANTED = {
  type: 'object',
  additionalProperties: false,
  required: ['limit'],
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
    result: { enum: ['failed', 'succeeded'] },
    /** Only of this message. */
    message: { type: 'string', maxLength: 100 },
    /** Only attempts older than this one. */
    before: { type: 'string', maxLength: 100 },
  },
} as const

const ATTEMPT = {
  type: 'object',
  additionalProperties: false,
  required: [
    ...(['id', 'message', 'type', 'word', 'email', 'attempt', 'at', 'duration', 'succeeded'] as const),
    ...(['status', 'error', 'response', 'nextAt'] as const),
  ],
  properties: {
    id: TEXT,
    /** What its receiver sees; the same at each try. */
    message: TEXT,
    type: TYPE,
    /** What the dialect calls the type. */
    word: TEXT,
    email: TEXT,
    attempt: { type: 'integer' },
    at: TIME,
    /** Ms. */
    duration: { type: 'integer' },
    succeeded: { type: 'boolean' },
    /** Of HTTP; null: no answer came, and `error` says why. */
    status: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    error: TEXT_OR_NULL,
    /** How the answer began. */
    response: TEXT,
    nextAt: TIME_OR_NULL,
  },
} as const
export type AttemptShown = Static<typeof ATTEMPT>

export const ATTEMPTS = {
  type: 'object',
  additionalProperties: false,
  required: ['data', 'more'],
  properties: { data: { type: 'array', items: ATTEMPT }, more: { type: 'boolean' } },
} as const

export const MESSAGE = {
  type: 'object',
  additionalProperties: false,
  required: ['status', 'nextAt', 'body'],
  properties: {
    status: { enum: ['pending', 'attempting', 'success', 'failed', 'unknown'] },
    nextAt: TIME_OR_NULL,
    /** As it is sent, set out in lines. */
    body: TEXT,
  },
} as const
export type MessageShown = Static<typeof MESSAGE>

export const REPLAY = {
  type: 'object',
  additionalProperties: false,
  required: ['since', 'what'],
  properties: {
    since: { type: 'string', maxLength: 40 },
    what: { enum: ['failed', 'everything'] },
    /** Goes on where an answer ended. */
    from: { type: 'string', maxLength: 100 },
  },
} as const

export const REPLAYED = {
  type: 'object',
  additionalProperties: false,
  required: ['told', 'next'],
  properties: {
    /** Messages that are told again; null: they are not counted. */
    told: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    /** There is more to look through: ask again, from here. */
    next: TEXT_OR_NULL,
  },
} as const

export const TEST = {
  type: 'object',
  additionalProperties: false,
  required: ['event'],
  properties: { event: { type: 'string', maxLength: 100 } },
} as const

export const TESTED = {
  type: 'object',
  additionalProperties: false,
  required: ['body', 'headers', 'status', 'error', 'response', 'duration'],
  properties: {
    body: TEXT,
    headers: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'value'],
        properties: { name: TEXT, value: TEXT },
      },
    },
    status: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    error: TEXT_OR_NULL,
    response: TEXT,
    duration: { type: 'integer' },
  },
} as const
export type TestedShown = Static<typeof TESTED>
