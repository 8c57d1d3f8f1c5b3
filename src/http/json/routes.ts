/** The JSON dialect: `POST /emails` and `GET /emails/{id}`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import { mayRead, readsNothing } from '../../accounts/reading.ts'
import { Refusal } from '../../intake/refusal.ts'
import type { Receipt } from '../../intake/submission.ts'
import type { StoredEmail } from '../../store/store.ts'
import { jobAt } from '../../workers/job.ts'
import { type Answer, type Answers, JSON_TYPE } from '../answer.ts'
import { type BodyLimit, readBody } from '../body.ts'
import type { Callers } from '../caller.ts'
import { bearerToken } from '../credentials.ts'
import type { HttpDeps } from '../deps.ts'
import { Fault } from '../fault.ts'
import { idempotencyKey } from '../idempotency.ts'
import { checkJson, checkNotEncoded } from '../media-type.ts'
import { type Idempotent, type Read, readElsewhere, SMALL_BODY, withIdempotency } from '../reading.ts'
import { emailJson, emailJsonPieces } from './email.ts'
import type { JsonOrder } from './read-job.ts'
import { readSubmission } from './submission.ts'
import { jsonWords } from './words.ts'

const job = jobAt<JsonOrder, Read>(new URL('./read-job.ts', import.meta.url))

/** Octets up to which an email is read and answered as a whole, however many ask for one at once and are slow to take it in. */
const SHORT_EMAIL = 16 * 1024

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export interface DialectParts {
  deps: Pick<HttpDeps, 'intake' | 'store' | 'workers'>
  answers: Answers
  limit: BodyLimit
  callers: Callers
}

export class JsonDialect {
  readonly #parts: DialectParts

  constructor(parts: DialectParts) {
    this.#parts = parts
  }

  register(app: FastifyInstance): void {
    app.post('/emails', (request, reply) => this.#send(request, reply))
    app.get<{ Params: { id: string } }>('/emails/:id', (request, reply) =>
      this.#read(request, reply, request.params.id),
    )
  }

  /** Answers for a path under `/emails/` that cannot be decoded or is too long to be an id: no such email. */
  answerUnreadableId(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#read(request, reply, '')
  }

  async #send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const startedAt = performance.now()
    let answer: Answer
    try {
      const caller = this.#authenticate(request)
      const principal = caller instanceof Promise ? await caller : caller
      const { headers } = request.raw
      checkJson(headers['content-type'])
      checkNotEncoded(headers['content-encoding'])
      const key = idempotencyKey(headers)
      const body = await readBody(request.raw, reply.raw, this.#parts.limit)
      const idempotent = key === undefined ? null : { key, endpoint: 'POST /emails' }
      const { id } = await this.#accepted(principal, body, idempotent)
      answer = { status: 200, type: JSON_TYPE, body: `{"id":"${id}"}` }
    } catch (error) {
      answer = jsonWords(this.#parts.answers.reasonOf(error, request))
    } finally {
      this.#parts.limit.admission.release(request.raw)
    }
    return this.#parts.answers.send(request, reply, 'email_send', answer, startedAt)
  }

  /** Throws or rejects with what the body is refused for. */
  #accepted(principal: Principal, body: Buffer, idempotent: Idempotent | null): Promise<Receipt> {
    if (body.length > SMALL_BODY) return this.#readElsewhere(principal, body, idempotent)
    const { intake } = this.#parts.deps
    const submission = readSubmission(body)
    if (idempotent === null) return intake.submit(principal, submission)
    // Equality is that of the octets.
    return withIdempotency(submission, idempotent, body).then((same) => intake.submit(principal, same))
  }

  async #readElsewhere(principal: Principal, body: Buffer, idempotent: Idempotent | null): Promise<Receipt> {
    const { intake, workers } = this.#parts.deps
    const order = { body, idempotent, terms: intake.terms() }
    return intake.accept(principal, await readElsewhere(workers, principal.companyId, job, order))
  }

  async #read(request: FastifyRequest, reply: FastifyReply, id: string): Promise<FastifyReply> {
    const startedAt = performance.now()
    const { answers, limit } = this.#parts
    try {
      const email = await this.#readable(request, id)
      if ('short' in email) {
        const answer = { status: 200, type: JSON_TYPE, body: emailJson(email.short) }
        return answers.send(request, reply, 'email_read', answer, startedAt)
      }
      const answer = { type: JSON_TYPE, pieces: emailJsonPieces(email.long) }
      // What was read counts until its client has it.
      return await answers.sendPieces(request, reply, 'email_read', answer, startedAt)
    } catch (error) {
      const answer = jsonWords(answers.reasonOf(error, request))
      return answers.send(request, reply, 'email_read', answer, startedAt)
    } finally {
      limit.admission.release(request.raw)
    }
  }

  /** The email, when the caller may read it and there is room for it. */
  async #readable(
    request: FastifyRequest,
    id: string,
  ): Promise<{ short: StoredEmail } | { long: StoredEmail }> {
    const { deps, limit } = this.#parts
    const caller = this.#authenticate(request)
    const principal = caller instanceof Promise ? await caller : caller
    // Before anything is looked up: it says nothing about the email.
    if (readsNothing(principal)) throw new Refusal({ code: 'scope_missing', scope: 'reading' })
    const origin = UUID.test(id) ? await deps.store.emailOrigin(id.toLowerCase()) : null
    if (origin === null || !mayRead(principal, origin)) throw new Fault({ code: 'email_unknown' })
    const isShort = origin.octets <= SHORT_EMAIL
    if (!isShort) await limit.admission.reserve(request.raw, origin.octets)
    const email = await deps.store.readEmail(id.toLowerCase())
    // Retention may have been there first.
    if (email === null) throw new Fault({ code: 'email_unknown' })
    return isShort ? { short: email } : { long: email }
  }

  #authenticate(request: FastifyRequest): Principal | Promise<Principal> {
    const { authorization } = request.raw.headers
    if (authorization === undefined || authorization === '') throw new Fault({ code: 'key_missing' })
    return this.#parts.callers.admit(request.raw, bearerToken(authorization))
  }
}
