/** The error body of the JSON dialect, of pages, and for input that is not an HTTP request. It has three keys. */
import type { Static } from 'typebox'
import type { AnyReason } from '../ingress/fault.ts'
import { UNAVAILABLE, type Words } from '../ingress/words.ts'
import { type Answer, JSON_TYPE } from './answer.ts'
import { answerTo } from './answer-to.ts'

export const ERROR_BODY = {
  type: 'object',
  additionalProperties: false,
  required: ['statusCode', 'message', 'name'],
  properties: {
    statusCode: { type: 'integer', description: 'The status of the answer.' },
    message: { type: 'string', description: 'What was wrong, as a sentence.' },
    name: {
      description:
        'A stable name. The list is closed: some clients cannot read an error with an unknown name.',
      enum: [
        'application_error',
        'daily_quota_exceeded',
        'internal_server_error',
        'invalid_access',
        'invalid_api_key',
        'invalid_attachment',
        'invalid_idempotency_key',
        'invalid_idempotent_request',
        'method_not_allowed',
        'missing_api_key',
        'missing_required_field',
        'monthly_quota_exceeded',
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

/** The content of an error body. */
export type ErrorFields = readonly [status: number, name: ErrorName, message: string]

export function errorAnswer(
  reason: AnyReason,
  [status, name, message]: ErrorFields,
  challenge?: string,
): Answer {
  const body = JSON.stringify({ statusCode: status, message, name } satisfies ErrorBody)
  return answerTo(reason, { status, type: JSON_TYPE, body }, challenge)
}

/** Errors that are possible at any path. */
export const COMMON_ERRORS = {
  path_unknown: ({ advice }) => [
    404,
    'not_found',
    `The requested endpoint does not exist${advice ? `: ${advice}` : ''}`,
  ],
  method_unknown: ({ allow }) => [
    405,
    'method_not_allowed',
    `Method is not allowed for the requested path; allowed: ${allow}`,
  ],
  unavailable: ({ of }) => [503, 'application_error', `${UNAVAILABLE[of]}.`],
  http_malformed: ({ status, detail }) => [status, 'validation_error', detail],
  internal: ({ requestId }) => [
    500,
    'internal_server_error',
    `An unexpected error occurred. See the log of the service for request id ${requestId}.`,
  ],
} satisfies Partial<Words<ErrorFields>>
