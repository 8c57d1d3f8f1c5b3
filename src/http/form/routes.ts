/** The form dialect: `POST /v3/{domain}/messages` and `POST /v3/{domain}/messages.mime`. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import type { Receipt } from '../../intake/submission.ts'
import { jobAt } from '../../workers/job.ts'
import { type Answer, JSON_TYPE } from '../answer.ts'
import type { Answering, Api, HttpCore } from '../api.ts'
import { readBody } from '../body.ts'
import { basicCredentials } from '../credentials.ts'
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

type Route = { Params: { domain: string } }

export class FormDialect implements Api {
  readonly prefixes = ['/v3']
  readonly words = formWords
  readonly #core: HttpCore
  readonly #maxParts: number

  constructor(core: HttpCore) {
    this.#core = core
    this.#maxParts = OTHER_PARTS + core.deps.settings.maxRecipients
  }

  register(app: FastifyInstance, answering: Answering): void {
    app.post(
      '/v3/:domain/messages',
      answering<Route>('form_send', (request, reply) => this.#send(request, reply, false)),
    )
    app.post(
      '/v3/:domain/messages.mime',
      answering<Route>('mime_send', (request, reply) => this.#send(request, reply, true)),
    )
  }

  async #send(request: FastifyRequest<Route>, reply: FastifyReply, mime: boolean): Promise<Answer> {
    const { deps, limit } = this.#core
    const { domain } = request.params
    const { headers } = request.raw
    const caller = this.#authenticate(request.raw)
    const principal = caller instanceof Promise ? await caller : caller
    const admitted = deps.intake.admit(principal, domain)
    if (admitted !== undefined) await admitted
    checkNotEncoded(headers['content-encoding'])
    const key = idempotencyKey(headers)
    const idempotent = key === undefined ? null : { key, endpoint: `POST /v3/messages${mime ? '.mime' : ''}` }
    const asked = { domain, mime, contentType: headers['content-type'], maxParts: this.#maxParts }
    checkFormType(asked, true)
    const received = await readBody(request.raw, reply.raw, limit)
    const { messageId } = await this.#accepted(principal, asked, received, idempotent)
    const body = JSON.stringify({ id: messageId, message: 'Queued. Thank you.' })
    return { status: 200, type: JSON_TYPE, body }
  }

  async #accepted(
    principal: Principal,
    request: FormRequest,
    body: Buffer,
    idempotent: Idempotent | null,
  ): Promise<Receipt> {
    const { intake, workers } = this.#core.deps
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
  #authenticate(request: IncomingMessage): Principal | Promise<Principal> {
    const { authorization } = request.headers
    if (authorization === undefined) throw new Fault({ code: 'key_missing' })
    const credentials = basicCredentials(authorization)
    return this.#core.callers.admit(request, credentials?.user === 'api' ? credentials.password : null)
  }
}
