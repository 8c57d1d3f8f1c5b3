/** An answer as plain values, and the one place that sends answers. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Admission } from '../ingress/admission/admission.ts'
import type { RateLimits } from '../ingress/rate-limit.ts'
import type { RequestLog } from '../ingress/request-log/request-log.ts'
import { AnswerMetrics } from './answer-metrics.ts'
import { logRequest } from './logged-request.ts'
import { type Pieces, writePieces } from './long-answer.ts'
import { discardBody } from './unread-body.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'
/** RFC 9111 5.2.2.5: answers concern one company and must not be cached. */
const NO_STORE = 'no-store'
export const TEXT_TYPE = 'text/plain; charset=utf-8'

export type AnswerHeaders = Record<string, string | readonly string[]>

export interface Answer<Body extends string | Buffer = string> {
  status: number
  type: string
  body: Body
  /** Several fields with one name, such as cookies, are a list. */
  headers?: AnswerHeaders
  /** The value of Cache-Control (RFC 9111 5.2.2). Absent: no-store. */
  cache?: string
  /** Ms by which the answer is delayed, to slow down a client that retries at once after any answer. */
  heldFor?: number
  /** The code of the reason for a refusal, for the log of requests. */
  refusedFor?: string
}

/** An answer of status 200 that is produced while it is sent. */
export interface LongAnswer {
  type: string
  pieces: Pieces
  headers?: Record<string, string>
}

/** An answer of status 200 that lasts until its client disconnects, or `open` ends it. */
export interface OpenAnswer {
  type: string
  headers?: Record<string, string>
  /** Called with the response once its head is sent. */
  open(response: ServerResponse): void
}

/** Sends answers, counts them, and logs them: each request leaves one line at level debug. */
export class AnswerSender {
  readonly #log: Logger
  readonly #metrics: AnswerMetrics
  readonly #admission: Pick<Admission, 'release' | 'partyOf'>
  readonly #rate: Pick<RateLimits, 'fields'>
  readonly #requests: RequestLog

  constructor(
    log: Logger,
    registry: Registry,
    admission: Pick<Admission, 'release' | 'partyOf'>,
    rate: Pick<RateLimits, 'fields'>,
    requests: RequestLog,
  ) {
    this.#log = log
    this.#admission = admission
    this.#rate = rate
    this.#requests = requests
    this.#metrics = new AnswerMetrics(registry)
  }

  /**
   * Sends `answer`; the request no longer counts as under way. `operation`: its label in metrics. `startedAt`:
   * `performance.now()` when work on the request began, for its timing. Returns a promise only for a long answer: it
   * resolves when the answer is sent, or its client has gone.
   */
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: string,
    answer: Answer<string | Buffer> | LongAnswer | OpenAnswer,
    startedAt?: number,
  ): FastifyReply | Promise<FastifyReply> {
    if ('pieces' in answer) return this.#sendPieces(request, reply, operation, answer, startedAt)
    this.#admission.release(request.raw)
    if ('open' in answer) return this.#open(request, reply, operation, answer, startedAt)
    this.#countAndLog(request, operation, answer.status, startedAt)
    logRequest(this.#requests, request.raw, operation, answer, startedAt)
    const headers = this.#headersOf(
      request,
      answer.status === 204 ? null : answer.type,
      answer.status,
      answer.cache,
    )
    // RFC 9110 8.6: in a 304 it would state the length of content that is not sent; a 204 must not have the field.
    if (answer.status !== 304 && answer.status !== 204)
      headers.push('content-length', String(Buffer.byteLength(answer.body)))
    if (answer.headers) headers.push(...flat(answer.headers))
    // Status, head and body are known here: the framework's work to determine them would cost as much as writing them.
    reply.hijack()
    discardBody(request.raw, reply.raw)
    if (answer.heldFor === undefined) leave(reply.raw, answer, headers)
    else setTimeout(leave, answer.heldFor, reply.raw, answer, headers)
    return reply
  }

  async #sendPieces(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: string,
    { type, pieces, headers }: LongAnswer,
    startedAt: number | undefined,
  ): Promise<FastifyReply> {
    this.#countAndLog(request, operation, 200, startedAt)
    logRequest(this.#requests, request.raw, operation, { status: 200, body: '' }, startedAt)
    reply.hijack()
    discardBody(request.raw, reply.raw)
    const head = this.#headersOf(request, type, 200)
    if (headers) head.push(...Object.entries(headers).flat())
    reply.raw.writeHead(200, head)
    try {
      await writePieces(reply.raw, pieces, this.#admission.partyOf(request.raw))
    } catch (err) {
      // The head is sent: only a cut connection can tell the client that the answer is incomplete.
      this.#log.error({ requestId: request.id, method: request.method, err }, 'could not finish an answer')
      reply.raw.destroy()
    } finally {
      // The memory counts until its client has received the answer.
      this.#admission.release(request.raw)
    }
    return reply
  }

  /** Open answers do not count as requests under way: the API that makes them limits their number. */
  #open(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: string,
    { type, headers, open }: OpenAnswer,
    startedAt: number | undefined,
  ): FastifyReply {
    this.#countAndLog(request, operation, 200, startedAt)
    reply.hijack()
    discardBody(request.raw, reply.raw)
    const head = this.#headersOf(request, type, 200)
    if (headers) head.push(...Object.entries(headers).flat())
    reply.raw.writeHead(200, head)
    open(reply.raw)
    return reply
  }

  /** Counts and logs an answer to input that was never routed, because it is not valid HTTP. */
  note(requestId: string, { status, detail }: { status: number; detail: string }): void {
    this.#metrics.count('other', status)
    this.#log.debug({ requestId, operation: 'other', status, detail }, 'request')
  }

  #headersOf(
    { raw, id }: Pick<FastifyRequest, 'raw' | 'id'>,
    type: string | null,
    status: number,
    cache?: string,
  ): string[] {
    const headers = headersOf(type, id, cache)
    const rate = this.#rate.fields(raw, status)
    if (rate !== undefined) headers.push(...rate)
    return headers
  }

  #countAndLog(
    request: FastifyRequest,
    operation: string,
    status: number,
    startedAt: number | undefined,
  ): void {
    this.#metrics.count(operation, status)
    if (startedAt !== undefined) this.#metrics.time(operation, (performance.now() - startedAt) / 1000)
    if (this.#log.isLevelEnabled('debug')) {
      this.#log.debug({ requestId: request.id, method: request.method, operation, status }, 'request')
    }
  }
}

/** The header fields of every answer, as the flat list that Node.js writes. */
export function headersOf(type: string | null, requestId: string, cache = NO_STORE): string[] {
  const headers = ['cache-control', cache, 'x-content-type-options', 'nosniff', 'x-request-id', requestId]
  if (type !== null) headers.push('content-type', type)
  return headers
}

function flat(headers: AnswerHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [name, value] : value.flatMap((each) => [name, each]),
  )
}

function leave(response: ServerResponse, { status, body }: Answer<string | Buffer>, headers: string[]): void {
  response.writeHead(status, headers)
  response.end(body)
}
