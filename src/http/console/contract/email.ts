/** One email: its events, attempts and content. */
import { EVENT_TYPES, LAST_EVENT_TYPES } from '../../../email/event.ts'
import { OWED_STEPS } from '../../../email/owed-answer.ts'
import { BOUNCE_CATEGORIES } from '../../../mail/reply/category.ts'
import { WAIT_REASONS } from '../../../operate/status-sentence.ts'
import { PATH_NAME, WORD } from '../../bounds.ts'
import { STATUS_COUNTS } from './emails.ts'
import { routes } from './route.ts'
import {
  BATCH,
  BATCH_RESULT,
  INTEGER,
  INTEGER_OR_NULL,
  object,
  orNull,
  RECIPIENT_STATES,
  TEXT,
  TEXT_OR_NULL,
} from './shapes.ts'

const TEXTS = { type: 'array', items: TEXT } as const

const DETAIL = object(
  {},
  {
    code: INTEGER,
    enhancedCode: TEXT,
    message: TEXT,
    category: { enum: BOUNCE_CATEGORIES },
    permanent: { type: 'boolean' },
    server: TEXT,
    nextAttemptAt: TEXT,
    attempt: INTEGER,
    tls: TEXT,
    reportId: TEXT,
    suppressedBy: TEXT,
  },
)

const RECIPIENT = object({
  position: INTEGER,
  address: TEXT,
  kind: { enum: ['to', 'cc', 'bcc'] },
  state: { enum: RECIPIENT_STATES },
  attempts: INTEGER,
  /** All attempts, including attempts that do not count; null: there are more attempts than the answer lists. */
  tries: INTEGER_OR_NULL,
  /** An attempt has ended without a final state, or was left out because other mail met the same trouble. */
  delayed: { type: 'boolean' },
  code: INTEGER_OR_NULL,
  message: TEXT_OR_NULL,
  server: TEXT_OR_NULL,
  /** It bounced after a server had accepted the message. */
  returned: { type: 'boolean' },
  /**
   * The category of the last refusal, delay or end; null: there was none, or it is not among the events of this answer.
   */
  category: { enum: [...BOUNCE_CATEGORIES, null] },
  /** The cause of the wait; null: the recipient waits for nothing. */
  waits: { enum: [...WAIT_REASONS, null] },
  /** The end of the wait; null: unknown. */
  at: TEXT_OR_NULL,
  /** The time at which Postroad gives up delivery to the recipient; null: unknown. */
  givesUpAt: TEXT_OR_NULL,
  /** The closed path that it waits for: its site, and the only mail concerned; null: none, or all. */
  closed: orNull(object({ name: TEXT, whose: TEXT_OR_NULL, to: TEXT_OR_NULL })),
  /** The operator's words, if it waits for the end of a pause. */
  pauseReason: TEXT_OR_NULL,
  /** The answer of its server for which the attempt under way waits; null: none, or not known. */
  owed: orNull(object({ server: TEXT, step: { enum: OWED_STEPS }, since: TEXT, until: TEXT })),
  /** Another node that has it; null: none, or not known. */
  node: TEXT_OR_NULL,
})

const EVENT = object({ type: { enum: EVENT_TYPES }, at: TEXT, recipient: INTEGER_OR_NULL, detail: DETAIL })

const ATTEMPT_TLS = object({
  /** Null: not encrypted. */
  version: TEXT_OR_NULL,
  cipher: TEXT_OR_NULL,
  demand: { enum: ['none', 'opportunistic', 'required', 'verified'] },
  source: { enum: ['default', 'route', 'site', 'message', 'domain', 'mta-sts', 'dane'] },
  verified: { type: 'boolean' },
  doubt: TEXT_OR_NULL,
})

const ATTEMPT = object({
  /** Identifies the attempt when its dialogue is read. */
  id: INTEGER,
  /** Positions of recipients that are in the same answer. */
  recipients: { type: 'array', items: INTEGER },
  startedAt: TEXT,
  /** Milliseconds. */
  duration: { type: 'number' },
  /** The address that it was made from; null: the system chose it. */
  source: TEXT_OR_NULL,
  server: TEXT_OR_NULL,
  /** Null: no server was reached. */
  tls: orNull(ATTEMPT_TLS),
  /** Code and enhanced code of the reply that decided the attempt, or its fault; null: no server replied. */
  result: TEXT_OR_NULL,
})

const DIALOGUE = object({ dialogue: TEXT })

