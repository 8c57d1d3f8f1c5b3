/** The JSON dialect: `POST /emails` and `GET /emails/{id}`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import { mayRead } from '../../accounts/reading.ts'
import type { Receipt } from '../../intake/submission.ts'
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
import { emailJson } from './email.ts'
import type { JsonOrder } from './read-job.ts'
import { readSubmission } from './submission.ts'
import { jsonWords } from './words.ts'

const job = jobAt<JsonOrder, Read>(new URL('./read-job.ts', import.meta.url))

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
      const principal = this.#authenticate(request)
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

  async #accepted(principal: Principal, body: Buffer, idempotent: Idempotent | null): Promise<Receipt> {
    const { intake, workers } = this.#parts.deps
    if (body.length <= SMALL_BODY) {
      const submission = readSubmission(body)
      // Equality is that of the octets.
      if (idempotent === null) return intake.submit(principal, submission)
      return intake.submit(principal, await withIdempotency(submission, idempotent, body))
    }
    const order = { body, idempotent, terms: intake.terms() }
    return intake.accept(principal, await readElsewhere(workers, principal.companyId, job, order))
  }

  async #read(request: FastifyRequest, reply: FastifyReply, id: string): Promise<FastifyReply> {
    const startedAt = performance.now()
    let answer: Answer
    try {
      const principal = this.#authenticate(request)
      const email = UUID.test(id) ? await this.#parts.deps.store.readEmail(id.toLowerCase()) : null
      if (email === null || !mayRead(principal, email)) throw new Fault({ code: 'email_unknown' })
      answer = { status: 200, type: JSON_TYPE, body: emailJson(email) }
    } catch (error) {
      answer = jsonWords(this.#parts.answers.reasonOf(error, request))
    } finally {
      this.#parts.limit.admission.release(request.raw)
    }
    return this.#parts.answers.send(request, reply, 'email_read', answer, startedAt)
  }

  #authenticate(request: FastifyRequest): Principal {
    const { authorization } = request.raw.headers
    if (authorization === undefined || authorization === '') throw new Fault({ code: 'key_missing' })
    return this.#parts.callers.admit(request.raw, bearerToken(authorization))
  }
}
