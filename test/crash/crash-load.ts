/**
 * Senders that keep the service busy from both dialects and over SMTP, note its answers, and repeat requests with an idempotency key
 * until they get an answer. Every message carries its own number.
 */
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import nodemailer from 'nodemailer'

export const CRASH_DOMAIN = 'acme.test'
const SUBJECT = /^crash (\d+)$/

export function numberOfSubject(subject: string): number | null {
  const digits = SUBJECT.exec(subject)?.[1]
  return digits === undefined ? null : Number(digits)
}

export const DIALECTS = ['json', 'form', 'smtp'] as const
export type Dialect = (typeof DIALECTS)[number]

export interface SentRequest {
  number: number
  dialect: Dialect
  /** 200 was seen; 250 over SMTP. */
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
  submissionPort: number
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
      this.#work(DIALECTS[index % DIALECTS.length]!),
    )
  }

  /** Begins nothing new; resolves when everything with an idempotency key was accepted. */
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
      const { port, submissionPort } = await this.#place.promise
      try {
        const { status, body } =
          request.dialect === 'smtp'
            ? await this.#submit(request, submissionPort)
            : await this.#post(request, port, agent)
        request.tries.push(`${status} ${body}`)
        if (status === 200) {
          request.accepted = true
          this.onAccepted()
          return
        }
        if (status !== 503 && status !== 409) this.surprises.push(`${request.number}: ${status} ${body}`)
      } catch (error) {
        request.tries.push(String(error))
        // Without an answer it is unknown whether it was accepted. Only a request with an idempotency key can be repeated without risk.
        if (request.dialect === 'form') return
      }
      await pause(20)
    }
  }

  /** The answer to the final dot, as one of HTTP. Rejects when there was none. */
  async #submit({ number }: SentRequest, port: number): Promise<Answered> {
    const transport = nodemailer.createTransport({
      host: '127.0.0.1',
      port,
      auth: { user: 'resend', pass: this.#token },
    })
    this.onWritten()
    try {
      const { response } = await transport.sendMail({
        ...mailOf(number),
        headers: { 'Resend-Idempotency-Key': `smtp-${number}` },
      })
      return { status: 200, body: response }
    } catch (error) {
      const { responseCode, response } = error as { responseCode?: number; response?: string }
      if (responseCode === undefined) throw error
      return { status: responseCode < 500 ? 503 : responseCode, body: response ?? '' }
    }
  }

  #post(request: SentRequest, port: number, agent: http.Agent): Promise<Answered> {
    const { number, dialect } = request
    const json = dialect === 'json'
    const mail = mailOf(number)
    const body = json ? JSON.stringify(mail) : new URLSearchParams(mail).toString()
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

function mailOf(number: number): { from: string; to: string; subject: string; text: string } {
  return {
    from: `Crash <crash@${CRASH_DOMAIN}>`,
    to: `n${number}@in.test`,
    subject: `crash ${number}`,
    text: `message ${number}\n`.repeat(40),
  }
}