export const EMAIL_DETAIL = object({
  id: TEXT,
  company: object({ id: TEXT, name: TEXT }),
  domain: object({ id: TEXT, name: TEXT_OR_NULL }),
  keyId: TEXT,
  messageId: TEXT,
  from: TEXT,
  to: TEXTS,
  cc: TEXTS,
  bcc: TEXTS,
  replyTo: TEXTS,
  subject: TEXT,
  createdAt: TEXT,
  scheduledAt: TEXT_OR_NULL,
  lastEvent: { enum: LAST_EVENT_TYPES },
  /** Octets. */
  size: INTEGER,
  tags: {
    type: 'array',
    items: object({ name: TEXT, value: TEXT }),
  },
  variables: { type: 'object', additionalProperties: TEXT },
  testMode: { type: 'boolean' },
  contentRemoved: { type: 'boolean' },
  /** Attempts after which a recipient fails permanently. */
  mostAttempts: INTEGER,
  recipients: { type: 'array', items: RECIPIENT },
  /** The number of recipients in each state, over all recipients. The list has one page of recipients. */
  states: { type: 'object', additionalProperties: INTEGER },
  /** The counts are those of the row in the list. */
  statuses: STATUS_COUNTS,
  events: { type: 'array', items: EVENT },
  attempts: { type: 'array', items: ATTEMPT },
})

const NEIGHBOURS = object({ newer: TEXT_OR_NULL, older: TEXT_OR_NULL })

const FILE = object({
  position: INTEGER,
  filename: TEXT,
  contentType: TEXT,
  disposition: { enum: ['inline', 'attachment'] },
  contentId: TEXT_OR_NULL,
  size: INTEGER,
  /** True: an image that the page can show. */
  picture: { type: 'boolean' },
})

export const CONTENT = object({
  removed: { type: 'boolean' },
  /** The email was submitted as a ready message. */
  ready: { type: 'boolean' },
  /** Each recipient gets a separate copy. */
  individual: { type: 'boolean' },
  /** Values by address, for as many of the first recipients as fit; null: the email has no such values. */
  recipientVariables: orNull({
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: TEXT },
  }),
  html: TEXT_OR_NULL,
  text: TEXT_OR_NULL,
  amp: TEXT_OR_NULL,
  /** Bodies of which only the beginning is included. */
  clipped: { type: 'array', items: { enum: ['html', 'text', 'amp'] } },
  /** Header fields set by the sender. */
  headers: { type: 'array', items: { type: 'array', items: TEXT } },
  files: { type: 'array', items: FILE },
})

/** The address of the recipient whose copy is read: in batch mail each copy differs. */
const COPY_QUERY = object({}, { recipient: { type: 'string', maxLength: 1000 } })

/** The text for mail programs that show no HTML. */
export const COPY_TEXT = object({
  text: TEXT_OR_NULL,
  /** Only the beginning is included. */
  clipped: { type: 'boolean' },
  /** The reason why the text cannot be read. */
  trouble: TEXT_OR_NULL,
})

export const SOURCE = object({
  /** The recipients of this copy. */
  addresses: TEXTS,
  size: INTEGER,
  text: TEXT,
  clipped: { type: 'boolean' },
  /** The header fields, unfolded. */
  fields: { type: 'array', items: { type: 'array', items: TEXT } },
  /** In reading order. */
  parts: {
    type: 'array',
    items: object({
      depth: INTEGER,
      type: TEXT,
      encoding: TEXT,
      disposition: TEXT,
      filename: TEXT,
      charset: TEXT,
      /** Octets of the encoded part. */
      size: INTEGER,
      /** Line in the source, from 1. */
      start: INTEGER,
    }),
  },
  /** DKIM (RFC 6376 3.5), tag by tag. */
  signatures: {
    type: 'array',
    items: object({
      domain: TEXT,
      selector: TEXT,
      algorithm: TEXT,
      canonicalization: TEXT,
      headers: TEXTS,
      tags: { type: 'array', items: { type: 'array', items: TEXT } },
      /** Its key, if the company has it: the id of the domain, and the name of the record. */
      key: orNull(object({ domain: TEXT, record: TEXT })),
    }),
  },
  /** The reason why the structure cannot be read. */
  trouble: TEXT_OR_NULL,
})

const CHANGED = object({
  /** The number of recipients that were changed. */
  changed: INTEGER,
})

/** Chosen recipients of the email: an `id` in the answer is a position. */
const CHOSEN = object({
  positions: {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: { type: 'integer', minimum: 0, maximum: 9_999_999 },
  },
})

const SUPPRESS = object(
  { position: { type: 'integer', minimum: 0 } },
  { reason: { type: 'string', maxLength: 1000 } },
)

const SEND_AGAIN = object(
  {
    /** Identifies one click. All retries of the click carry the same value, so that the email is sent only once. */
    click: { type: 'string', maxLength: 64, pattern: '^[\\w-]{8,64}$' },
  },
  {
    /** Other recipients; absent: the same ones. */
    to: { type: 'string', maxLength: 2000 },
  },
)

