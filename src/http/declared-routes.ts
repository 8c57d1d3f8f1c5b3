/**
 * Adds the routes that an API declares. For each request the key is checked first, then the body is read, then its
 * values are checked.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Scope } from '../accounts/account.ts'
import { Refusal } from '../intake/refusal.ts'
import { JSON_TYPE } from './answer.ts'
import type { Api } from './api.ts'
import { readBody } from './body.ts'
import { checkOf, writerOf } from './compiled-schemas.ts'
import type { HttpCore } from './core.ts'
import {
  type Access,
  type Call,
  type CallerOf,
  type Endpoint,
  type EndpointSchema,
  PERSON_ACCESS,
} from './endpoint.ts'
import { refusedBySchema } from './schema-refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Label of a declared route in metrics. */
    operation?: string
    /** Schema of its body. */
    body?: TSchema
  }
  interface FastifyRequest {
    caller: CallerOf<Access> | null
  }
}

/** Octets of a body that is parsed on the main thread: a larger one would delay other requests. */
const MAX_BODY = 256 * 1024

/** Adds the endpoints of `api` to its scope. */
export function addEndpoints(scope: FastifyInstance, api: Api, core: HttpCore): void {
  const { endpoints = [], content } = api
  const ofPages = api.ownPage === true
  scope.setValidatorCompiler<TSchema>((route) =>
    checkOf({
      isText: route.httpPart !== 'body' || content?.isText === true,
      passesOver: route.httpPart === 'querystring' && !ofPages,
      cutsLimit: !ofPages,
    })(route),
  )
  scope.setSerializerCompiler(writerOf)
  scope.setSchemaErrorFormatter(refusedBySchema)
  scope.decorateRequest('caller', null)
  // The framework is told that no request has a body, so it accepts a schema for one only in this hook.
  scope.addHook('onRoute', (route) => {
    const { body } = route.config ?? {}
    if (body !== undefined) route.schema = { ...route.schema, body }
  })
  for (const declared of endpoints) addEndpoint(scope, declared, api, core)
}

function addEndpoint(scope: FastifyInstance, declared: Endpoint, api: Api, core: HttpCore): void {
  const { method, url, operation, access, exposeHeadRoute, work } = declared
  const { body, ...schema } = declared.schema
  if (body !== undefined && access === 'anybody') {
    throw new Error(`${url} takes a body without authentication, so it would count towards no limit`)
  }
  scope.route({
    method,
    url,
    schema,
    ...(exposeHeadRoute !== undefined && { exposeHeadRoute }),
    config: { operation, ...(body !== undefined && { body }) },
    async preValidation(request, reply) {
      const { raw } = request
      if (access !== 'anybody') request.caller = await asker(api, request, access)
      if (body === undefined) return
      const content = api.content!
      content.check(raw.headers)
      request.body = content.readBody(await readBody(raw, reply.raw, core.limit.upTo(MAX_BODY)), raw.headers)
    },
    async handler(request, reply) {
      const { caller, params, query, body } = request
      const call = { caller, params, query, body, request } as Call<EndpointSchema, Access>
      const answer = await work(call, core)
      const startedAt = performance.now() - reply.elapsedTime
      if ('type' in answer) return core.answers.send(request, reply, operation, answer, startedAt)
      // The schema for this status serializes the body. A 204 has no content (RFC 9110 15.3.5).
      const text = answer.status === 204 ? '' : (reply.code(answer.status).serialize(answer.body) as string)
      const { status, headers } = answer
      return core.answers.send(
        request,
        reply,
        operation,
        { status, type: JSON_TYPE, body: text, ...(headers && { headers }) },
        startedAt,
      )
    },
  })
}

async function asker(
  api: Api,
  request: FastifyRequest,
  access: Exclude<Access, 'anybody'>,
): Promise<CallerOf<Access>> {
  const person = PERSON_ACCESS.find((each) => each === access)
  if (person !== undefined) return await api.authenticate!(request, person)
  const caller = await api.admit!(request.raw)
  if (access === 'key' || caller.scopes.has(access as Scope)) return caller
  throw new Refusal({ code: 'scope_missing', scope: access as Scope })
}
