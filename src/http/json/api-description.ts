/** The OpenAPI descriptions of this dialect's handwritten routes. */
import type { ApiDescription, RouteDescription } from '../endpoint.ts'
import { ERROR_BODY } from '../error-body.ts'
import { describedRoute } from '../route.ts'
import { MAX_EMAILS } from './emails/batch-job.ts'
import { DOWNLOAD_PATH } from './emails/download.ts'
import { BATCH, EMAIL, IDEMPOTENCY, SENT, STORED, text } from './emails/schemas.ts'
import { SHARE_PATH } from './emails/share.ts'
import { inboundDescription } from './inbound-mail.ts'

const send = (url: `/${string}`, schema: { operationId: string; summary: string }): RouteDescription =>
  describedRoute(`POST ${url}`, {
    access: 'sending',
    ...schema,
    headers: IDEMPOTENCY,
    body: EMAIL,
    answer: SENT,
  })

export const jsonDescription: ApiDescription = {
  tag: 'JSON dialect',
  scheme: 'bearer',
  error: ERROR_BODY,
  described: [
    send('/emails', { operationId: 'sendEmail', summary: 'Send an email' }),
    send('/email', {
      operationId: 'sendEmailOldPath',
      summary: 'Send an email, at the path of old clients',
    }),
    describedRoute('POST /emails/batch', {
      access: 'sending',
      operationId: 'sendBatch',
      summary: `Send up to ${MAX_EMAILS} emails, in one commit`,
      headers: {
        type: 'object',
        properties: {
          ...IDEMPOTENCY.properties,
          'x-batch-validation': {
            enum: ['strict', 'permissive'],
            description:
              '`strict` (default): one invalid email refuses the whole batch. `permissive`: only that email is refused.',
          },
        },
      },
      body: { type: 'array', minItems: 1, maxItems: MAX_EMAILS, items: EMAIL },
      answer: BATCH,
    }),
    inboundDescription,
    describedRoute('GET /emails/:id', {
      access: 'key',
      operationId: 'readEmail',
      summary: 'Get an email',
      description: 'With `reading` any of the company, with `sending` those that this key sent.',
      params: { id: { type: 'string' } },
      answer: STORED,
    }),
    describedRoute(`GET ${DOWNLOAD_PATH}`, {
      access: 'anybody',
      operationId: 'downloadAttachment',
      summary: 'Download an attachment with a signed link',
      params: { id: { type: 'string' }, attachment: { type: 'string' } },
      query: {
        type: 'object',
        required: ['expires', 'signature'],
        properties: { expires: text('Unix seconds.'), signature: { type: 'string' } },
      },
      answer: {
        description: 'The file.',
        content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    describedRoute(`GET ${SHARE_PATH}`, {
      access: 'anybody',
      operationId: 'showSharedEmail',
      summary: 'Show an email as a page with a shared link',
      params: { id: { type: 'string' } },
      query: {
        type: 'object',
        required: ['expires', 'signature'],
        properties: {
          expires: text('Unix seconds.'),
          signature: { type: 'string' },
          shown: text('`content`: the content of the frame of the page.'),
          remote: text('`1`: with images from other servers.'),
        },
      },
      answer: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
    }),
  ],
}
