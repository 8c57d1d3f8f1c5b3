/** Messages handed in over HTTP, in either dialect. */
import http from 'node:http'
import { ANSWER_MS, type Outcome } from './answer.ts'
import type { HttpSubmission } from './submission.ts'

export class OverHttp {
  readonly #agent: http.Agent

  constructor(atOnce: number) {
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: atOnce })
  }

  close(): void {
    this.#agent.destroy()
  }

  /** `hangUpAfter`: ms after which the client goes away; null: it stays. */
  send(
    base: string,
    { path, headers, body, accepted }: HttpSubmission,
    hangUpAfter: number | null,
  ): Promise<Outcome> {
    const url = new URL(base)
    return new Promise((resolve) => {
      const end = (outcome: Outcome) => {
        clearTimeout(timer)
        resolve(outcome)
      }
      let connected = false
      const sent = http.request(
        { host: url.hostname, port: url.port, method: 'POST', path, headers, agent: this.#agent },
        (response) => {
          let heard = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            heard += chunk
          })
          response.on('end', () => end(response.complete ? answerOf(response, heard, accepted) : 'lost'))
          response.on('error', () => end('lost'))
          response.on('aborted', () => end('lost'))
        },
      )
      const timer = setTimeout(() => sent.destroy(new Error('no answer in time')), ANSWER_MS)
      sent.on('socket', (socket) => {
        if (sent.reusedSocket || !socket.connecting) connected = true
        else socket.once('connect', () => (connected = true))
      })
      sent.on('error', () => end(connected ? 'lost' : 'never'))
      if (hangUpAfter !== null) setTimeout(() => sent.destroy(), hangUpAfter)
      sent.end(body)
    })
  }
}

/**
 * A node that was stopped in the middle of a request finds that it took too long: a 408, which says by itself that the
 * request may be repeated (RFC 9110 15.5.9).
 */
function answerOf(
  { statusCode: status = 0, headers }: http.IncomingMessage,
  body: string,
  accepted: RegExp,
): Outcome {
  const temporary = status === 408 || ((status === 429 || status === 503) && 'retry-after' in headers)
  return { status, body, accepted: status === 200 && accepted.test(body), temporary }
}
