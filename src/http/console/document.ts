/** Routes of the console whose answer is not JSON: files, and the documents in its frames. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Answer, LongAnswer } from '../answer.ts'
import type { Answering } from '../api.ts'
import type { HttpCore } from '../core.ts'
import type { Asker, PersonAccess } from '../endpoint.ts'

export interface DocumentCall<Access extends PersonAccess> {
  caller: Asker<Access>
  params: Record<string, string>
  query: Record<string, string | undefined>
  request: FastifyRequest
}

export interface ConsoleDocument<Access extends PersonAccess = PersonAccess> {
  method: 'GET'
  url: string
  /** The route's label in metrics. */
  operation: string
  access: Access
  work(call: DocumentCall<Access>, core: HttpCore): Promise<Answer | LongAnswer>
}

export function document<const Access extends PersonAccess>(
  declared: ConsoleDocument<Access>,
): ConsoleDocument {
  return declared as unknown as ConsoleDocument
}

export type Authenticate = (request: FastifyRequest, access: PersonAccess) => Promise<Asker<PersonAccess>>

export function addDocuments(
  app: FastifyInstance,
  answering: Answering,
  documents: readonly ConsoleDocument[],
  authenticate: Authenticate,
  core: HttpCore,
): void {
  for (const { url, operation, access, work } of documents) {
    app.get(
      url,
      answering(operation, async (request) => {
        const caller = await authenticate(request, access)
        const params = request.params as Record<string, string>
        return await work({ caller, params, query: singles(request.query), request }, core)
      }),
    )
  }
}

/** The first of several parameters with one name. */
function singles(query: unknown): Record<string, string | undefined> {
  const entries = Object.entries(query as Record<string, string | string[]>)
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]))
}
