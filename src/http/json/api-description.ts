/** The OpenAPI descriptions of this dialect's handwritten routes. */
import type { ApiDescription, RouteDescription } from '../endpoint.ts'
import { ERROR_BODY } from '../error-body.ts'
import { MAX_EMAILS } from './emails/batch-job.ts'
import { DOWNLOAD_PATH } from './emails/download.ts'
import { BATCH, EMAIL, IDEMPOTENCY, SENT, STORED, text } from './emails/schemas.ts'
import { SHARE_PATH } from './emails/share.ts'

const send = (url: string, schema: { operationId: string; summary: string }): RouteDescription => ({
  method: 'POST',
  url,
  access: 'sending',
  schema: { ...schema, headers: IDEMPOTENCY, body: EMAIL, response: { 200: SENT } },
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
              description:
                '`strict` (default): one invalid email refuses the whole batch. `permissive`: only that email is refused.',
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
        summary: 'Get an email',
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
        summary: 'Download an attachment with a signed link',
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
            content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
          },
        },
      },
    },
    {
      method: 'GET',
      url: SHARE_PATH,
      access: 'anybody',
      schema: {
        operationId: 'showSharedEmail',
        summary: 'Show an email as a page with a shared link',
        params: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
        querystring: {
          type: 'object',
          required: ['expires', 'signature'],
          properties: {
            expires: text('Unix seconds.'),
            signature: { type: 'string' },
            shown: text('`content`: the content of the frame of the page.'),
            remote: text('`1`: with images from other servers.'),
          },
        },
        response: {
          200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
        },
      },
    },
  ],
}
