/**
 * What an API is to the server: its paths, its words, its routes. All else is the server's, for every API alike:
 * connections and framing, request ids, who may have how much at once, the limit of a body, what is logged and counted,
 * and how an answer leaves.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify'
import type { Principal } from '../accounts/account.ts'
import type { Answer, Answers, LongAnswer, OpenAnswer } from './answer.ts'
import type { HttpCore } from './core.ts'
import type { Asker, Content, Endpoint, PersonAccess, Told } from './endpoint.ts'
import type { AnyReason } from './fault.ts'

export interface Api {
  /**
   * The paths that are its own, e.g. `/v3` for `/v3` and all beneath it. Of two APIs the longer prefix wins. A request
   * there is answered in its words, whatever is wrong with it.
   */
  readonly prefixes: readonly string[]
  /** Any refusal there is, as an answer. */
  words(reason: AnyReason): Answer
  /** Of each of its answers that does not say otherwise. */
  readonly headers?: Readonly<Record<string, string>>
  /** Its routes that are declared. Where they ask for a key or a body, it has `admit` or `content`. */
  readonly endpoints?: readonly Endpoint[]
  /** Who holds the key of a request, wherever this API finds it. Throws or rejects with what is wrong with it. */
  admit?(request: IncomingMessage): Principal | Promise<Principal>
  /** The person who asks, where he may have what the route asks of him. Rejects with why not. */
  authenticate?(request: FastifyRequest, access: PersonAccess): Promise<Asker<PersonAccess>>
  readonly content?: Content
  /** It serves a page of this service and nobody else: the document does not tell of it. */
  readonly ownPage?: true
  /** Absent: of nothing that takes a key. */
  readonly told?: Told
  /**
   * Adds those that are written by hand to `app`, a scope of its own: hooks and parsers that it adds there are its
   * alone.
   */
  register?(app: FastifyInstance, answering: Answering): void
}

/** Makes an answer; throws or rejects with what the request is refused for. */
export type Work<Route extends RouteGenericInterface = RouteGenericInterface> = (
  request: FastifyRequest<Route>,
  reply: FastifyReply,
) => Promise<Answer<string | Buffer> | LongAnswer | OpenAnswer>

/**
 * The handler of a route. What `work` is refused for leaves in the API's words; either way it is counted and timed
 * under `name`.
 */
export type Answering = <Route extends RouteGenericInterface>(
  name: string,
  work: Work<Route>,
) => (request: FastifyRequest<Route>, reply: FastifyReply) => Promise<FastifyReply>

/** A class of APIs. */
export type ApiClass = new (core: HttpCore) => Api

export function answeringFor(api: Api, answers: Answers): Answering {
  return (name, work) => (request, reply) => {
    const startedAt = performance.now()
    // No `await`, which would cost the usual message one more turn.
    return work(request, reply).then(
      (answer) => answers.send(request, reply, name, answer, startedAt),
      (error: unknown) => {
        const answer = api.words(answers.reasonOf(error, request))
        return answers.send(request, reply, name, answer, startedAt)
      },
    )
  }
}