const SENT = object({ id: TEXT })

/** URLs of links and images: the page checks a few at a time. */
const REACH = object({
  urls: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 2048 } },
})

const REACHED = object({
  /** In the order of the request. */
  answers: {
    type: 'array',
    items: object({
      url: TEXT,
      outcome: { enum: ['answered', 'moved', 'missing', 'refused', 'unreachable'] },
      status: INTEGER_OR_NULL,
      /** A sentence. */
      detail: TEXT,
    }),
  },
})

export const EMAIL_ROUTES = routes('company', {
  'GET /companies/:company/emails/:email': {
    operation: 'email_read',
    query: object({}, { from: { type: 'integer', minimum: 0, maximum: 1_000_000 } }),
    answer: EMAIL_DETAIL,
  },
  'GET /companies/:company/emails/:email/attempts/:attempt': {
    operation: 'email_dialogue',
    params: { attempt: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } },
    answer: DIALOGUE,
  },
  /** The next newer and the next older email of the company. */
  'GET /companies/:company/emails/:email/neighbours': { operation: 'email_neighbours', answer: NEIGHBOURS },
  'GET /companies/:company/emails/:email/content': { operation: 'email_content', answer: CONTENT },
})

export const EMAIL_SOURCE_ROUTES = routes('company', {
  'GET /companies/:company/emails/:email/source': {
    operation: 'email_source',
    query: COPY_QUERY,
    answer: SOURCE,
  },
  'GET /companies/:company/emails/:email/text': {
    operation: 'email_text',
    query: COPY_QUERY,
    answer: COPY_TEXT,
  },
})

/** `1` means yes. */
const FLAG = WORD

export const EMAIL_DOCUMENT_ROUTES = routes('company', {
  'GET /companies/:company/emails/:email/preview': {
    operation: 'email_preview',
    query: object({}, { ...COPY_QUERY.properties, remote: FLAG }),
    answer: 'document',
  },
  'GET /companies/:company/emails/:email/files/:position': {
    operation: 'email_file',
    query: object({}, { shown: FLAG }),
    answer: 'document',
  },
  'GET /companies/:company/emails/:email/source.eml': {
    operation: 'email_source_file',
    query: COPY_QUERY,
    answer: 'document',
  },
})

/** The confirmation page for a link in an email. */
export const EXTERNAL_LINK_ROUTES = routes('stranger', {
  'GET /leave': {
    operation: 'leave',
    query: object({}, { to: PATH_NAME, s: WORD, until: WORD, again: WORD }),
    answer: 'document',
  },
})

const CLEARED = object({
  deleted: INTEGER,
  /** Emails that are not sent yet. */
  kept: INTEGER,
})

export const EMAIL_ACTION_ROUTES = routes('company', {
  'POST /companies/:company/emails/retry': { operation: 'email_retry', body: BATCH, answer: BATCH_RESULT },
  'POST /companies/:company/emails/cancel': { operation: 'email_cancel', body: BATCH, answer: BATCH_RESULT },
  /** All recipients of the emails. */
  'POST /companies/:company/emails/suppress': {
    operation: 'email_suppress',
    body: BATCH,
    answer: BATCH_RESULT,
  },
  /** Deletion works in capture mode only. */
  'POST /companies/:company/emails/delete': { operation: 'email_delete', body: BATCH, answer: BATCH_RESULT },
  'POST /companies/:company/emails/clear': { operation: 'email_delete', answer: CLEARED },
  'POST /companies/:company/emails/:email/retry': { operation: 'email_retry', answer: CHANGED },
  'POST /companies/:company/emails/:email/cancel': { operation: 'email_cancel', answer: CHANGED },
  'POST /companies/:company/emails/:email/recipients/retry': {
    operation: 'email_retry',
    body: CHOSEN,
    answer: BATCH_RESULT,
  },
  'POST /companies/:company/emails/:email/recipients/cancel': {
    operation: 'email_cancel',
    body: CHOSEN,
    answer: BATCH_RESULT,
  },
  'POST /companies/:company/emails/:email/recipients/suppress': {
    operation: 'email_suppress',
    body: CHOSEN,
    answer: BATCH_RESULT,
  },
  'POST /companies/:company/emails/:email/release': { operation: 'email_release', answer: CHANGED },
  'POST /companies/:company/emails/:email/suppress': {
    operation: 'email_suppress',
    body: SUPPRESS,
    answer: CHANGED,
  },
  'POST /companies/:company/emails/:email/again': {
    operation: 'email_again',
    body: SEND_AGAIN,
    answer: SENT,
  },
  /** Checks whether the links of the email can be reached. */
  'POST /companies/:company/emails/:email/reach': { operation: 'email_reach', body: REACH, answer: REACHED },
})
