/** The API of the console: a plugin over the verbs. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LinkTokens } from '../../email/mailed-links.ts'
import { PasswordLinks } from '../../operate/password-reset.ts'
import type { Api } from '../api.ts'
import type { HttpCore } from '../core.ts'
import type { CallerOf, Endpoint, PersonAccess } from '../endpoint.ts'
import { jsonContent } from '../json-content.ts'
import { Authentication } from './authenticate.ts'
import { consoleEndpoints } from './endpoints.ts'
import { Streams } from './live/streams.ts'
import { DATA_HEADERS } from './page/headers.ts'
import { ProviderCache } from './session/provider.ts'
import { signInParts } from './session/signing-in.ts'
import { consoleWords } from './words.ts'

export class Console implements Api {
  readonly prefixes = ['/console/api']
  readonly ownPage = true
  readonly words = consoleWords
  readonly headers = DATA_HEADERS
  readonly content = jsonContent
  readonly endpoints: readonly Endpoint[]
  readonly #streams: Streams
  readonly #authentication: Authentication
  readonly #passwordLinks: PasswordLinks

  constructor(core: HttpCore) {
    this.#authentication = new Authentication(core)
    const streams = new Streams(core, this.#authentication)
    this.#streams = streams
    const signIn = signInParts(core)
    this.#passwordLinks = new PasswordLinks(signIn)
    this.endpoints = consoleEndpoints({
      ...core,
      signIn,
      passwordLinks: this.#passwordLinks,
      linkTokens: new LinkTokens(core.deps),
      provider: new ProviderCache(),
      streams,
    })
  }

  authenticate(request: FastifyRequest, access: PersonAccess): Promise<CallerOf<PersonAccess>> {
    return this.#authentication.authenticate(request, access)
  }

  register(app: FastifyInstance): void {
    // Without this, closing the server would wait for open streams.
    app.addHook('preClose', async () => this.#streams.close())
    app.addHook('onClose', async () => this.#passwordLinks.settled())
  }
}
