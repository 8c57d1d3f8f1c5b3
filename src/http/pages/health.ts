/** Probes of load balancers and supervisors: liveness, and readiness to accept mail. */

import { type Endpoint, endpoint } from '../endpoint.ts'
import { ERROR_BODY, type ErrorBody } from '../error-body.ts'
import type { Readiness } from './readiness.ts'

/** Seconds after which to probe again. */
const RETRY_AFTER = 5

function statusBody<Status extends string>(status: Status) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['status'],
    properties: { status: { const: status } },
  } as const
}

const NOT_READY: ErrorBody = {
  statusCode: 503,
  message: 'The service cannot accept mail now.',
  name: 'application_error',
}

const health = endpoint({
  method: 'GET',
  url: '/health',
  operation: 'other',
  access: 'anybody',
  schema: {
    operationId: 'health',
    summary: 'Check whether the process is running',
    response: { 200: { description: 'The process is running.', ...statusBody('ok') } },
  },
})

const ready = endpoint({
  method: 'GET',
  url: '/ready',
  operation: 'other',
  access: 'anybody',
  schema: {
    operationId: 'ready',
    summary: 'Check whether mail can be accepted now',
    description:
      'The check commits to the database. A success is cached for a second, unless a request finds otherwise: then a ' +
      'write of one megabyte must succeed as well.',
    response: {
      200: { description: 'Mail can be accepted.', ...statusBody('ready') },
      503: {
        description: 'Mail cannot be accepted; try again after the seconds in Retry-After.',
        ...ERROR_BODY,
      },
    },
  },
})

export function healthEndpoints(readiness: Readiness): Endpoint[] {
  return [
    health(async () => ({ status: 200, body: { status: 'ok' } })),
    ready(async () => {
      if (await readiness.ask()) return { status: 200, body: { status: 'ready' } }
      return { status: 503, body: NOT_READY, headers: { 'retry-after': String(RETRY_AFTER) } }
    }),
  ]
}
