/**
 * Writes docs/openapi.json from the routes that are declared (src/http/endpoint.ts); with --check only says whether it is up to date. Those
 * written by hand, which send and read emails in the two dialects, are not part of it.
 */
import swagger from '@fastify/swagger'
import fastify from 'fastify'
import { servedApis } from '../src/http/apis.ts'
import type { HttpCore } from '../src/http/core.ts'
import { Routing } from '../src/http/routing.ts'
import { version } from '../src/version.ts'
import { keepMade } from './made-files.ts'

async function openApi(): Promise<object> {
  const app = fastify()
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Postroad', version: version() } },
    transform: ({ schema, url }) => ({ schema: schema ?? { hide: true }, url }),
  })
  // Routes are only registered here; what they need to answer is not there.
  const settings = { metrics: 'off', maxRecipients: 0 }
  const core = { answers: {}, deps: { api: true, settings, version: version() } } as unknown as HttpCore
  new Routing(servedApis(core), core).register(app)
  await app.ready()
  return app.swagger()
}

const text = `${JSON.stringify(await openApi(), null, 2)}\n`
keepMade('scripts/openapi.ts', { 'docs/openapi.json': text })
