/** Assigns each path to the API with its prefix. Only that API answers there, even if no route exists. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { baseUrlAdvice } from '../ingress/advice.ts'
import type { AnyReason } from '../ingress/fault.ts'
import { decodedPath } from '../ingress/target.ts'
import type { Answer } from './answer.ts'
import { type Api, answeringFor } from './api.ts'
import type { HttpCore } from './core.ts'
import { addEndpoints } from './declared-routes.ts'
import { PathMethods } from './methods.ts'

interface Owner {
  prefix: string
  api: Api
  /** The methods of this API's routes. */
  methods: PathMethods
}

export class Routing {
  readonly #core: HttpCore
  readonly #apis: ReadonlyMap<Api, PathMethods>
  /** Longer prefixes first. */
  readonly #owners: Owner[]

  /** One of `apis` has the prefix `/`: it answers for all remaining paths. */
  constructor(apis: readonly Api[], core: HttpCore) {
    this.#apis = new Map(apis.map((api) => [api, new PathMethods()]))
    this.#core = core
    this.#owners = [...this.#apis]
      .flatMap(([api, methods]) => api.prefixes.map((prefix): Owner => ({ prefix, api, methods })))
      .sort((a, b) => b.prefix.length - a.prefix.length)
    const prefixes = this.#owners.map(({ prefix }) => prefix)
    const twice = prefixes.find((prefix, index) => prefixes.indexOf(prefix) !== index)
    if (twice !== undefined) throw new Error(`Two APIs want the paths under ${twice}`)
    if (!prefixes.includes('/')) throw new Error('No API answers what belongs to no other')
  }

  /** Gives every API a scope of `app`. */
  register(app: FastifyInstance): void {
    for (const [api, methods] of this.#apis) {
      app.register(async (scope) => {
        methods.watch(scope)
        if (api.headers) {
          scope.addHook('onRequest', (_request, reply, done) => {
            setHeaders(reply, api)
            done()
          })
        }
        scope.addHook('onRoute', ({ url }) => {
          if (this.#ownerOf(url).api !== api)
            throw new Error(`${url} is a route of an API that does not own it`)
        })
        api.register?.(scope, answeringFor(api, this.#core))
        // Declared routes have their own scope, so that their hooks cost the handwritten routes nothing.
        scope.register(async (declared) => addEndpoints(declared, api, this.#core))
      })
    }
  }

  /** The answer to a reason, from the API that the request target belongs to. */
  words(target: string, reason: AnyReason): Answer {
    return this.#ownerOf(target).api.words(reason)
  }

  fail(request: FastifyRequest, reply: FastifyReply, reason: AnyReason): void {
    const { operation } = request.routeOptions.config
    const startedAt = operation === undefined ? undefined : performance.now() - reply.elapsedTime
    const { api } = this.#ownerOf(targetOf(request))
    setHeaders(reply, api)
    const answer = api.words(reason)
    this.#core.answers.send(request, reply, operation ?? 'other', answer, startedAt)
  }

  /** Answers a request without a route. */
  failUnrouted(request: FastifyRequest, reply: FastifyReply): void {
    const target = targetOf(request)
    const path = decodedPath(target)
    const allow = this.#ownerOf(target).methods.allowed(path)
    const reason: AnyReason =
      allow === null
        ? { code: 'path_unknown', advice: baseUrlAdvice(path) }
        : { code: 'method_unknown', allow }
    this.fail(request, reply, reason)
  }

  #ownerOf(target: string): Owner {
    const path = decodedPath(target)
    return this.#owners.find(({ prefix }) => isUnder(path, prefix))!
  }
}

function setHeaders(reply: FastifyReply, { headers = {} }: Api): void {
  for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value)
}

function isUnder(path: string, prefix: string): boolean {
  return prefix === '/' || path === prefix || path.startsWith(`${prefix}/`)
}

function targetOf(request: FastifyRequest): string {
  return request.raw.url ?? '/'
}
