/** Request and answer schemas of the handwritten email routes, for their types and for the OpenAPI document. */
import type { Static } from 'typebox'
import { LAST_EVENT_TYPES } from '../../../email/event.ts'
import { object } from '../../object-schema.ts'

export const text = (description: string) => ({ type: 'string', description }) as const
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
    filename: {
      description: 'Name of the file. `false`: no name; it is then named by its media type.',
      anyOf: [{ type: 'string' }, { const: false }],
    },
    content: {
      description:
        'The file: base64, or its octets as numbers; with `text/calendar`, a string that is not base64 is the text itself. Either this or `path` is required.',
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
    content_type: text('Media type. Default: the media type of the file name.'),
    content_id: text('Makes it an inline file that html refers to as `cid:...`.'),
  },
} as const

/** Numbers and booleans are converted to text. */
const PLAIN = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] } as const

const TAGS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'value'],
    properties: { name: { type: 'string' }, value: PLAIN },
  },
} as const

export const EMAIL = {
  type: 'object',
  required: ['from', 'to'],
  description: '`html` or `text` is required. Fields not listed here are ignored.',
  examples: [
    {
      from: 'Acme <hello@example.com>',
      to: ['jane@example.net'],
      subject: 'Your order',
      html: '<p>It is on its way.</p>',
      attachments: [{ filename: 'order.txt', content: 'NDcxMQ==' }],
      tags: [{ name: 'kind', value: 'order' }],
    },
  ],
  properties: {
    from: text(
      'The sender, `a@example.com` or `Name <a@example.com>`, from a sending domain of the company.',
    ),
    to: addresses('Recipients; one string can hold several, separated by commas.'),
    subject: text('Subject.'),
    html: text('HTML body.'),
    text: text('Plain text body. Default: derived from `html`; `""` means none.'),
    cc: addresses('Carbon copies.'),
    bcc: addresses('Blind carbon copies.'),
    reply_to: addresses('Address for replies.'),
    headers: {
      type: 'object',
      description: 'Custom header fields: name to value.',
      additionalProperties: PLAIN,
    },
    attachments: { type: 'array', items: ATTACHMENT },
    tags: TAGS,
    scheduled_at: text(
      'When to send it: ISO 8601 with a zone, or a phrase like `in 1 hour`; at most 30 days ahead.',
    ),
  },
} as const

export const SENT = {
  description: 'The email is stored durably and will be delivered.',
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id: { type: 'string', format: 'uuid' } },
} as const

export const IDEMPOTENCY = {
  type: 'object',
  properties: {
    'idempotency-key': text(
      'A request with the same key and the same body within a day gets the same answer, and nothing is sent twice.',
    ),
  },
} as const

export const BATCH = {
  description: 'The accepted emails, in order.',
  type: 'object',
  additionalProperties: false,
  required: ['data'],
  properties: {
    data: {
      type: 'array',
      items: object({ id: { type: 'string', format: 'uuid' } }),
    },
    errors: {
      type: 'array',
      description: 'The refused emails, if others were accepted.',
      items: object({ index: { type: 'integer', minimum: 0 }, message: { type: 'string' } }),
    },
  },
} as const

/** The fields of an email, in a list and alone. */
export const LISTED = object({
  id: { type: 'string', format: 'uuid' },
  message_id: text('Message-ID with angle brackets.'),
  from: { type: 'string' },
  to: list,
  cc: list,
  bcc: list,
  reply_to: { anyOf: [list, { type: 'null' }] },
  subject: { type: 'string' },
  created_at: text('ISO 8601 with a UTC offset.'),
  last_event: { enum: LAST_EVENT_TYPES },
  scheduled_at: { type: ['string', 'null'] },
  tags: TAGS,
})

export const STORED = {
  ...LISTED,
  description: 'The email.',
  required: [...LISTED.required, 'object', 'html', 'text'],
  properties: {
    ...LISTED.properties,
    object: { const: 'email' },
    html: { type: 'string' },
    text: { type: 'string' },
  },
} as const

/**
 * Names that are read but not documented: alternative spellings from users of older clients, and fields that are
 * refused.
 */
const UNDOCUMENTED = ['replyTo', 'scheduledAt', 'template', 'topic_id', 'topicId'] as const
const UNDOCUMENTED_OF_FILE = ['contentType', 'contentId', 'inline_content_id', 'inlineContentId'] as const

type Name = keyof typeof EMAIL.properties | (typeof UNDOCUMENTED)[number]
type AttachmentField = keyof typeof ATTACHMENT.properties | (typeof UNDOCUMENTED_OF_FILE)[number]

/**
 * Every name that is read from an email, and from an attachment. The types consist of these names, so that no other can
 * be read.
 */
export const NAMES: ReadonlySet<string> = new Set([...Object.keys(EMAIL.properties), ...UNDOCUMENTED])
export const NAMES_OF_FILE: ReadonlySet<string> = new Set([
  ...Object.keys(ATTACHMENT.properties),
  ...UNDOCUMENTED_OF_FILE,
])

export type EmailInput = { readonly [Each in Name]?: unknown }
export type AttachmentInput = { readonly [Each in AttachmentField]?: unknown }

export type EmailItemJson = Static<typeof LISTED>
export type EmailJson = Static<typeof STORED>
export type BatchAnswer = Static<typeof BATCH>
