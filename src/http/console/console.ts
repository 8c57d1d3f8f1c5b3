/** The API of the console, and its page: one plugin over the verbs. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Answering, Api } from '../api.ts'
import type { HttpCore } from '../core.ts'
import type { Asker, Endpoint, PersonAccess } from '../endpoint.ts'
import { jsonContent } from '../json-content.ts'
import { consoleEndpoints } from './endpoints.ts'
import { Guests } from './guests.ts'
import { consoleWords } from './words.ts'

export class Console implements Api {
  readonly prefixes = ['/console']
  readonly ownPage = true
  readonly words = consoleWords
  readonly content = jsonContent
  readonly endpoints: readonly Endpoint[]
  readonly #guests: Guests

  constructor(core: HttpCore) {
    this.#guests = new Guests(core)
    this.endpoints = consoleEndpoints()
  }

  welcome(request: FastifyRequest, access: PersonAccess): Promise<Asker<PersonAccess>> {
    return this.#guests.welcome(request, access)
  }

  register(_app: FastifyInstance, _answering: Answering): void {}
}
