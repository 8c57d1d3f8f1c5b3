/**
 * Writes docs/openapi.json from the schemas of the APIs of our own (src/http/typed.ts); with --check only says whether it is up to date. Routes
 * without a schema, those of the two dialects among them, are not part of it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import swagger from '@fastify/swagger'
import fastify from 'fastify'
import { Registry } from 'prom-client'
import { Answers } from '../src/http/answer.ts'
import type { HttpCore } from '../src/http/api.ts'
import { servedApis } from '../src/http/apis.ts'
import { Routing } from '../src/http/routing.ts'
import { createLogger } from '../src/log.ts'
import { version } from '../src/version.ts'

const path = fileURLToPath(new URL('../docs/openapi.json', import.meta.url))

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

if (process.argv.includes('--check')) {
  if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write('docs/openapi.json is out of date: run node scripts/openapi.ts\n')
    process.exitCode = 1
  }
} else {
  writeFileSync(path, text)
}
