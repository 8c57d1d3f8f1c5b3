/**
 * Input that never becomes a request: no HTTP, a head over its limit, or too slow. Node.js provides the bare socket.
 */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Advice, CLEAR_WHERE_TLS, TLS_WITHOUT_CERTIFICATE } from '../ingress/advice.ts'
import type { HttpReason } from '../ingress/fault.ts'
import type { Reasons } from '../ingress/reasons.ts'
import { type Answer, headersOf } from './answer.ts'
import type { HttpCore } from './core.ts'
import { STATUS_CODES } from './node-http.ts'
import { isAnswered } from './unread-body.ts'

/** `rawPacket`: the input that is not HTTP. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: unknown }
type MalformedReason = Extract<HttpReason, { code: 'http_malformed' }>

/** Answers such input, and ends its connection. `words`: the errors for paths of no API, as the path may be unknown. */
export function clientErrorHandler(
  { answers, reasons }: Pick<HttpCore, 'answers' | 'reasons'>,
  words: (reason: MalformedReason) => Answer,
): (error: ClientError, socket: Socket) => void {
  return (error, socket) => {
    adviseOnProtocol(reasons, error)
    // Node.js keeps the present response here. Once its head is sent, no other answer is possible.
    const response = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage
    if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent || isAnswered(socket)) {
      socket.destroy()
      return
    }
    const reason: MalformedReason = { code: 'http_malformed', ...(REASONS[error.code ?? ''] ?? NO_HTTP) }
    const requestId = randomUUID()
    answers.note(requestId, reason)
    socket.end(rawAnswer(words(reason), requestId), () => socket.destroy())
  }
}

/** Logs advice on a client that was configured with http:// instead of https://, or the reverse. */
export function adviseOnProtocol(reasons: Reasons, error: ClientError): void {
  const mistake = protocolMistake(error)
  if (mistake !== null) reasons.advise(mistake, { id: randomUUID() })
}

function protocolMistake({ code, rawPacket }: ClientError): Advice | null {
  if (code === 'ERR_SSL_HTTP_REQUEST') return CLEAR_WHERE_TLS
  // RFC 8446 5.1: a record with a handshake, of a legacy version 3.x.
  const isHandshake = Buffer.isBuffer(rawPacket) && rawPacket[0] === 22 && rawPacket[1] === 3
  return isHandshake ? TLS_WITHOUT_CERTIFICATE : null
}

/** An answer as it is sent. */
function rawAnswer(answer: Answer, requestId: string): string {
  const { status, body } = answer
  const headers = [...lastHeaders(answer, requestId), 'content-length', Buffer.byteLength(body)]
  const lines = headers.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}

/** The header of the last answer of a connection, for answers that bypass the framework. */
export function lastHeaders({ type }: Answer, requestId: string): string[] {
  return [...headersOf(type, requestId), 'connection', 'close']
}

/** By Node.js error code; every other error means invalid HTTP. */
const REASONS: Readonly<Record<string, Pick<MalformedReason, 'status' | 'detail'>>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The header fields of the request are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 400,
    detail: 'The chunk extensions of the request are too large.',
  },
}
const NO_HTTP = { status: 400, detail: 'The request is not valid HTTP/1.1.' } as const
