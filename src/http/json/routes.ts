/** The JSON dialect: `POST /emails` and `GET /emails/{id}`. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import { mayRead, readsNothing } from '../../accounts/reading.ts'
import { Refusal } from '../../intake/refusal.ts'
import type { Receipt } from '../../intake/submission.ts'
import { jobAt } from '../../workers/job.ts'
import { type Answer, JSON_TYPE, type LongAnswer } from '../answer.ts'
import type { Answering, Api, HttpCore, Operation } from '../api.ts'
import { readBody } from '../body.ts'
import { bearerToken } from '../credentials.ts'
import { Fault } from '../fault.ts'
import { idempotencyKey } from '../idempotency.ts'
import { checkJson, checkNotEncoded } from '../media-type.ts'
import { type Idempotent, type Read, readElsewhere, SMALL_BODY, withIdempotency } from '../reading.ts'
import { emailJson, emailJsonPieces } from './email.ts'
import type { JsonOrder } from './read-job.ts'
import { readSubmission } from './submission.ts'
import { jsonWords } from './words.ts'

const job = jobAt<JsonOrder, Read>(new URL('./read-job.ts', import.meta.url))

/**
 * Octets up to which an email is read and answered as a whole, however many ask for one at once and are slow to take it
 * in.
 */
const SHORT_EMAIL = 16 * 1024

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export class JsonDialect implements Api {
  readonly prefixes = ['/emails']
  readonly words = jsonWords
  /** What is no id at all is no email's: the same answer as to an unknown one. */
  readonly unreadable: Operation = { name: 'email_read', work: (request) => this.#read(request, '') }
  readonly #core: HttpCore

  constructor(core: HttpCore) {
    this.#core = core
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
    const caller = this.#authenticate(request.raw)
    const principal = caller instanceof Promise ? await caller : caller
    const { headers } = request.raw
    checkJson(headers['content-type'])
    checkNotEncoded(headers['content-encoding'])
    const key = idempotencyKey(headers)
    const body = await readBody(request.raw, reply.raw, this.#core.limit)
    const idempotent = key === undefined ? null : { key, endpoint: 'POST /emails' }
    const { id } = await this.#accepted(principal, body, idempotent)
    return { status: 200, type: JSON_TYPE, body: `{"id":"${id}"}` }
  }

  /** Throws or rejects with what the body is refused for. */
  #accepted(principal: Principal, body: Buffer, idempotent: Idempotent | null): Promise<Receipt> {
    if (body.length > SMALL_BODY) return this.#readElsewhere(principal, body, idempotent)
    const { intake } = this.#core.deps
    const submission = readSubmission(body)
    if (idempotent === null) return intake.submit(principal, submission)
    // Equality is that of the octets.
    return withIdempotency(submission, idempotent, body).then((same) => intake.submit(principal, same))
  }

  async #readElsewhere(principal: Principal, body: Buffer, idempotent: Idempotent | null): Promise<Receipt> {
    const { intake, workers } = this.#core.deps
    const order = { body, idempotent, terms: intake.terms() }
    return intake.accept(principal, await readElsewhere(workers, principal.companyId, job, order))
  }

  /** The email, when the caller may read it and there is room for it. */
  async #read({ raw }: Pick<FastifyRequest, 'raw'>, given: string): Promise<Answer | LongAnswer> {
    const { deps, limit } = this.#core
    const caller = this.#authenticate(raw)
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

  #authenticate(request: IncomingMessage): Principal | Promise<Principal> {
    const { authorization } = request.headers
    if (authorization === undefined || authorization === '') throw new Fault({ code: 'key_missing' })
    return this.#core.callers.admit(request, bearerToken(authorization))
  }
}
