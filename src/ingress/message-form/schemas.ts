/**
 * Request and answer schemas of the handwritten message routes, for their types and for the OpenAPI document. The types
 * consist of these names, so no other field can be read.
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
  'o:deliverytime': text('When to send it: an RFC 2822 date or Unix seconds, at most 30 days ahead.'),
  'o:deliver-within': text(
    'How long to try, such as 1h30m: from one minute to 30 days. It fails afterwards, or at the end of the retries.',
  ),
  'o:require-tls': text(
    'yes: sent only over a connection that is encrypted, to a server with a valid certificate.',
  ),
  'o:skip-verification': text('yes: with o:require-tls, the certificate need not be valid.'),
  'o:sending-ip': text(
    'The source address that it leaves from: one of those that mail of the domain may have.',
  ),
  'o:sending-ip-pool': text('The pool of source addresses that it leaves from: one of those of the company.'),
  'recipient-variables': text(
    'JSON object of values by address: each recipient gets a separate copy, with `%recipient.name%` filled in.',
  ),
} as const

export const QUEUED = {
  description: 'The message is stored durably and will be delivered.',
  type: 'object',
  additionalProperties: false,
  required: ['id', 'message'],
  properties: { id: text('Message-ID with angle brackets.'), message: { const: 'Queued. Thank you.' } },
} as const

export const IDEMPOTENCY = {
  type: 'object',
  properties: {
    'idempotency-key': text(
      'A request with the same key and the same form within a day gets the same answer, and nothing is sent twice.',
    ),
  },
} as const

const MORE =
  '`v:NAME`: custom data, stored with the email. Brackets after a name (`to[]`, `attachment[0]`) are ignored.'

export const MESSAGE = {
  type: 'object',
  required: ['from', 'to'],
  description: `\`html\` or \`text\` is required. \`h:NAME\`: a header field. ${MORE}`,
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
    from: text('The sender, at the domain of the path or at another domain that its mail may use.'),
    to: repeated('Recipients: repeated, or with commas.'),
    cc: repeated('Carbon copies.'),
    bcc: repeated('Blind carbon copies.'),
    subject: text('Subject.'),
    html: text('HTML body.'),
    text: text('Plain text body. Default: derived from `html`.'),
    'amp-html': text('An AMP for Email version, in addition to html or text.'),
    'h:Reply-To': text('Address for replies.'),
    'h:Message-Id': text('Message-ID to use; in a batch it may have placeholders.'),
    attachment: files('Files, each with a name.'),
    inline: files('Inline files that html refers to as `cid:NAME`.'),
    ...OPTIONS,
  },
} as const

export const MIME_MESSAGE = {
  type: 'object',
  required: ['to', 'message'],
  description: MORE,
  properties: {
    to: repeated('All recipients, including Cc and Bcc.'),
    message: { type: 'string', format: 'binary', description: 'The message, as a file.' },
    ...OPTIONS,
  },
} as const

type DocumentedField = keyof typeof MESSAGE.properties | keyof typeof MIME_MESSAGE.properties

export type OptionName = Extract<DocumentedField, `o:${string}`>
/** Without the fields that are known by their prefix; `template` is included because it is refused. */
export type FieldName = Exclude<DocumentedField, `${'o' | 'h'}:${string}`> | 'template'
