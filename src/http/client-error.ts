/** Requests that never become one: not HTTP, a head over its limit, too slow. Node.js hands over the bare socket. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer } from './answer.ts'
import { isAnswered } from './body.ts'
import type { HttpReason } from './fault.ts'
import { jsonWords } from './json/words.ts'

type Malformed = Extract<HttpReason, { code: 'http_malformed' }>

/** Says what is wrong and closes. The body has the keys of both dialects, since the path may not be known. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // Node.js keeps the response under way here; once its head has left, nothing can be said any more.
  const response = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || response?.headersSent || isAnswered(socket)) {
    socket.destroy()
    return
  }
  socket.end(rawAnswer(jsonWords(malformed(error))), () => socket.destroy())
}

/** An answer as octets, with the connection's end announced. */
export function rawAnswer(answer: Answer): string {
  return (
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n` +
    `content-type: ${answer.type}\r\ncontent-length: ${Buffer.byteLength(answer.body)}\r\n` +
    `cache-control: no-store\r\nconnection: close\r\n\r\n${answer.body}`
  )
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
