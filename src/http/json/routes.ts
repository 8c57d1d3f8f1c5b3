/**
 * The JSON dialect. Sending, reading one email, and the pages behind signed links are written by hand; all other routes
 * are declared.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import { idempotentOf } from '../../ingress/idempotency.ts'
import { Reading } from '../../ingress/reading.ts'
import { type Answer, JSON_TYPE, type LongAnswer } from '../answer.ts'
import type { Api, RouteHandlerFactory } from '../api.ts'
import { readBody } from '../body.ts'
import type { HttpCore } from '../core.ts'
import { bearerToken } from '../credentials.ts'
import type { Endpoint } from '../endpoint.ts'
import { jsonContent } from '../json-content.ts'
import { DownloadLinks } from '../stored-files/download-link.ts'
import { jsonDescription } from './api-description.ts'
import { attachmentEndpoints } from './emails/attachments.ts'
import { sendBatch } from './emails/batch.ts'
import { DOWNLOAD_PATH, type DownloadRoute, download } from './emails/download.ts'
import { emailJson, longEmailJson } from './emails/email.ts'
import { requireReadable, unknownEmail } from './emails/find.ts'
import { listEmails } from './emails/listing.ts'
import { emailMetrics } from './emails/metrics.ts'
import { withQuota } from './emails/quota.ts'
import { schedulingEndpoints } from './emails/scheduling.ts'
import { SHARE_PATH, SharedEmails, type ShareRoute } from './emails/share.ts'
import { INBOUND_PATH, receiveInboundMail } from './inbound-mail.ts'
import { logEndpoints } from './logs.ts'
import { MANAGEMENT_PREFIXES, managementEndpoints } from './management.ts'
import { jsonReader } from './read-job.ts'
import { usage } from './usage.ts'
import { jsonWords } from './words.ts'

/** Emails of at most this many octets are answered in one piece: small enough for many slow clients at once. */
const SHORT_EMAIL = 16 * 1024

export class JsonDialect implements Api {
  /** The oldest clients send to `/email`. */
  readonly prefixes: readonly string[] = [
    '/emails',
    '/email',
    '/usage',
    '/logs',
    INBOUND_PATH,
    ...MANAGEMENT_PREFIXES,
  ]
  readonly words = jsonWords
  readonly endpoints: readonly Endpoint[]
  readonly content = jsonContent
  readonly description = jsonDescription
  readonly #core: HttpCore
  readonly #reading: Reading<null>
  readonly #links: DownloadLinks
  readonly #shared: SharedEmails

  constructor(core: HttpCore) {
    this.#core = core
    this.#reading = new Reading(core.deps, jsonReader)
    this.#links = new DownloadLinks(core.deps)
    this.#shared = new SharedEmails(core.deps)
    this.endpoints = [
      listEmails,
      emailMetrics,
      usage,
      ...logEndpoints,
      ...schedulingEndpoints,
      ...attachmentEndpoints(this.#links),
      this.#shared.endpoint,
      ...managementEndpoints,
    ]
  }

  register(app: FastifyInstance, answering: RouteHandlerFactory): void {
    const send = answering('email_send', (request, reply) => this.#send(request, reply))
    app.post('/emails', send)
    app.post('/email', send)
    app.post(
      '/emails/batch',
      answering('email_send_batch', async (request, reply) => {
        const caller = await this.admit(request.raw)
        jsonContent.check(request.raw.headers)
        const answer = await sendBatch(request, reply, caller, this.#core)
        return answer.status === 200 ? withQuota(answer, this.#core.deps, caller) : answer
      }),
    )
    app.post(
      INBOUND_PATH,
      answering('inbound_mail', async (request, reply) =>
        receiveInboundMail(request, reply, await this.admit(request.raw), this.#core),
      ),
    )
    app.get(
      '/emails/:id',
      answering<{ Params: { id: string } }>('email_read', (request) =>
        this.#read(request, request.params.id),
      ),
    )
    app.get(
      DOWNLOAD_PATH,
      answering<DownloadRoute>('attachment_download', (request) =>
        download(request, this.#core, this.#links),
      ),
    )
    app.get(
      SHARE_PATH,
      answering<ShareRoute>('email_shared', (request) => this.#shared.show(request, this.#core)),
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
    const room = (octets: number) => this.#core.admission.grow(raw, octets)
    const { id } = await this.#reading.accept(principal, null, body, idempotent, room)
    const answer = { status: 200, type: JSON_TYPE, body: `{"id":"${id}"}` }
    return withQuota(answer, this.#core.deps, principal)
  }

  /** Reads an email, if the caller may read it and there is room for it. */
  async #read({ raw }: FastifyRequest, given: string): Promise<Answer | LongAnswer> {
    const { deps, admission } = this.#core
    const caller = this.admit(raw)
    const principal = caller instanceof Promise ? await caller : caller
    const { id, origin } = await requireReadable(deps, principal, given)
    const isShort = origin.octets <= SHORT_EMAIL
    if (!isShort) await admission.reserve(raw, origin.octets)
    const email = await deps.store.readEmail(id)
    // Retention may have removed it in the meantime.
    if (email === null) throw unknownEmail()
    if (!isShort) return longEmailJson(email)
    return { status: 200, type: JSON_TYPE, body: emailJson(email) }
  }

  admit(request: IncomingMessage): Principal | Promise<Principal> {
    return this.#core.callers.admit(request, bearerToken(request.headers))
  }
}
