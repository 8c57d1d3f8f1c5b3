/** The error body of the JSON dialect, of the pages, and of what is no request at all: exactly these three keys. */
import type { Static } from 'typebox'
import { type Answer, JSON_TYPE } from './answer.ts'

export const ERROR_BODY = {
  type: 'object',
  additionalProperties: false,
  required: ['statusCode', 'message', 'name'],
  properties: {
    statusCode: { type: 'integer', description: 'The status of the answer.' },
    message: { type: 'string', description: 'What was wrong, as a sentence.' },
    name: {
      description: 'A stable name. The list is closed: some clients fail to read an error with another one.',
      enum: [
        'application_error',
        'internal_server_error',
        'invalid_api_key',
        'invalid_attachment',
        'invalid_idempotency_key',
        'invalid_idempotent_request',
        'method_not_allowed',
        'missing_api_key',
        'missing_required_field',
        'not_found',
        'rate_limit_exceeded',
        'restricted_api_key',
        'validation_error',
      ],
    },
  },
} as const

export type ErrorBody = Static<typeof ERROR_BODY>
export type ErrorName = ErrorBody['name']

export function errorAnswer(
  status: number,
  name: ErrorName,
  message: string,
  headers?: Record<string, string>,
): Answer {
  const body = JSON.stringify({ statusCode: status, message, name } satisfies ErrorBody)
  return headers ? { status, type: JSON_TYPE, body, headers } : { status, type: JSON_TYPE, body }
}
