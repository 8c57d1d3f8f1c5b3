/** One email: what became of it, and what is in it. */
const TEXT = { type: 'string' } as const
const OPTIONAL_TEXT = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const
const OPTIONAL_COUNT = { anyOf: [{ type: 'integer' }, { type: 'null' }] } as const
const TEXTS = { type: 'array', items: TEXT } as const

const DETAIL = {
  type: 'object',
  additionalProperties: false,
  required: [],
  properties: {
    code: { type: 'integer' },
    enhancedCode: TEXT,
    message: TEXT,
    server: TEXT,
    nextAttemptAt: TEXT,
    attempt: { type: 'integer' },
    tls: TEXT,
    reportId: TEXT,
    suppressedBy: TEXT,
  },
} as const

const RECIPIENT = {
  type: 'object',
  additionalProperties: false,
  required: ['position', 'address', 'kind', 'state', 'attempts', 'code', 'message', 'server', 'waits', 'at'],
  properties: {
    position: { type: 'integer' },
    address: TEXT,
    kind: { enum: ['to', 'cc', 'bcc'] },
    state: {
      enum: ['waiting', 'sending', 'quarantined', 'delivered', 'bounced', 'failed', 'suppressed', 'canceled'],
    },
    attempts: { type: 'integer' },
    code: OPTIONAL_COUNT,
    message: OPTIONAL_TEXT,
    server: OPTIONAL_TEXT,
    /** What it waits for; null: nothing follows. */
    waits: {
      enum: ['turn', 'retry', 'schedule', 'pause', 'domain', 'path', 'answer', 'release', null],
    },
    /** When that comes; null: nobody knows. */
    at: OPTIONAL_TEXT,
  },
} as const

const EVENT = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'at', 'recipient', 'detail'],
  properties: { type: TEXT, at: TEXT, recipient: OPTIONAL_COUNT, detail: DETAIL },
} as const

const ATTEMPT = {
  type: 'object',
  additionalProperties: false,
  required: ['recipients', 'startedAt', 'duration', 'server', 'tls', 'dialogue'],
  properties: {
    recipients: { type: 'array', items: { type: 'integer' } },
    startedAt: TEXT,
    /** Milliseconds. */
    duration: { type: 'number' },
    server: OPTIONAL_TEXT,
    tls: OPTIONAL_TEXT,
    dialogue: TEXT,
  },
} as const

export const EMAIL_DETAIL = {
  type: 'object',
  additionalProperties: false,
  required: [
    'id',
    'company',
    'domain',
    'keyId',
    'messageId',
    'from',
    'to',
    'cc',
    'bcc',
    'replyTo',
    'subject',
    'createdAt',
    'scheduledAt',
    'lastEvent',
    'size',
    'tags',
    'variables',
    'testMode',
    'contentRemoved',
    'mostAttempts',
    'recipients',
    'events',
    'attempts',
    'states',
  ],
  properties: {
    id: TEXT,
    company: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'name'],
      properties: { id: TEXT, name: TEXT },
    },
    domain: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'name'],
      properties: { id: TEXT, name: OPTIONAL_TEXT },
    },
    keyId: TEXT,
    messageId: TEXT,
    from: TEXT,
    to: TEXTS,
    cc: TEXTS,
    bcc: TEXTS,
    replyTo: TEXTS,
    subject: TEXT,
    createdAt: TEXT,
    scheduledAt: OPTIONAL_TEXT,
    lastEvent: TEXT,
    /** Octets. */
    size: { type: 'integer' },
    tags: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'value'],
        properties: { name: TEXT, value: TEXT },
      },
    },
    variables: { type: 'object', additionalProperties: TEXT },
    testMode: { type: 'boolean' },
    contentRemoved: { type: 'boolean' },
    /** After so many a recipient is given up. */
    mostAttempts: { type: 'integer' },
    recipients: { type: 'array', items: RECIPIENT },
    /** Of all recipients: how many are in each state. Those from a position on are given, a page of them. */
    states: { type: 'object', additionalProperties: { type: 'integer' } },
    events: { type: 'array', items: EVENT },
    attempts: { type: 'array', items: ATTEMPT },
  },
} as const

export const NEIGHBOURS = {
  type: 'object',
  additionalProperties: false,
  required: ['newer', 'older'],
  properties: { newer: OPTIONAL_TEXT, older: OPTIONAL_TEXT },
} as const

