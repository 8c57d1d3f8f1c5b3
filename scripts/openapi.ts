/**
 * Writes docs/openapi.json from the schemas of the APIs of our own (src/http/typed.ts); with --check only says whether it is up to date. Routes
 * without a schema, those of the two dialects among them, are not part of it.
 */
import swagger from '@fastify/swagger'
import fastify from 'fastify'
import { Registry } from 'prom-client'
import { Answers } from '../src/http/answer.ts'
import type { HttpCore } from '../src/http/api.ts'
import { servedApis } from '../src/http/apis.ts'
import { Routing } from '../src/http/routing.ts'
import { createLogger } from '../src/log.ts'
import { version } from '../src/version.ts'
import { keepMade } from './made-files.ts'

async function openApi(): Promise<object> {
  const app = fastify()
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Postroad', version: version() } },
    transform: ({ schema, url }) => ({ schema: schema ?? { hide: true }, url }),
  })
  const registry = new Registry()
  const answers = new Answers(createLogger('silent'), registry, { release() {} })
  // Routes are only registered here; what they need to answer is not there.
  const settings = { metrics: 'same', maxRecipients: 0 }
  const core = { answers, deps: { api: true, settings, registry, version: version() } } as unknown as HttpCore
  new Routing(servedApis(core), answers).register(app)
  await app.ready()
  return app.swagger()
}

const text = `${JSON.stringify(await openApi(), null, 2)}\n`
keepMade('scripts/openapi.ts', { 'docs/openapi.json': text })
