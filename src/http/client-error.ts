/** Requests that never become one: not HTTP, a head over its limit, too slow. Node.js hands over the bare socket. */
import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Advice, CLEAR_WHERE_TLS, TLS_WITHOUT_CERTIFICATE } from './advice.ts'
import { type Answer, type Answers, headersOf } from './answer.ts'
import type { HttpReason } from './fault.ts'
import { isAnswered } from './unread-body.ts'

/** `rawPacket`: what could not be read as HTTP. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: unknown }
type Malformed = Extract<HttpReason, { code: 'http_malformed' }>

/** What happens to such a connection. `words`: those of paths that belong to no API, since none may be known. */
export function clientErrorHandler(
  answers: Answers,
  words: (reason: Malformed) => Answer,
): (error: ClientError, socket: Socket) => void {
  return (error, socket) => {
    const mistaken = protocolMistake(error)
    if (mistaken !== null) answers.advise(mistaken, { id: randomUUID() })
    // Before the handshake is done nothing can be said over TLS, and what is written would wait for it for ever.
    if ((socket as Socket & { secureConnecting?: boolean }).secureConnecting) {
      socket.destroy()
      return
    }
    // Node.js keeps the response under way here; once its head has left, nothing can be said any more.
    const response = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage
    if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent || isAnswered(socket)) {
      socket.destroy()
      return
    }
    const reason: Malformed = { code: 'http_malformed', ...(REASONS[error.code ?? ''] ?? NO_HTTP) }
    const requestId = randomUUID()
    answers.note(requestId, reason)
    socket.end(rawAnswer(words(reason), requestId), () => socket.destroy())
  }
}

/** A client that was given the wrong one of http:// and https://. */
export function protocolMistake({ code, rawPacket }: ClientError): Advice | null {
  if (code === 'ERR_SSL_HTTP_REQUEST') return CLEAR_WHERE_TLS
  // RFC 8446 5.1: a record with a handshake, of a legacy version 3.x.
  const isHandshake = Buffer.isBuffer(rawPacket) && rawPacket[0] === 22 && rawPacket[1] === 3
  return isHandshake ? TLS_WITHOUT_CERTIFICATE : null
}

/** An answer as octets. */
function rawAnswer(answer: Answer, requestId: string): string {
  const { status, body } = answer
  const headers = [...lastHeaders(answer, requestId), 'content-length', Buffer.byteLength(body)]
  const lines = headers.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}

/** The header of an answer after which the connection ends, where no framework writes it. */
export function lastHeaders({ type }: Answer, requestId: string): string[] {
  return [...headersOf(type, requestId), 'connection', 'close']
}

/** By what Node.js calls it; everything else is no HTTP. */
const REASONS: Readonly<Record<string, Pick<Malformed, 'status' | 'detail'>>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The header fields of the request are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 400,
    detail: 'The chunk extensions of the request are too large.',
  },
}
const NO_HTTP = { status: 400, detail: 'The request is not valid HTTP/1.1.' } as const
