/** What a load balancer or a supervisor asks: does the process run, and can it accept mail. */
import { ERROR_BODY, type ErrorBody } from '../error-body.ts'
import type { TypedScope } from '../typed.ts'
import type { Readiness } from './readiness.ts'

/** Seconds after which one may ask again. */
const RETRY_AFTER = 5

function statusBody<Status extends string>(status: Status) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['status'],
    properties: { status: { const: status } },
  } as const
}

const HEALTH = {
  operationId: 'health',
  summary: 'Whether the process runs',
  response: { 200: { description: 'It does.', ...statusBody('ok') } },
} as const

const READY = {
  operationId: 'ready',
  summary: 'Whether mail can be accepted now',
  description:
    'A commit is tried. That one went through is believed for a second, unless a request finds otherwise.',
  response: {
    200: { description: 'It can.', ...statusBody('ready') },
    503: {
      description: 'It cannot; ask again after the seconds of Retry-After.',
      ...ERROR_BODY,
    },
  },
} as const

const NOT_READY: ErrorBody = {
  statusCode: 503,
  message: 'The service cannot accept mail now.',
  name: 'application_error',
}

export function registerHealth(scope: TypedScope, readiness: Readiness): void {
  scope.get('/health', { schema: HEALTH }, async (_request, reply) => reply.send({ status: 'ok' }))
  scope.get('/ready', { schema: READY }, async (_request, reply) => {
    if (await readiness.ask()) return reply.code(200).send({ status: 'ready' })
    return reply.code(503).header('retry-after', RETRY_AFTER).send(NOT_READY)
  })
}
