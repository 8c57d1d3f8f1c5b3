/** Pages outside the APIs: the first page, probes and documentation, and the answer to unknown paths. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { unsubscribeLinks } from '../../email/unsubscribe-link.ts'
import type { Api, RouteHandlerFactory } from '../api.ts'
import { redirectToConsole } from '../console-path.ts'
import type { HttpCore } from '../core.ts'
import type { Endpoint } from '../endpoint.ts'
import { healthEndpoints } from './health.ts'
import { homePage } from './home.ts'
import { OpenApiPages } from './openapi.ts'
import { Readiness } from './readiness.ts'
import { TLS_REPORTS_ROUTE, TlsReportsPage, type TlsReportsRoute } from './tls-reports.ts'
import { UNSUBSCRIBE_ROUTE, UnsubscribePage, type UnsubscribeRoute } from './unsubscribe.ts'
import { pageWords } from './words.ts'

export class Pages implements Api {
  readonly prefixes = ['/']
  readonly words = pageWords
  readonly endpoints: readonly Endpoint[]
  readonly #core: HttpCore
  readonly #readiness: Readiness

  constructor(core: HttpCore) {
    const { reasons, deps } = core
    this.#core = core
    this.#readiness = new Readiness(deps)
    reasons.onUnavailable = () => this.#readiness.doubt()
    this.endpoints = healthEndpoints(this.#readiness)
  }

  register(app: FastifyInstance, answering: RouteHandlerFactory): void {
    const { deps } = this.#core
    this.#readiness.measure(deps.registry)
    if (deps.api) {
      const home = homePage(deps.version)
      const hasConsole = deps.settings.console === 'same'
      app.get(
        '/',
        answering('other', async ({ headers }) =>
          hasConsole && wantsPage(headers) ? redirectToConsole() : home,
        ),
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
    const links = unsubscribeLinks(deps.settings.publicUrl, deps)
    if (deps.api && links !== null) {
      const unsubscribing = new UnsubscribePage(this.#core, links)
      app.get(
        UNSUBSCRIBE_ROUTE,
        answering<UnsubscribeRoute>('unsubscribe_ask', async (request) => unsubscribing.ask(request)),
      )
      app.post(
        UNSUBSCRIBE_ROUTE,
        answering<UnsubscribeRoute>('unsubscribe', (request) => unsubscribing.take(request)),
      )
    }
    if (deps.api) {
      const reports = new TlsReportsPage(this.#core)
      app.post(
        TLS_REPORTS_ROUTE,
        answering<TlsReportsRoute>('tls_report', (request, reply) => reports.take(request, reply)),
      )
    }
    if (deps.settings.metrics === 'same') {
      const type = deps.registry.contentType
      const page = oneAtATime(() => deps.registry.metrics())
      app.get(
        '/metrics',
        answering('other', async () => ({ status: 200, type, body: await page() })),
      )
    }
  }
}

/** A browser names HTML; other programs accept any type. */
function wantsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.toLowerCase().includes('text/html')
}

/** Calls share one run of `make` while it is under way. */
function oneAtATime(make: () => Promise<string>): () => Promise<string> {
  let making: Promise<string> | null = null
  return () => {
    making ??= make().finally(() => {
      making = null
    })
    return making
  }
}
