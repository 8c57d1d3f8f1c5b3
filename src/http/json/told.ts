/** What the OpenAPI document says of the routes of this dialect that are written by hand. */
import type { Described, Told } from '../endpoint.ts'
import { ERROR_BODY } from '../error-body.ts'
import { MAX_EMAILS } from './emails/batch-job.ts'
import { DOWNLOAD_PATH } from './emails/download.ts'

const text = (description: string) => ({ type: 'string', description }) as const
const addresses = (description: string) =>
  ({
    description,
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }],
  }) as const
const list = { type: 'array', items: { type: 'string' } } as const

const ATTACHMENT = {
  type: 'object',
  required: ['filename'],
  properties: {
    filename: text('Name of the file.'),
    content: {
      description: 'The file: base64, or its octets as numbers. It, or `path`, is needed.',
      anyOf: [
        { type: 'string' },
        { type: 'array', items: { type: 'integer', minimum: 0, maximum: 255 } },
        {
          type: 'object',
          required: ['type', 'data'],
          properties: { type: { const: 'Buffer' }, data: { type: 'array', items: { type: 'integer' } } },
        },
      ],
    },
    path: text('A URL from which the service fetches the file before it answers.'),
    content_type: text('Media type; without it that of the file name.'),
    content_id: text('Makes it an inline file that html refers to as `cid:...`.'),
  },
} as const

const TAGS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'value'],
    properties: { name: { type: 'string' }, value: { type: 'string' } },
  },
} as const

const EMAIL = {
  type: 'object',
  required: ['from', 'to'],
  description: '`html` or `text` is needed. What is not named here is passed over.',
  properties: {
    from: text(
      'The sender, `a@example.com` or `Name <a@example.com>`, from a sending domain of the company.',
    ),
    to: addresses('Recipients; one text may name several, with commas.'),
    subject: text('Subject.'),
    html: text('HTML body.'),
    text: text('Plain text body; without it it is derived from `html`, and `""` asks for none.'),
    cc: addresses('Carbon copies.'),
    bcc: addresses('Blind carbon copies.'),
    reply_to: addresses('Where answers go.'),
    headers: {
      type: 'object',
      description: 'Custom header fields: name to value.',
      additionalProperties: { type: 'string' },
    },
    attachments: { type: 'array', items: ATTACHMENT },
    tags: TAGS,
    scheduled_at: text(
      'Not before: ISO 8601 with a zone, or a phrase like `in 1 hour`; at most 30 days ahead.',
    ),
  },
} as const

const SENT = {
  description: 'The email is on disk, and will be delivered.',
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id: { type: 'string', format: 'uuid' } },
} as const

const IDEMPOTENCY = {
  type: 'object',
  properties: {
    'idempotency-key': text(
      'The same key with the same body within a day: the same answer, and nothing is sent twice.',
    ),
  },
} as const

const BATCH = {
  description: 'Those accepted, in their order.',
  type: 'object',
  additionalProperties: false,
  required: ['data'],
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id'],
        properties: { id: { type: 'string', format: 'uuid' } },
      },
    },
    errors: {
      type: 'array',
      description: 'Those refused, where the others were accepted.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['index', 'message'],
        properties: { index: { type: 'integer', minimum: 0 }, message: { type: 'string' } },
      },
    },
  },
} as const

const STORED = {
  description: 'The email.',
  type: 'object',
  additionalProperties: false,
  required: [
    ...[
      'object',
      'id',
      'from',
      'to',
      'cc',
      'bcc',
      'reply_to',
      'subject',
      'html',
      'text',
      'created_at',
      'last_event',
    ],
    ...['message_id', 'scheduled_at', 'tags'],
  ],
  properties: {
    object: { const: 'email' },
    id: { type: 'string', format: 'uuid' },
    from: { type: 'string' },
    to: list,
    cc: list,
    bcc: list,
    reply_to: { anyOf: [list, { type: 'null' }] },
    subject: { type: 'string' },
    html: { type: 'string' },
    text: { type: 'string' },
    created_at: text('ISO 8601 with a UTC offset.'),
    last_event: {
      enum: [
        ...[
          'queued',
          'scheduled',
          'sent',
          'delivered',
          'delivery_delayed',
          'bounced',
          'complained',
          'opened',
        ],
        ...['clicked', 'failed', 'suppressed', 'canceled'],
      ],
    },
    message_id: text('Message-ID with angle brackets.'),
    scheduled_at: { type: ['string', 'null'] },
    tags: TAGS,
  },
} as const

const send = (url: string, schema: { operationId: string; summary: string }): Described => ({
  method: 'POST',
  url,
  access: 'sending',
  schema: { ...schema, headers: IDEMPOTENCY, body: EMAIL, response: { 200: SENT } },
})

export const jsonTold: Told = {
  tag: 'JSON dialect',
  scheme: 'bearer',
  error: ERROR_BODY,
  described: [
    send('/emails', { operationId: 'sendEmail', summary: 'Send an email' }),
    send('/email', {
      operationId: 'sendEmailOldPath',
      summary: 'Send an email, at the path of the oldest clients',
    }),
    {
      method: 'POST',
      url: '/emails/batch',
      access: 'sending',
      schema: {
        operationId: 'sendBatch',
        summary: `Send up to ${MAX_EMAILS} emails, in one commit`,
        headers: {
          type: 'object',
          properties: {
            ...IDEMPOTENCY.properties,
            'x-batch-validation': {
              enum: ['strict', 'permissive'],
              description: 'Whether all are refused with one (`strict`, as without it), or that one alone.',
            },
          },
        },
        body: { type: 'array', minItems: 1, maxItems: MAX_EMAILS, items: EMAIL },
        response: { 200: BATCH },
      },
    },
    {
      method: 'GET',
      url: '/emails/:id',
      access: 'key',
      schema: {
        operationId: 'readEmail',
        summary: 'Read an email back',
        description: 'With `reading` any of the company, with `sending` those that this key sent.',
        params: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
        response: { 200: STORED },
      },
    },
    {
      method: 'GET',
      url: DOWNLOAD_PATH,
      access: 'anybody',
      schema: {
        operationId: 'downloadAttachment',
        summary: 'The octets of a file, for who has a link to it',
        params: {
          type: 'object',
          required: ['id', 'attachment'],
          properties: { id: { type: 'string' }, attachment: { type: 'string' } },
        },
        querystring: {
          type: 'object',
          required: ['expires', 'signature'],
          properties: { expires: text('Unix seconds.'), signature: { type: 'string' } },
        },
        response: {
          200: {
            description: 'The file.',
            content: { 'application/octet-stream': { schema: { type: 'string' } } },
          },
        },
      },
    },
  ],
}
