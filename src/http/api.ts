/**
 * The interface of an API to the server: its paths, its errors, its routes. The server does the rest for all
 * APIs: connections and framing, request ids, admission, the limit of a body, logs and metrics, and sending answers.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify'
import type { Principal } from '../accounts/account.ts'
import type { AnyReason } from '../ingress/fault.ts'
import type { Answer, LongAnswer, OpenAnswer } from './answer.ts'
import type { HttpCore } from './core.ts'
import type { ApiDescription, BodyContent, CallerOf, Endpoint, PersonAccess } from './endpoint.ts'

export interface Api {
  /**
   * The API's own paths, e.g. `/v3` for `/v3` and all paths under it. Of two APIs the longer prefix wins. The API
   * answers every request there, valid or not.
   */
  readonly prefixes: readonly string[]
  /** The answer to any refusal. */
  words(reason: AnyReason): Answer
  /** Header fields of its answers; an answer may override them. */
  readonly headers?: Readonly<Record<string, string>>
  /** Its declared routes. Routes that require a key or a body need `admit` or `content`. */
  readonly endpoints?: readonly Endpoint[]
  /**
   * Authenticates the key of a request, which the API takes from the place where it expects one. Throws or rejects with
   * the reason for a refusal.
   */
  admit?(request: IncomingMessage): Principal | Promise<Principal>
  /**
   * Authenticates the person who sends the request, and checks the access that the route requires. Rejects with the
   * reason for a refusal.
   */
  authenticate?(request: FastifyRequest, access: PersonAccess): Promise<CallerOf<PersonAccess>>
  readonly content?: BodyContent
  /** The API serves a page of this service and no other client: the OpenAPI document leaves it out. */
  readonly ownPage?: true
  /** Absent: none of its routes takes a key. */
  readonly description?: ApiDescription
  /** Adds the handwritten routes to `app`, a scope of its own: hooks and parsers added there affect no other API. */
  register?(app: FastifyInstance, answering: RouteHandlerFactory): void
}

/** Produces an answer; throws or rejects with the reason for a refusal. */
type RouteWork<Route extends RouteGenericInterface = RouteGenericInterface> = (
  request: FastifyRequest<Route>,
  reply: FastifyReply,
) => Promise<Answer<string | Buffer> | LongAnswer | OpenAnswer>

/**
 * Makes the handler of a route. A refusal by `work` becomes the API's answer; in every case the answer is counted and
 * timed under `name`.
 */
export type RouteHandlerFactory = <Route extends RouteGenericInterface>(
  name: string,
  work: RouteWork<Route>,
) => (request: FastifyRequest<Route>, reply: FastifyReply) => Promise<FastifyReply>

/** A class of APIs. */
export type ApiClass = new (core: HttpCore) => Api

export function answeringFor(
  api: Api,
  { answers, reasons }: Pick<HttpCore, 'answers' | 'reasons'>,
): RouteHandlerFactory {
  return (name, work) => (request, reply) => {
    const startedAt = performance.now()
    // No `await`, which would cost the usual message one more turn.
    return work(request, reply).then(
      (answer) => answers.send(request, reply, name, answer, startedAt),
      (error: unknown) => {
        const answer = api.words(reasons.reasonOf(error, request))
        return answers.send(request, reply, name, answer, startedAt)
      },
    )
  }
}
