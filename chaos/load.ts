/**
 * Senders that keep the service busy in both dialects and note what they were told. A request with an idempotency key is repeated until
 * it is answered; one without is left alone once its answer is lost, for nobody may repeat it without risk.
 */
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Random, seedFor } from '../harness/random.ts'
import type { Ledger } from './ledger.ts'
import { type Mail, mailOf } from './mail.ts'
import { submissionOf } from './submission.ts'

/** A client's patience for one answer, in ms. */
const ANSWER_MS = 20_000
/** Requests at once: beyond it nothing new is begun. */
const AT_ONCE = 64
/** Of the repeatable requests that were accepted, this share is sent once more: the answer must be the same. */
const ONCE_MORE = 0.02

export interface LoadOptions {
  ledger: Ledger
  token: string
  /** Requests a second. */
  rate: number
  /** Base addresses of nodes that take requests now. */
  targets: () => string[]
}

type Answer = { status: number; body: string; retryAfter: boolean }
/** `never`: no octet of it was sent. `lost`: nobody knows what became of it. */
type Outcome = Answer | 'never' | 'lost'

export class Load {
  readonly #options: LoadOptions
  readonly #random: Random
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE })
  readonly #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | null = null
  #stopped = false
  /** Share of the requests whose client hangs up in the middle. */
  hangUps = 0
  hungUp = 0
  requests = 0
  answers: Record<number, number> = {}
  lost = 0
  /** Requests not begun because too many were under way. */
  skipped = 0
  /** Answers that none of the rules allows. */
  readonly surprises: string[] = []
  surpriseCount = 0

  constructor(options: LoadOptions) {
    this.#options = options
    this.#random = new Random(seedFor(options.ledger.seed, 'load'))
  }

  start(): void {
    const began = performance.now()
    let due = 0
    this.#timer = setInterval(() => {
      const target = ((performance.now() - began) / 1_000) * this.#options.rate
      for (; due < target; due++) {
        if (this.#underWay.size >= AT_ONCE) this.skipped++
        else this.#begin()
      }
    }, 10)
  }

  /** Begins nothing new; resolves when every request that may be repeated has been answered. */
  async finish(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await Promise.all(this.#underWay)
    this.#agent.destroy()
  }

  /** Gives up on everything. */
  abort(): void {
    this.#stopped = true
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#agent.destroy()
  }

  get underWay(): number {
    return this.#underWay.size
  }

  #begin(): void {
    const number = this.#options.ledger.add()
    const work = this.#submit(mailOf(this.#options.ledger.seed, number))
    this.#underWay.add(work)
    void work.finally(() => this.#underWay.delete(work))
  }

  async #submit(mail: Mail): Promise<void> {
    const { ledger, token } = this.#options
    const dueAt = mail.delay === null ? null : Date.now() + mail.delay
    if (mail.delay !== null) ledger.schedule(mail.number, mail.delay)
    const request = submissionOf(mail, token, dueAt)
    /** An answer to an earlier try was lost: what was refused later may have been accepted then. */
    let uncertain = false
    while (!this.#stopped) {
      const outcome = await this.#post(request)
      if (outcome === 'never') {
        await pause(this.#random.int(20, 200))
        continue
      }
      if (outcome === 'lost') {
        uncertain = true
        if (!mail.keyed) break
        await pause(this.#random.int(20, 500))
        continue
      }
      this.#check(mail, outcome)
      if (outcome.status >= 200 && outcome.status < 300) {
        ledger.setFate(mail.number, 'accepted')
        if (mail.keyed && this.#random.chance(ONCE_MORE)) await this.#onceMore(mail, request, outcome)
        return
      }
      if (!mail.keyed || !isTemporary(outcome)) {
        ledger.setFate(mail.number, uncertain ? 'unknown' : 'refused')
        return
      }
      await pause(this.#random.int(100, 1_000))
    }
    ledger.setFate(mail.number, uncertain ? 'unknown' : 'refused')
  }

  async #onceMore(mail: Mail, request: ReturnType<typeof submissionOf>, first: Answer): Promise<void> {
    const again = await this.#post(request)
    if (typeof again === 'string' || isTemporary(again)) return
    if (again.status !== first.status || again.body !== first.body)
      this.#surprise(`${mail.number} repeated: ${again.status} ${again.body}, not ${first.body}`)
  }

  #check(mail: Mail, { status, body, retryAfter }: Answer): void {
    this.answers[status] = (this.answers[status] ?? 0) + 1
    if (status === 200) {
      if (!/^\{"id":"/.test(body)) this.#surprise(`${mail.number} ${mail.shape}: 200 ${body}`)
    } else if (!isTemporary({ status, body, retryAfter })) {
      this.#surprise(
        `${mail.number} ${mail.shape}: ${status}${retryAfter ? '' : ' without retry-after'} ${body}`,
      )
    }
  }

  #surprise(sentence: string): void {
    this.surpriseCount++
    if (this.surprises.length < 20) this.surprises.push(sentence.slice(0, 500))
  }

  #post({ path, headers, body }: ReturnType<typeof submissionOf>): Promise<Outcome> {
    const targets = this.#options.targets()
    if (targets.length === 0) return Promise.resolve('never')
    this.requests++
    const url = new URL(this.#random.pick(targets))
    const hangUp = this.#random.chance(this.hangUps)
    return new Promise((resolve) => {
      let ended = false
      const end = (outcome: Outcome) => {
        if (ended) return
        ended = true
        clearTimeout(timer)
        if (outcome === 'lost') this.lost++
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
          response.on('end', () => {
            const { statusCode = 0, headers: told } = response
            end(
              response.complete
                ? { status: statusCode, body: heard, retryAfter: 'retry-after' in told }
                : 'lost',
            )
          })
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
      if (hangUp) {
        this.hungUp++
        setTimeout(() => sent.destroy(), this.#random.between(0, 15))
      }
      sent.end(body)
    })
  }
}

/**
 * A node that was stopped in the middle of a request finds that it took too long: a 408, which says by itself that the
 * request may be repeated (RFC 9110 15.5.9).
 */
function isTemporary({ status, retryAfter }: Answer): boolean {
  return status === 408 || (status === 503 && retryAfter)
}
