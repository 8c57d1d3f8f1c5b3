/** The form dialect: `POST /v3/{domain}/messages` and `POST /v3/{domain}/messages.mime`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import type { Submission } from '../../intake/submission.ts'
import { type Answer, type Answers, JSON_TYPE } from '../answer.ts'
import { type BodyLimit, readBody } from '../body.ts'
import type { Callers } from '../caller.ts'
import { basicCredentials } from '../credentials.ts'
import type { HttpDeps } from '../deps.ts'
import { clip, Fault } from '../fault.ts'
import { fingerprint, idempotencyKey } from '../idempotency.ts'
import { checkNotEncoded, mediaTypeName } from '../media-type.ts'
import type { Form } from './form.ts'
import { readMultipart } from './multipart.ts'
import { readMessage, readMimeMessage } from './submission.ts'
import { readUrlencoded } from './urlencoded.ts'
import { formWords } from './words.ts'

const MULTIPART = 'multipart/form-data'
const URLENCODED = 'application/x-www-form-urlencoded'

/** Form fields beside one for each recipient in each of `to`, `cc` and `bcc`. */
const OTHER_PARTS = 2_000

export interface FormParts {
  deps: Pick<HttpDeps, 'intake'>
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
      const principal = this.#authenticate(request)
      deps.intake.admit(principal, domain)
      checkNotEncoded(request.raw.headers['content-encoding'])
      const key = idempotencyKey(request.raw.headers)
      const submission = mime
        ? await this.#readMime(request, reply, domain)
        : await this.#readFields(request, reply, domain)
      if (key !== undefined) {
        // A client that repeats a form makes a new boundary: equality is that of what was understood.
        const endpoint = `POST /v3/messages${mime ? '.mime' : ''}`
        submission.idempotency = { key, fingerprint: await fingerprint(endpoint, submission) }
      }
      this.#parts.limit.admission.working(request.raw)
      const { messageId } = await deps.intake.submit(principal, submission)
      const body = JSON.stringify({ id: messageId, message: 'Queued. Thank you.' })
      answer = { status: 200, type: JSON_TYPE, body }
    } catch (error) {
      answer = formWords(answers.reasonOf(error, request))
    } finally {
      this.#parts.limit.admission.release(request.raw)
    }
    return answers.send(request, reply, mime ? 'mime_send' : 'form_send', answer, startedAt)
  }

  async #readFields(request: FastifyRequest, reply: FastifyReply, domain: string): Promise<Submission> {
    return readMessage(domain, await this.#readForm(request, reply))
  }

  async #readForm(request: FastifyRequest, reply: FastifyReply): Promise<Form> {
    const { limit } = this.#parts
    const type = request.raw.headers['content-type']
    switch (mediaTypeName(type)) {
      case MULTIPART:
        return readMultipart(request.raw, reply.raw, limit, this.#maxParts)
      case URLENCODED:
        return readUrlencoded(await readBody(request.raw, reply.raw, limit), this.#maxParts, type)
      case '': {
        const body = await readBody(request.raw, reply.raw, limit)
        if (body.length === 0) return { fields: [], files: [] }
      }
    }
    throw wrongType(`'${MULTIPART}' or '${URLENCODED}'`, type)
  }

  async #readMime(request: FastifyRequest, reply: FastifyReply, domain: string): Promise<Submission> {
    const type = request.raw.headers['content-type']
    if (mediaTypeName(type) !== MULTIPART) throw wrongType(`'${MULTIPART}'`, type)
    return readMimeMessage(
      domain,
      await readMultipart(request.raw, reply.raw, this.#parts.limit, this.#maxParts),
    )
  }

  /** User name `api`, password the key; whatever is wrong gets one answer. */
  #authenticate(request: FastifyRequest): Principal {
    const { authorization } = request.raw.headers
    if (authorization === undefined) throw new Fault({ code: 'key_missing' })
    const credentials = basicCredentials(authorization)
    return this.#parts.callers.admit(request.raw, credentials?.user === 'api' ? credentials.password : null)
  }
}

function wrongType(expected: string, type: string | undefined): Fault {
  return new Fault({
    code: 'request_invalid',
    detail: `Invalid request content type. Expecting ${expected} but got '${clip(mediaTypeName(type))}'`,
  })
}