const FILE = {
  type: 'object',
  additionalProperties: false,
  required: ['position', 'filename', 'contentType', 'disposition', 'contentId', 'size', 'picture'],
  properties: {
    position: { type: 'integer' },
    filename: TEXT,
    contentType: TEXT,
    disposition: { enum: ['inline', 'attachment'] },
    contentId: OPTIONAL_TEXT,
    size: { type: 'integer' },
    /** It can be shown. */
    picture: { type: 'boolean' },
  },
} as const

export const CONTENT = {
  type: 'object',
  additionalProperties: false,
  required: ['removed', 'ready', 'individual', 'html', 'text', 'amp', 'clipped', 'headers', 'files'],
  properties: {
    removed: { type: 'boolean' },
    /** It came as a ready message. */
    ready: { type: 'boolean' },
    /** Each recipient gets a copy of its own. */
    individual: { type: 'boolean' },
    html: OPTIONAL_TEXT,
    text: OPTIONAL_TEXT,
    amp: OPTIONAL_TEXT,
    /** Of these the beginning alone is given. */
    clipped: { type: 'array', items: { enum: ['html', 'text', 'amp'] } },
    /** Header fields that the sender gave. */
    headers: { type: 'array', items: { type: 'array', items: TEXT } },
    files: { type: 'array', items: FILE },
  },
} as const

export const SOURCE = {
  type: 'object',
  additionalProperties: false,
  required: ['addresses', 'size', 'text', 'clipped', 'fields', 'parts', 'signatures', 'trouble'],
  properties: {
    /** Whom this copy is for. */
    addresses: TEXTS,
    size: { type: 'integer' },
    text: TEXT,
    clipped: { type: 'boolean' },
    /** Its header, unfolded. */
    fields: { type: 'array', items: { type: 'array', items: TEXT } },
    /** In reading order. */
    parts: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['depth', 'type', 'encoding', 'disposition', 'filename', 'charset', 'size', 'start'],
        properties: {
          depth: { type: 'integer' },
          type: TEXT,
          encoding: TEXT,
          disposition: TEXT,
          filename: TEXT,
          charset: TEXT,
          /** Octets, encoded. */
          size: { type: 'integer' },
          /** Line in the source, from 1. */
          start: { type: 'integer' },
        },
      },
    },
    /** DKIM (RFC 6376 3.5), tag by tag. */
    signatures: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['domain', 'selector', 'algorithm', 'canonicalization', 'headers', 'tags', 'own'],
        properties: {
          domain: TEXT,
          selector: TEXT,
          algorithm: TEXT,
          canonicalization: TEXT,
          headers: TEXTS,
          tags: { type: 'array', items: { type: 'array', items: TEXT } },
          /** The key is one of this company's. */
          own: { type: 'boolean' },
        },
      },
    },
    /** Why the structure cannot be told. */
    trouble: OPTIONAL_TEXT,
  },
} as const

export const CHANGED = {
  type: 'object',
  additionalProperties: false,
  required: ['changed'],
  properties: {
    /** Recipients. */
    changed: { type: 'integer' },
  },
} as const

export const SUPPRESS = {
  type: 'object',
  additionalProperties: false,
  required: ['position'],
  properties: { position: { type: 'integer', minimum: 0 }, reason: { type: 'string', maxLength: 1000 } },
} as const

export const SEND_AGAIN = {
  type: 'object',
  additionalProperties: false,
  required: ['click'],
  properties: {
    /** The same for each try of one click: it sends once. */
    click: { type: 'string', pattern: '^[\\w-]{8,64}$' },
    /** To others; absent: to the same. */
    to: { type: 'string', maxLength: 2000 },
  },
} as const

export const SENT = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id: TEXT },
} as const

/** Of links and images: the page asks for a few at a time. */
export const REACH = {
  type: 'object',
  additionalProperties: false,
  required: ['urls'],
  properties: {
    urls: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 2048 } },
  },
} as const

export const REACHED = {
  type: 'object',
  additionalProperties: false,
  required: ['answers'],
  properties: {
    /** In the order of what was asked. */
    answers: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['url', 'outcome', 'status', 'detail'],
        properties: {
          url: TEXT,
          outcome: { enum: ['answered', 'moved', 'missing', 'refused', 'unreachable'] },
          status: OPTIONAL_COUNT,
          /** In words. */
          detail: TEXT,
        },
      },
    },
  },
} as const

export const OF_EMAIL = {
  type: 'object',
  required: ['company', 'email'],
  properties: { company: TEXT, email: TEXT },
} as const
