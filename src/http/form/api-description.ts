/** The OpenAPI descriptions of this dialect's handwritten routes. */

import {
  IDEMPOTENCY,
  MESSAGE,
  MIME_MESSAGE,
  QUEUED,
  repeated,
  text,
} from '../../ingress/message-form/schemas.ts'
import type { ApiDescription, RouteDescription } from '../endpoint.ts'
import { describedRoute } from '../route.ts'
import { MESSAGE_ONLY } from './schemas.ts'
import { LISTS } from './suppressions/lists.ts'

const sending: RouteDescription[] = [
  describedRoute('POST /v3/:domain/messages', {
    access: 'sending',
    operationId: 'sendMessage',
    summary: 'Send a message',
    headers: IDEMPOTENCY,
    consumes: ['multipart/form-data', 'application/x-www-form-urlencoded'],
    body: MESSAGE,
    answer: QUEUED,
  }),
  describedRoute('POST /v3/:domain/messages.mime', {
    access: 'sending',
    operationId: 'sendMimeMessage',
    summary: 'Send a MIME message (RFC 5322)',
    headers: IDEMPOTENCY,
    consumes: ['multipart/form-data'],
    body: MIME_MESSAGE,
    answer: QUEUED,
  }),
]

const OF_MESSAGE = { domain: { type: 'string' }, key: text('The `storage.key` of an event.') } as const

/** Older and newer clients use different paths. */
const stored = (url: `/${string}`, age: string): RouteDescription[] => [
  describedRoute(`GET ${url}`, {
    access: 'reading',
    operationId: `readStoredMessage${age}`,
    summary: 'Get an accepted message',
    description: 'With `Accept: message/rfc2822` as `body-mime`, as it is sent.',
    params: OF_MESSAGE,
    answer: {
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
  }),
  describedRoute(`POST ${url}`, {
    access: 'sending',
    operationId: `sendStoredMessage${age}`,
    summary: 'Send an accepted message again, to other recipients',
    description: 'The key also needs the scope `reading`.',
    params: OF_MESSAGE,
    body: { type: 'object', required: ['to'], properties: { to: repeated('Recipients.') } },
    answer: QUEUED,
  }),
]

const imports = [...LISTS.map(({ name }) => name), 'whitelists'].map(
  (name): RouteDescription =>
    describedRoute(`POST /v3/:domain/${name}/import`, {
      access: 'management',
      operationId: `import${name[0]!.toUpperCase()}${name.slice(1)}`,
      summary: `Import a CSV file into the list of ${name}`,
      consumes: ['multipart/form-data'],
      body: {
        type: 'object',
        required: ['file'],
        properties: {
          file: {
            type: 'string',
            format: 'binary',
            description: 'CSV with a column `address`; for whitelists also `domain`.',
          },
        },
      },
      status: 202,
      answer: {
        description: 'The valid lines are on the list.',
        type: 'object',
        additionalProperties: false,
        required: ['message', 'added', 'present', 'bad'],
        properties: {
          message: { type: 'string' },
          added: { type: 'integer' },
          present: { type: 'integer', description: 'The entries that existed.' },
          bad: { type: 'integer', description: 'Invalid lines.' },
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

export const formDescription: ApiDescription = {
  tag: 'Form dialect',
  scheme: 'basic',
  error: MESSAGE_ONLY,
  stranger: {
    description: 'The API key is missing or invalid.',
    content: { 'text/plain': { schema: { const: 'Forbidden' } } },
  },
  consumes: ['multipart/form-data', 'application/x-www-form-urlencoded'],
  described: DESCRIBED,
}
