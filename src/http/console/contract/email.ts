/** One email: what became of it, and what is in it. */
import { ID, INTEGER, INTEGER_OR_NULL, object, orNull, TEXT, TEXT_OR_NULL } from './shapes.ts'

const TEXTS = { type: 'array', items: TEXT } as const

const DETAIL = object(
  {},
  {
    code: INTEGER,
    enhancedCode: TEXT,
    message: TEXT,
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
  state: {
    enum: ['waiting', 'sending', 'quarantined', 'delivered', 'bounced', 'failed', 'suppressed', 'canceled'],
  },
  attempts: INTEGER,
  code: INTEGER_OR_NULL,
  message: TEXT_OR_NULL,
  server: TEXT_OR_NULL,
  /** What it waits for; null: nothing follows. */
  waits: {
    enum: ['turn', 'retry', 'schedule', 'pause', 'domain', 'path', 'answer', 'release', null],
  },
  /** When that comes; null: nobody knows. */
  at: TEXT_OR_NULL,
})

const EVENT = object({ type: TEXT, at: TEXT, recipient: INTEGER_OR_NULL, detail: DETAIL })

const ATTEMPT = object({
  /** Its dialogue is read by this. */
  id: INTEGER,
  /** Of those that are given with it. */
  recipients: { type: 'array', items: INTEGER },
  startedAt: TEXT,
  /** Milliseconds. */
  duration: { type: 'number' },
  server: TEXT_OR_NULL,
  tls: TEXT_OR_NULL,
})

export const DIALOGUE = object({ dialogue: TEXT })

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
  lastEvent: TEXT,
  /** Octets. */
  size: INTEGER,
  tags: {
    type: 'array',
    items: object({ name: TEXT, value: TEXT }),
  },
  variables: { type: 'object', additionalProperties: TEXT },
  testMode: { type: 'boolean' },
  contentRemoved: { type: 'boolean' },
  /** After so many a recipient is given up. */
  mostAttempts: INTEGER,
  recipients: { type: 'array', items: RECIPIENT },
  /** Of all recipients: how many are in each state. Those from a position on are given, a page of them. */
  states: { type: 'object', additionalProperties: INTEGER },
  events: { type: 'array', items: EVENT },
  attempts: { type: 'array', items: ATTEMPT },
})

export const NEIGHBOURS = object({ newer: TEXT_OR_NULL, older: TEXT_OR_NULL })

const FILE = object({
  position: INTEGER,
  filename: TEXT,
  contentType: TEXT,
  disposition: { enum: ['inline', 'attachment'] },
  contentId: TEXT_OR_NULL,
  size: INTEGER,
  /** It can be shown. */
  picture: { type: 'boolean' },
})

export const CONTENT = object({
  removed: { type: 'boolean' },
  /** It came as a ready message. */
  ready: { type: 'boolean' },
  /** Each recipient gets a copy of its own. */
  individual: { type: 'boolean' },
  /** By address, of the first recipients, as many as have room; null: there are none. */
  recipientVariables: orNull({
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: TEXT },
  }),
  html: TEXT_OR_NULL,
  text: TEXT_OR_NULL,
  amp: TEXT_OR_NULL,
  /** Of these the beginning alone is given. */
  clipped: { type: 'array', items: { enum: ['html', 'text', 'amp'] } },
  /** Header fields that the sender gave. */
  headers: { type: 'array', items: { type: 'array', items: TEXT } },
  files: { type: 'array', items: FILE },
})

/** Of whom the copy is, by address: of batch mail each has one of his own. */
export const COPY_QUERY = object({}, { recipient: { type: 'string', maxLength: 1000 } })

/** What who reads no HTML gets. */
export const COPY_TEXT = object({
  text: TEXT_OR_NULL,
  /** The beginning alone is given. */
  clipped: { type: 'boolean' },
  /** Why it cannot be read. */
  trouble: TEXT_OR_NULL,
})

export const SOURCE = object({
  /** Whom this copy is for. */
  addresses: TEXTS,
  size: INTEGER,
  text: TEXT,
  clipped: { type: 'boolean' },
  /** Its header, unfolded. */
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
      /** Octets, encoded. */
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
      /** The key is one of this company's. */
      own: { type: 'boolean' },
    }),
  },
  /** Why the structure cannot be told. */
  trouble: TEXT_OR_NULL,
})

export const CHANGED = object({
  /** Recipients. */
  changed: INTEGER,
})

export const SUPPRESS = object(
  { position: { type: 'integer', minimum: 0 } },
  { reason: { type: 'string', maxLength: 1000 } },
)

export const SEND_AGAIN = object(
  {
    /** The same for each try of one click: it sends once. */
    click: { type: 'string', maxLength: 64, pattern: '^[\\w-]{8,64}$' },
  },
  {
    /** To others; absent: to the same. */
    to: { type: 'string', maxLength: 2000 },
  },
)

export const SENT = object({ id: TEXT })

/** Of links and images: the page asks for a few at a time. */
export const REACH = object({
  urls: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 2048 } },
})

export const REACHED = object({
  /** In the order of what was asked. */
  answers: {
    type: 'array',
    items: object({
      url: TEXT,
      outcome: { enum: ['answered', 'moved', 'missing', 'refused', 'unreachable'] },
      status: INTEGER_OR_NULL,
      /** In words. */
      detail: TEXT,
    }),
  },
})

export const EMAIL_PARAMS = object({ company: ID, email: ID })
export const ATTEMPT_PARAMS = object({
  ...EMAIL_PARAMS.properties,
  attempt: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
})
