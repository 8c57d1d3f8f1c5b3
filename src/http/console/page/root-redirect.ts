/** The redirect from `/` to the console, for a listener of the console alone. */
import type { FastifyInstance } from 'fastify'
import type { Api, RouteHandlerFactory } from '../../api.ts'
import { redirectToConsole } from '../../console-path.ts'
import { consoleWords } from '../words.ts'
import { DATA_HEADERS } from './headers.ts'

export class RootRedirect implements Api {
  readonly prefixes = ['/']
  readonly ownPage = true
  readonly words = consoleWords
  readonly headers = DATA_HEADERS

  register(app: FastifyInstance, answering: RouteHandlerFactory): void {
    app.get(
      '/',
      answering('other', async () => redirectToConsole()),
    )
  }
}
