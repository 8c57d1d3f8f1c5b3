/**
 * Routes of APIs of our own are typed by their schemas: from one follow the types of what is read and answered, the
 * checks, and docs/openapi.json (scripts/openapi.ts). TypeBox reads the types out of JSON Schema as it stands; its
 * builder, which makes the same objects, would be loaded by every start, at the price of the framework itself.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { Answers } from './answer.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Label of a typed route in metrics. Default: `other`. */
    operation?: string
  }
}

export type TypedScope = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/**
 * `scope`, whose routes answer with `reply.send` by their schemas. What leaves is counted and logged like every answer.
 */
export function typed(scope: FastifyInstance, answers: Answers): TypedScope {
  scope.addHook('onSend', (request, reply, _payload, done) => {
    answers.leaves(request, reply, request.routeOptions.config.operation ?? 'other')
    done()
  })
  return scope.withTypeProvider<TypeBoxTypeProvider>()
}
