/**
 * Writes docs/openapi.json from the schemas of the routes (src/http/endpoint.ts); with --check only says whether it is
 * up to date. The service answers with that file at /openapi.json.
 */
import swagger from '@fastify/swagger'
import fastify, { type FastifySchema } from 'fastify'
import { Registry } from 'prom-client'
import type { Api } from '../src/http/api.ts'
import { servedApis } from '../src/http/apis.ts'
import type { HttpCore } from '../src/http/core.ts'
import type { Access, ApiDescription, EndpointSchema } from '../src/http/endpoint.ts'
import { Routing } from '../src/http/routing.ts'
import { version } from '../src/version.ts'
import { keepMade } from './made-files.ts'

const INFO = {
  title: 'Postroad',
  version: version(),
  description:
    'Outbound email: two dialects, each as its clients speak it, on one service. A 2xx answer to a message means that it ' +
    'is on disk and will be delivered; with any other answer, nothing will be sent.',
  license: { name: 'See the file LICENSE that came with the program' },
}
const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
  basic: { type: 'http', scheme: 'basic', description: 'User name `api`, and an API key as password.' },
} as const

/** Pages, the document itself, and what other mail systems call. */
const FOR_PEOPLE = new Set(['/', '/docs', '/openapi.json', '/unsubscribe/:token', '/tls-reports/:token'])

interface Route {
  schema: EndpointSchema
  access: Access
  api?: ApiDescription | undefined
}

/** All that are described, by method and path. */
function routesOf(apis: readonly Api[]): Map<string, Route> {
  return new Map(
    apis.flatMap(({ endpoints = [], description: api }) =>
      [...endpoints, ...(api?.described ?? [])].map(
        ({ method, url, schema, access }) => [`${method} ${url}`, { schema, access, api }] as const,
      ),
    ),
  )
}

/** A route as the document shows it: with whom it asks for, and what it says when something is wrong. */
function shown({ schema, access, api }: Route): FastifySchema {
  const { description, response, ...rest } = schema
  const consumes = rest.body === undefined ? undefined : api?.consumes
  const scope = access === 'anybody' || access === 'key' ? '' : `Takes a key with the scope \`${access}\`.`
  const words = [description, scope].filter(Boolean).join(' ')
  return {
    ...(consumes && { consumes }),
    ...rest,
    ...(rest.querystring && { querystring: withoutDefaults(rest.querystring) }),
    ...(words !== '' && { description: words }),
    tags: [api?.tag ?? 'Service'],
    security: api === undefined || access === 'anybody' ? [] : [{ [api.scheme]: [] }],
    response: {
      ...response,
      ...(api?.stranger && { 401: api.stranger }),
      ...(api && { default: { description: 'What was wrong.', ...api.error } }),
    },
  } as FastifySchema
}

/** What has a default is always there when it is read, and nobody has to give it. */
function withoutDefaults(schema: object): object {
  const { required, properties = {} } = schema as {
    required?: readonly string[]
    properties?: Record<string, object>
  }
  if (required === undefined) return schema
  return { ...schema, required: required.filter((name) => !('default' in (properties[name] ?? {}))) }
}

async function openApi(): Promise<object> {
  const app = fastify()
  // Routes are only registered here; what they need to answer is not there.
  const settings = { metrics: 'off', maxRecipients: 0 }
  const seal = { derive: () => Buffer.alloc(32) }
  const deps = { api: true, settings, version: version(), seal, registry: new Registry() }
  const core = { answers: {}, reasons: {}, deps } as unknown as HttpCore
  const apis = servedApis(core).filter((api) => api.ownPage !== true)
  const routes = routesOf(apis)
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: INFO, components: { securitySchemes: SCHEMES } },
    transform: ({ url, route }) => {
      const known = routes.get(`${route.method} ${url}`)
      return { url, schema: known === undefined ? { hide: true } : shown(known) }
    },
  })
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) {
      if (one === 'HEAD' || one === 'OPTIONS' || routes.has(`${one} ${url}`) || FOR_PEOPLE.has(url)) continue
      throw new Error(`${one} ${url} is not described: add it to \`description\` of its API`)
    }
  })
  new Routing(apis, core).register(app)
  await app.ready()
  return app.swagger()
}

const text = `${JSON.stringify(await openApi(), null, 2)}\n`
keepMade('scripts/openapi.ts', { 'docs/openapi.json': text })
