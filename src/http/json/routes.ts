/** The JSON dialect: `POST /emails` and `GET /emails/{id}`. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import { mayRead, readsNothing } from '../../accounts/reading.ts'
import { Refusal } from '../../intake/refusal.ts'
import { type Answer, JSON_TYPE, type LongAnswer } from '../answer.ts'
import type { Answering, Api, Operation } from '../api.ts'
import { readBody } from '../body.ts'
import type { HttpCore } from '../core.ts'
import { bearerToken } from '../credentials.ts'
import type { Endpoint } from '../endpoint.ts'
import { Fault } from '../fault.ts'
import { idempotentOf } from '../idempotency.ts'
import { Reading } from '../reading.ts'
import { jsonContent } from './content.ts'
import { emailJson, emailJsonPieces } from './email.ts'
import { jsonReader } from './read-job.ts'
import { jsonWords } from './words.ts'

/**
 * Octets up to which an email is read and answered as a whole, however many ask for one at once and are slow to take it
 * in.
 */
const SHORT_EMAIL = 16 * 1024

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export class JsonDialect implements Api {
  readonly prefixes: readonly string[] = ['/emails']
  readonly words = jsonWords
  readonly endpoints: readonly Endpoint[] = []
  readonly content = jsonContent
  /** What is no id at all is no email's: the same answer as to an unknown one. */
  readonly unreadable: Operation = { name: 'email_read', work: (request) => this.#read(request, '') }
  readonly #core: HttpCore
  readonly #reading: Reading<null>

  constructor(core: HttpCore) {
    this.#core = core
    this.#reading = new Reading(core.deps, jsonReader)
  }

  register(app: FastifyInstance, answering: Answering): void {
    app.post(
      '/emails',
      answering('email_send', (request, reply) => this.#send(request, reply)),
    )
    app.get(
      '/emails/:id',
      answering<{ Params: { id: string } }>('email_read', (request) =>
        this.#read(request, request.params.id),
      ),
    )
  }

  async #send(request: FastifyRequest, reply: FastifyReply): Promise<Answer> {
    const { raw } = request
    const caller = this.admit(raw)
    const principal = caller instanceof Promise ? await caller : caller
    const { headers } = raw
    jsonContent.check(headers)
    const idempotent = idempotentOf(headers, 'POST /emails')
    const body = await readBody(raw, reply.raw, this.#core.limit)
    const { id } = await this.#reading.accept(principal, null, body, idempotent)
    return { status: 200, type: JSON_TYPE, body: `{"id":"${id}"}` }
  }

  /** The email, when the caller may read it and there is room for it. */
  async #read({ raw }: Pick<FastifyRequest, 'raw'>, given: string): Promise<Answer | LongAnswer> {
    const { deps, limit } = this.#core
    const caller = this.admit(raw)
    const principal = caller instanceof Promise ? await caller : caller
    // Before anything is looked up: it says nothing about the email.
    if (readsNothing(principal)) throw new Refusal({ code: 'scope_missing', scope: 'reading' })
    const id = given.toLowerCase()
    const origin = UUID.test(id) ? await deps.store.emailOrigin(id) : null
    if (origin === null || !mayRead(principal, origin)) throw new Fault({ code: 'email_unknown' })
    const isShort = origin.octets <= SHORT_EMAIL
    if (!isShort) await limit.admission.reserve(raw, origin.octets)
    const email = await deps.store.readEmail(id)
    // Retention may have been there first.
    if (email === null) throw new Fault({ code: 'email_unknown' })
    if (!isShort) return { type: JSON_TYPE, pieces: emailJsonPieces(email) }
    return { status: 200, type: JSON_TYPE, body: emailJson(email) }
  }

  admit(request: IncomingMessage): Principal | Promise<Principal> {
    return this.#core.callers.admit(request, bearerToken(request.headers))
  }
}
