/** The form dialect: `POST /v3/{domain}/messages` and `POST /v3/{domain}/messages.mime`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import type { Receipt } from '../../intake/submission.ts'
import { jobAt } from '../../workers/job.ts'
import { type Answer, type Answers, JSON_TYPE } from '../answer.ts'
import { type BodyLimit, readBody } from '../body.ts'
import type { Callers } from '../caller.ts'
import { basicCredentials } from '../credentials.ts'
import type { HttpDeps } from '../deps.ts'
import { Fault } from '../fault.ts'
import { idempotencyKey } from '../idempotency.ts'
import { checkNotEncoded } from '../media-type.ts'
import { type Idempotent, type Read, readElsewhere, SMALL_BODY, withIdempotency } from '../reading.ts'
import type { FormOrder } from './read-job.ts'
import { checkFormType, type FormRequest, readFormRequest } from './request.ts'
import { formWords } from './words.ts'

const job = jobAt<FormOrder, Read>(new URL('./read-job.ts', import.meta.url))

/** Form fields beside one for each recipient in each of `to`, `cc` and `bcc`. */
const OTHER_PARTS = 2_000

export interface FormParts {
  deps: Pick<HttpDeps, 'intake' | 'workers'>
  answers: Answers
  limit: BodyLimit
  callers: Callers
  maxRecipients: number
}

type Route = { Params: { domain: string } }

export class FormDialect {
  readonly #parts: FormParts
  readonly #maxParts: number

  constructor(parts: FormParts) {
    this.#parts = parts
    this.#maxParts = OTHER_PARTS + parts.maxRecipients
  }

  register(app: FastifyInstance): void {
    app.post<Route>('/v3/:domain/messages', (request, reply) =>
      this.#send(request, reply, request.params.domain, false),
    )
    app.post<Route>('/v3/:domain/messages.mime', (request, reply) =>
      this.#send(request, reply, request.params.domain, true),
    )
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    domain: string,
    mime: boolean,
  ): Promise<FastifyReply> {
    const startedAt = performance.now()
    const { answers, deps } = this.#parts
    let answer: Answer
    try {
      const caller = this.#authenticate(request)
      const principal = caller instanceof Promise ? await caller : caller
      const admitted = deps.intake.admit(principal, domain)
      if (admitted !== undefined) await admitted
      checkNotEncoded(request.raw.headers['content-encoding'])
      const key = idempotencyKey(request.raw.headers)
      const idempotent =
        key === undefined ? null : { key, endpoint: `POST /v3/messages${mime ? '.mime' : ''}` }
      const asked = {
        domain,
        mime,
        contentType: request.raw.headers['content-type'],
        maxParts: this.#maxParts,
      }
      checkFormType(asked, true)
      const received = await readBody(request.raw, reply.raw, this.#parts.limit)
      const { messageId } = await this.#accepted(principal, asked, received, idempotent)
      const body = JSON.stringify({ id: messageId, message: 'Queued. Thank you.' })
      answer = { status: 200, type: JSON_TYPE, body }
    } catch (error) {
      answer = formWords(answers.reasonOf(error, request))
    } finally {
      this.#parts.limit.admission.release(request.raw)
    }
    return answers.send(request, reply, mime ? 'mime_send' : 'form_send', answer, startedAt)
  }

  async #accepted(
    principal: Principal,
    request: FormRequest,
    body: Buffer,
    idempotent: Idempotent | null,
  ): Promise<Receipt> {
    const { intake, workers } = this.#parts.deps
    if (body.length <= SMALL_BODY) {
      const submission = readFormRequest(request, body)
      // A small template with many recipients is much work.
      if (submission.recipientVariables === undefined) {
        if (idempotent === null) return intake.submit(principal, submission)
        return intake.submit(principal, await withIdempotency(submission, idempotent, submission))
      }
    }
    const order = { request, body, idempotent, terms: intake.terms() }
    return intake.accept(principal, await readElsewhere(workers, principal.companyId, job, order))
  }

  /** User name `api`, password the key; whatever is wrong gets one answer. */
  #authenticate(request: FastifyRequest): Principal | Promise<Principal> {
    const { authorization } = request.raw.headers
    if (authorization === undefined) throw new Fault({ code: 'key_missing' })
    const credentials = basicCredentials(authorization)
    return this.#parts.callers.admit(request.raw, credentials?.user === 'api' ? credentials.password : null)
  }
}
