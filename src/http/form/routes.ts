/** The form dialect. The routes of messages, and the imports of lists, are written by hand; all others are declared. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../accounts/account.ts'
import { idempotentOf } from '../../ingress/idempotency.ts'
import { Reading } from '../../ingress/reading.ts'
import { type Answer, JSON_TYPE } from '../answer.ts'
import type { Api, RouteHandlerFactory } from '../api.ts'
import { readBody } from '../body.ts'
import type { HttpCore } from '../core.ts'
import { basicPassword } from '../credentials.ts'
import type { Endpoint } from '../endpoint.ts'
import { checkNotEncoded } from '../media-type.ts'
import { DownloadLinks } from '../stored-files/download-link.ts'
import { keyRoutes } from './account/keys.ts'
import { signingKeyRoutes } from './account/signing-key.ts'
import { bounceMetricRoutes } from './analytics/bounce-classification.ts'
import { logRoutes } from './analytics/logs.ts'
import { metricRoutes } from './analytics/metrics.ts'
import { allTagRoutes } from './analytics/tags.ts'
import { formDescription } from './api-description.ts'
import { formContent } from './content.ts'
import { credentialRoutes } from './credentials/routes.ts'
import { connectionRoutes } from './domains/connection.ts'
import { dkimRoutes } from './domains/keys.ts'
import { rotationRoutes } from './domains/rotation.ts'
import { domainRoutes } from './domains/routes.ts'
import { trackingRoutes } from './domains/tracking.ts'
import { eventRoutes } from './log/routes.ts'
import { formReader } from './read-job.ts'
import { checkFormType, type FormRequest } from './request.ts'
import { sourceRoutes } from './sources/routes.ts'
import { aggregateRoutes } from './stats/aggregates.ts'
import { statsByDomainRoutes } from './stats/by-domain.ts'
import { statsRoutes } from './stats/routes.ts'
import { envelopeRoutes } from './stored/envelopes.ts'
import { readAgain, readStored, type StoredRoute } from './stored/stored.ts'
import { type ImportRoute, importList } from './suppressions/import.ts'
import { LISTS, type SuppressionList } from './suppressions/lists.ts'
import { suppressionRoutes } from './suppressions/routes.ts'
import { whitelistRoutes } from './suppressions/whitelists.ts'
import { tagByQueryRoutes } from './tags/by-query.ts'
import { tagRoutes } from './tags/routes.ts'
import { accountWebhookRoutes } from './webhooks/account.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { formWords } from './words.ts'

/** Form fields and files in addition to one field for each recipient. */
const OTHER_PARTS = 2_000

type DomainParams = { Params: { domain: string } }

export class FormDialect implements Api {
  readonly prefixes: readonly string[] = ['/v1', '/v2', '/v3', '/v4', '/v5']
  readonly words = formWords
  readonly endpoints: readonly Endpoint[] = [
    ...connectionRoutes,
    ...credentialRoutes,
    ...dkimRoutes,
    ...rotationRoutes,
    ...domainRoutes,
    ...trackingRoutes,
    ...envelopeRoutes,
    ...eventRoutes,
    ...logRoutes,
    ...metricRoutes,
    ...bounceMetricRoutes,
    ...keyRoutes,
    ...signingKeyRoutes,
    ...sourceRoutes,
    ...statsRoutes,
    ...statsByDomainRoutes,
    ...aggregateRoutes,
    ...suppressionRoutes,
    ...tagRoutes,
    ...tagByQueryRoutes,
    ...allTagRoutes,
    ...webhookRoutes,
    ...accountWebhookRoutes,
    ...whitelistRoutes,
  ]
  readonly content = formContent
  readonly description = formDescription
  readonly #core: HttpCore
  readonly #reading: Reading<FormRequest>
  readonly #maxParts: number
  readonly #links: DownloadLinks

  constructor(core: HttpCore) {
    this.#core = core
    this.#reading = new Reading(core.deps, formReader)
    this.#links = new DownloadLinks(core.deps)
    this.#maxParts = OTHER_PARTS + core.deps.settings.maxRecipients
  }

  register(app: FastifyInstance, answering: RouteHandlerFactory): void {
    app.post(
      '/v3/:domain/messages',
      answering<DomainParams>('form_send', (request, reply) => this.#send(request, reply, false)),
    )
    app.post(
      '/v3/:domain/messages.mime',
      answering<DomainParams>('mime_send', (request, reply) => this.#send(request, reply, true)),
    )
    // Older and newer clients use different paths.
    for (const url of ['/v3/domains/:domain/messages/:key', '/v3/:domain/messages/:key']) {
      app.get(
        url,
        answering<StoredRoute>('form_stored_read', async (request) =>
          readStored(this.#core, await this.admit(request.raw), request, this.#links),
        ),
      )
      app.post(
        url,
        answering<StoredRoute>('form_stored_send', (request, reply) => this.#sendAgain(request, reply)),
      )
    }
    for (const list of [...LISTS, null]) {
      app.post(
        `/v3/:domain/${list?.name ?? 'whitelists'}/import`,
        answering<ImportRoute>('form_suppression_import', (request, reply) =>
          this.#import(request, reply, list),
        ),
      )
    }
  }

  async #sendAgain(request: FastifyRequest<StoredRoute>, reply: FastifyReply): Promise<Answer> {
    const caller = await this.admit(request.raw)
    const { asked, form } = await readAgain(this.#core, caller, request, reply)
    const { messageId } = await this.#reading.accept(caller, asked, form, null)
    const body = JSON.stringify({ id: messageId, message: 'Queued. Thank you.' })
    return { status: 200, type: JSON_TYPE, body }
  }

  async #import(
    request: FastifyRequest<ImportRoute>,
    reply: FastifyReply,
    list: SuppressionList | null,
  ): Promise<Answer> {
    return await importList(this.#core, await this.admit(request.raw), list, request, reply)
  }

  async #send(request: FastifyRequest<DomainParams>, reply: FastifyReply, mime: boolean): Promise<Answer> {
    const { deps, limit } = this.#core
    const { raw, params } = request
    const { domain } = params
    const { headers } = raw
    const caller = this.admit(raw)
    const principal = caller instanceof Promise ? await caller : caller
    const admitted = deps.intake.admit(principal, domain)
    if (admitted !== undefined) await admitted
    checkNotEncoded(headers['content-encoding'])
    const idempotent = idempotentOf(headers, mime ? 'POST /v3/messages.mime' : 'POST /v3/messages')
    const links = deps.settings.publicUrl !== null
    const asked = { domain, mime, links, contentType: headers['content-type'], maxParts: this.#maxParts }
    checkFormType(asked, true)
    const received = await readBody(raw, reply.raw, limit)
    const { messageId } = await this.#reading.accept(principal, asked, received, idempotent)
    const body = JSON.stringify({ id: messageId, message: 'Queued. Thank you.' })
    return { status: 200, type: JSON_TYPE, body }
  }

  /** HTTP Basic with the user name `api` and the key as password; every failure gets the same answer. */
  admit(request: IncomingMessage): Principal | Promise<Principal> {
    return this.#core.callers.admit(request, basicPassword(request.headers, 'api'))
  }
}
