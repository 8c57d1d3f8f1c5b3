/**
 * Request and answer schemas of the handwritten message routes, for their types and for the OpenAPI document. No other
 * field can be read: the types consist of these names.
 */

export const text = (description: string) => ({ type: 'string', description }) as const
export const repeated = (description: string) =>
  ({ description, anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }) as const
const files = (description: string) =>
  ({ type: 'array', description, items: { type: 'string', format: 'binary' } }) as const

/** Option fields by prefix, and the options of both ways to send. */
const OPTIONS = {
  'o:tag': repeated('A tag; may be repeated.'),
  'o:testmode': text('yes: accepted and recorded, but not sent.'),
  'o:deliverytime': text('Not before: an RFC 2822 date or Unix seconds, at most 30 days ahead.'),
  'recipient-variables': text(
    'JSON object of values by address: each recipient gets a copy of its own, with `%recipient.name%` filled in.',
  ),
} as const

export const QUEUED = {
  description: 'The message is on disk, and will be delivered.',
  type: 'object',
  additionalProperties: false,
  required: ['id', 'message'],
  properties: { id: text('Message-ID with angle brackets.'), message: { const: 'Queued. Thank you.' } },
} as const

export const IDEMPOTENCY = {
  type: 'object',
  properties: {
    'idempotency-key': text(
      'The same key with the same form within a day: the same answer, and nothing is sent twice.',
    ),
  },
} as const

const MORE =
  '`v:NAME`: custom data, kept with the email. Brackets behind a name (`to[]`, `attachment[0]`) mean nothing.'

export const MESSAGE = {
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
} as const

export const MIME_MESSAGE = {
  type: 'object',
  required: ['to', 'message'],
  description: MORE,
  properties: {
    to: repeated('Every recipient, those of Cc and Bcc as well.'),
    message: { type: 'string', format: 'binary', description: 'The message, as a file.' },
    ...OPTIONS,
  },
} as const

type Told = keyof typeof MESSAGE.properties | keyof typeof MIME_MESSAGE.properties

export type OptionName = Extract<Told, `o:${string}`>
/** Without the fields that are known by their prefix; `template` is included because it is refused. */
export type FieldName = Exclude<Told, `${'o' | 'h'}:${string}`> | 'template'
