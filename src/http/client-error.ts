/** Requests that never become one: not HTTP, a head over its limit, too slow. Node.js hands over the bare socket. */
import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer, Answers } from './answer.ts'
import type { HttpReason } from './fault.ts'
import { isAnswered } from './unread-body.ts'

type Malformed = Extract<HttpReason, { code: 'http_malformed' }>

/** What happens to such a connection. `words`: those of paths that belong to no API, since none may be known. */
export function clientErrorHandler(
  answers: Answers,
  words: (reason: Malformed) => Answer,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    // Node.js keeps the response under way here; once its head has left, nothing can be said any more.
    const response = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage
    if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent || isAnswered(socket)) {
      socket.destroy()
      return
    }
    const reason = malformed(error)
    const requestId = randomUUID()
    answers.note(requestId, reason)
    socket.end(rawAnswer(words(reason), requestId), () => socket.destroy())
  }
}

/** An answer as octets, with the connection's end announced. */
function rawAnswer(answer: Answer, requestId: string): string {
  const fields = Object.entries({
    ...lastHeaders(answer, requestId),
    'content-length': Buffer.byteLength(answer.body),
  })
  return (
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n` +
    `${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${answer.body}`
  )
}

/** The header of an answer after which the connection ends, where no framework writes it. */
export function lastHeaders(answer: Answer, requestId: string): Record<string, string> {
  return {
    'content-type': answer.type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    connection: 'close',
  }
}

function malformed(error: NodeJS.ErrnoException): Malformed {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return reason(408, 'The request did not arrive in time.')
    case 'HPE_HEADER_OVERFLOW':
      return reason(431, 'The header fields of the request are too large.')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return reason(400, 'The chunk extensions of the request are too large.')
    default:
      return reason(400, 'The request is not valid HTTP/1.1.')
  }
}

function reason(status: Malformed['status'], detail: string): Malformed {
  return { code: 'http_malformed', status, detail }
}
