/**
 * Senders that keep the service busy from both dialects, note what they were told, and repeat a JSON request with its Idempotency-Key
 * until they are told something. Every message carries its own number.
 */
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export const CRASH_DOMAIN = 'acme.test'
const SUBJECT = /^crash (\d+)$/

export function numberOfSubject(subject: string): number | null {
  const digits = SUBJECT.exec(subject)?.[1]
  return digits === undefined ? null : Number(digits)
}

export type Dialect = 'json' | 'form'

export interface SentRequest {
  number: number
  dialect: Dialect
  /** 200 was seen. */
  accepted: boolean
  /** What each try ended with: a status and its body, or why there was no answer. */
  tries: string[]
}

interface Answered {
  status: number
  body: string
}

export interface Place {
  port: number
}

export class CrashLoad {
  readonly requests: SentRequest[] = []
  /** Answers that are neither 200 nor 503: none is expected. */
  readonly surprises: string[] = []
  /** Called when a request has just been written. */
  onWritten: () => void = () => {}
  onAccepted: () => void = () => {}
  readonly #token: string
  #place = Promise.withResolvers<Place>()
  #stopped = false
  #workers: Promise<void>[] = []

  constructor(token: string) {
    this.#token = token
  }

  /** The service listens here from now on. */
  up(place: Place): void {
    this.#place.resolve(place)
  }

  /** Until the next `up`, senders wait. */
  down(): void {
    this.#place = Promise.withResolvers<Place>()
  }

  start(workers: number): void {
    this.#workers = Array.from({ length: workers }, (_, index) =>
      this.#work(index % 2 === 0 ? 'json' : 'form'),
    )
  }

  /** Begins nothing new; resolves when every JSON request has had its 200. */
  async finish(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#workers)
  }

  async #work(dialect: Dialect): Promise<void> {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    while (!this.#stopped) {
      const request: SentRequest = { number: this.requests.length, dialect, accepted: false, tries: [] }
      this.requests.push(request)
      await this.#deliver(request, agent)
      await pause(3)
    }
    agent.destroy()
  }

  async #deliver(request: SentRequest, agent: http.Agent): Promise<void> {
    for (;;) {
      const { port } = await this.#place.promise
      try {
        const { status, body } = await this.#post(request, port, agent)
        request.tries.push(`${status} ${body}`)
        if (status === 200) {
          request.accepted = true
          this.onAccepted()
          return
        }
        if (status !== 503 && status !== 409) this.surprises.push(`${request.number}: ${status} ${body}`)
      } catch (error) {
        request.tries.push(String(error))
        // No answer: nobody knows whether it was accepted. Only the JSON dialect can ask again without risk.
        if (request.dialect === 'form') return
      }
      await pause(20)
    }
  }

  #post(request: SentRequest, port: number, agent: http.Agent): Promise<Answered> {
    const { number, dialect } = request
    const subject = `crash ${number}`
    const to = `n${number}@in.test`
    const from = `Crash <crash@${CRASH_DOMAIN}>`
    const text = `message ${number}\n`.repeat(40)
    const json = dialect === 'json'
    const body = json
      ? JSON.stringify({ from, to, subject, text })
      : new URLSearchParams({ from, to, subject, text }).toString()
    const headers: Record<string, string | number> = json
      ? {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${this.#token}`,
          'Idempotency-Key': `crash-${number}`,
        }
      : {
          'Content-Type': 'application/x-www-form-urlencoded',
          Authorization: `Basic ${Buffer.from(`api:${this.#token}`).toString('base64')}`,
        }
    headers['Content-Length'] = Buffer.byteLength(body)
    const path = json ? '/emails' : `/v3/${CRASH_DOMAIN}/messages`
    return new Promise((resolve, reject) => {
      const sent = http.request(
        { host: '127.0.0.1', port, method: 'POST', path, headers, agent },
        (response) => {
          let heard = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            heard += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: heard }))
          response.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(body, () => this.onWritten())
    })
  }
}
