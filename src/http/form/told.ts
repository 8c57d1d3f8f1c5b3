/** What the OpenAPI document says of the routes of this dialect that are written by hand. */
import type { Described, Told } from '../endpoint.ts'
import { MESSAGE_ONLY, OF_DOMAIN } from './schemas.ts'
import { LISTS } from './suppressions/lists.ts'

const text = (description: string) => ({ type: 'string', description }) as const
const repeated = (description: string) =>
  ({ description, anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }) as const
const files = (description: string) =>
  ({ type: 'array', description, items: { type: 'string', format: 'binary' } }) as const

/** Fields whose names begin so, and options of both ways to send. */
const OPTIONS = {
  'o:tag': repeated('A tag; may be repeated.'),
  'o:testmode': text('yes: accepted and recorded, but not sent.'),
  'o:deliverytime': text('Not before: an RFC 2822 date or Unix seconds, at most 30 days ahead.'),
  'recipient-variables': text(
    'JSON object of values by address: each recipient gets a copy of its own, with `%recipient.name%` filled in.',
  ),
} as const

const QUEUED = {
  description: 'The message is on disk, and will be delivered.',
  type: 'object',
  additionalProperties: false,
  required: ['id', 'message'],
  properties: { id: text('Message-ID with angle brackets.'), message: { const: 'Queued. Thank you.' } },
} as const

const IDEMPOTENCY = {
  type: 'object',
  properties: {
    'idempotency-key': text(
      'The same key with the same form within a day: the same answer, and nothing is sent twice.',
    ),
  },
} as const

const MORE =
  '`v:NAME`: custom data, kept with the email. Brackets behind a name (`to[]`, `attachment[0]`) mean nothing.'

const sending: Described[] = [
  {
    method: 'POST',
    url: '/v3/:domain/messages',
    access: 'sending',
    schema: {
      operationId: 'sendMessage',
      summary: 'Send a message',
      params: OF_DOMAIN,
      headers: IDEMPOTENCY,
      consumes: ['multipart/form-data', 'application/x-www-form-urlencoded'],
      body: {
        type: 'object',
        required: ['from', 'to'],
        description: `\`html\` or \`text\` is needed. \`h:NAME\`: a header field. ${MORE}`,
        examples: [
          {
            from: 'Acme <hello@example.com>',
            to: 'jane@example.net',
            subject: 'Your order',
            text: 'It is on its way.',
            'o:tag': 'order',
            'h:Reply-To': 'shop@example.com',
          },
        ],
        properties: {
          from: text('The sender, from the domain of the path or one that it speaks for.'),
          to: repeated('Recipients: repeated, or with commas.'),
          cc: repeated('Carbon copies.'),
          bcc: repeated('Blind carbon copies.'),
          subject: text('Subject.'),
          html: text('HTML body.'),
          text: text('Plain text body; without it it is derived from `html`.'),
          'amp-html': text('The same in AMP for Email, beside html or text.'),
          'h:Reply-To': text('Where answers go.'),
          'h:Message-Id': text('Message-ID to use; in a batch it may have placeholders.'),
          attachment: files('Files, each with a name.'),
          inline: files('Files that html refers to as `cid:NAME`.'),
          ...OPTIONS,
        },
      },
      response: { 200: QUEUED },
    },
  },
  {
    method: 'POST',
    url: '/v3/:domain/messages.mime',
    access: 'sending',
    schema: {
      operationId: 'sendMimeMessage',
      summary: 'Send a message that is ready (RFC 5322)',
      params: OF_DOMAIN,
      headers: IDEMPOTENCY,
      consumes: ['multipart/form-data'],
      body: {
        type: 'object',
        required: ['to', 'message'],
        description: MORE,
        properties: {
          to: repeated('Every recipient, those of Cc and Bcc as well.'),
          message: { type: 'string', format: 'binary', description: 'The message, as a file.' },
          ...OPTIONS,
        },
      },
      response: { 200: QUEUED },
    },
  },
]

const OF_MESSAGE = {
  type: 'object',
  required: ['domain', 'key'],
  properties: { domain: { type: 'string' }, key: text('As in `storage.key` of an event.') },
} as const

/** Clients of either age have their own path. */
const stored = (url: string, age: string): Described[] => [
  {
    method: 'GET',
    url,
    access: 'reading',
    schema: {
      operationId: `readStoredMessage${age}`,
      summary: 'A message that was accepted',
      description: 'With `Accept: message/rfc2822` as `body-mime`, as it is sent.',
      params: OF_MESSAGE,
      response: {
        200: {
          description: 'The message.',
          type: 'object',
          required: ['from', 'subject', 'recipients'],
          properties: {
            from: { type: 'string' },
            sender: { type: 'string' },
            recipients: { type: 'string' },
            subject: { type: 'string' },
            'body-plain': { type: 'string' },
            'body-html': { type: 'string' },
            'body-mime': { type: 'string' },
          },
        },
      },
    },
  },
  {
    method: 'POST',
    url,
    access: 'sending',
    schema: {
      operationId: `sendStoredMessage${age}`,
      summary: 'Send a message that was accepted once more, to others',
      description: 'The key needs `reading` as well.',
      params: OF_MESSAGE,
      body: { type: 'object', required: ['to'], properties: { to: repeated('Recipients.') } },
      response: { 200: QUEUED },
    },
  },
]

const imports = [...LISTS.map(({ name }) => name), 'whitelists'].map(
  (name): Described => ({
    method: 'POST',
    url: `/v3/:domain/${name}/import`,
    access: 'management',
    schema: {
      operationId: `import${name[0]!.toUpperCase()}${name.slice(1)}`,
      summary: `Put a CSV file on the list of ${name}`,
      params: OF_DOMAIN,
      consumes: ['multipart/form-data'],
      body: {
        type: 'object',
        required: ['file'],
        properties: {
          file: {
            type: 'string',
            format: 'binary',
            description: 'CSV with a column `address`, of whitelists also `domain`.',
          },
        },
      },
      response: {
        202: {
          description: 'What could be read is on the list.',
          type: 'object',
          additionalProperties: false,
          required: ['message', 'added', 'present', 'bad'],
          properties: {
            message: { type: 'string' },
            added: { type: 'integer' },
            present: { type: 'integer', description: 'Those that were there.' },
            bad: { type: 'integer', description: 'Lines that cannot be used.' },
          },
        },
      },
    },
  }),
)

const DESCRIBED = [
  ...sending,
  ...stored('/v3/domains/:domain/messages/:key', ''),
  ...stored('/v3/:domain/messages/:key', 'OldPath'),
  ...imports,
]

export const formTold: Told = {
  tag: 'Form dialect',
  scheme: 'basic',
  error: MESSAGE_ONLY,
  described: DESCRIBED,
}
