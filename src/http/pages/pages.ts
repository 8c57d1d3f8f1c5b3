/** What is part of no API: the first page, what machines ask about the service, and everything that does not exist. */
import type { FastifyInstance } from 'fastify'
import type { Answering, Api } from '../api.ts'
import type { HttpCore } from '../core.ts'
import type { HttpDeps } from '../deps.ts'
import type { Endpoint } from '../endpoint.ts'
import { healthEndpoints } from './health.ts'
import { homePage } from './home.ts'
import { OpenApiPages } from './openapi.ts'
import { Readiness } from './readiness.ts'
import { pageWords } from './words.ts'

export class Pages implements Api {
  readonly prefixes = ['/']
  readonly words = pageWords
  readonly endpoints: readonly Endpoint[]
  readonly #deps: HttpDeps

  constructor({ answers, deps }: HttpCore) {
    this.#deps = deps
    const readiness = new Readiness(deps)
    answers.onUnavailable = () => readiness.doubt()
    this.endpoints = healthEndpoints(readiness)
  }

  register(app: FastifyInstance, answering: Answering): void {
    const deps = this.#deps
    if (deps.api) {
      const home = homePage(deps.version)
      app.get(
        '/',
        answering('other', async () => home),
      )
      const openApi = new OpenApiPages()
      app.get(
        '/openapi.json',
        answering('other', () => openApi.document()),
      )
      app.get(
        '/docs',
        answering('other', () => openApi.reader()),
      )
    }
    if (deps.settings.metrics === 'same') {
      const type = deps.registry.contentType
      const page = shared(() => deps.registry.metrics())
      app.get(
        '/metrics',
        answering('other', async () => ({ status: 200, type, body: await page() })),
      )
    }
  }
}

/** All who ask while `make` is under way get what it makes. */
function shared(make: () => Promise<string>): () => Promise<string> {
  let making: Promise<string> | null = null
  return () => {
    making ??= make().finally(() => {
      making = null
    })
    return making
  }
}
