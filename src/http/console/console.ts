/** The API of the console: a plugin over the verbs. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Answering, Api } from '../api.ts'
import type { HttpCore } from '../core.ts'
import type { Asker, Endpoint, PersonAccess } from '../endpoint.ts'
import { jsonContent } from '../json-content.ts'
import { Authentication } from './authenticate.ts'
import type { ConsoleCore } from './core.ts'
import { addDocuments } from './document.ts'
import { consoleDocuments, consoleEndpoints } from './endpoints.ts'
import { addLive } from './live/live.ts'
import { Streams } from './live/streams.ts'
import { DATA_HEADERS } from './page/headers.ts'
import { KnownProvider } from './session/provider.ts'
import { signInParts } from './session/signing-in.ts'
import { consoleWords } from './words.ts'

export class Console implements Api {
  readonly prefixes = ['/console/api']
  readonly ownPage = true
  readonly words = consoleWords
  readonly headers = DATA_HEADERS
  readonly content = jsonContent
  readonly endpoints: readonly Endpoint[]
  readonly #core: ConsoleCore
  readonly #authentication: Authentication

  constructor(core: HttpCore) {
    this.#authentication = new Authentication(core)
    const streams = new Streams(core, this.#authentication)
    this.#core = { ...core, signIn: signInParts(core), provider: new KnownProvider(), streams }
    this.endpoints = consoleEndpoints(this.#core)
  }

  authenticate(request: FastifyRequest, access: PersonAccess): Promise<Asker<PersonAccess>> {
    return this.#authentication.authenticate(request, access)
  }

  register(app: FastifyInstance, answering: Answering): void {
    addLive(app, answering, this.#core, this.#authentication)
    const authenticate = (request: FastifyRequest, access: PersonAccess) => this.authenticate(request, access)
    addDocuments(app, answering, consoleDocuments(), authenticate, this.#core)
  }
}
