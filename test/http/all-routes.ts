/** Every route that a node serves, collected from the APIs that register them, so that none is missing. */
import fastify from 'fastify'
import { Registry } from 'prom-client'
import type { Api } from '../../src/http/api.ts'
import { servedApis } from '../../src/http/apis.ts'
import type { HttpCore } from '../../src/http/core.ts'
import type { EndpointSchema } from '../../src/http/endpoint.ts'
import { Routing } from '../../src/http/routing.ts'

export interface Route {
  method: string
  url: string
  /** Null: it is written by hand, and nothing says what it takes. */
  schema: EndpointSchema | null
}

export const nameOf = ({ method, url }: Pick<Route, 'method' | 'url'>) => `${method} ${url}`

/** APIs that can register their routes, and lack what an answer needs. */
export function allApis(): Api[] {
  return servedApis(coreWithoutService())
}

function coreWithoutService(): HttpCore {
  const settings = {
    ...{ metrics: 'same', console: 'same', maxRecipients: 0, tls: null, openId: null },
    publicUrl: 'http://x.test',
  }
  const derive = () => Buffer.alloc(32)
  const deps = { api: true, settings, version: '', seal: { derive }, derive, registry: new Registry() }
  return { answers: {}, reasons: {}, deps } as unknown as HttpCore
}

export async function allRoutes(): Promise<Route[]> {
  const app = fastify()
  const core = coreWithoutService()
  const apis = servedApis(core)
  const declared = new Map(
    apis.flatMap(({ endpoints = [], description }) =>
      [...(description?.described ?? []), ...endpoints].map((each) => [nameOf(each), each.schema] as const),
    ),
  )
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) {
      if (each === 'HEAD') continue
      routes.push({ method: each, url, schema: declared.get(`${each} ${url}`) ?? null })
    }
  })
  new Routing(apis, core).register(app)
  await app.ready()
  return routes
}
