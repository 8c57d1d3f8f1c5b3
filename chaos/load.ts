/**
 * Senders that keep the service busy, in both dialects and over SMTP, and note what they were told. What has an idempotency key is
 * repeated until it is answered; what has none is left alone once its answer is lost, for nobody may repeat it without risk.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Random, seedFor } from '../harness/random.ts'
import type { Answer, Outcome } from './answer.ts'
import type { Ledger } from './ledger.ts'
import { type Mail, mailOf } from './mail.ts'
import type { OverHttp } from './over-http.ts'
import { sendOverSmtp, smtpSubmissionOf } from './over-smtp.ts'
import { submissionOf } from './submission.ts'

/** Requests at once: beyond it nothing new is begun. */
export const AT_ONCE = 64
/** Of the repeatable requests that were accepted, this share is sent once more: the answer must be the same. */
const ONCE_MORE = 0.02

export interface LoadOptions {
  ledger: Ledger
  token: string
  /** Requests a second. */
  rate: number
  http: OverHttp
  /** Nodes that take mail in now. */
  targets: () => Target[]
}

export interface Target {
  url: string
  smtpPort: number
  /** Of the listener for mail that comes back. */
  bouncePort: number
}

/** One try of handing in a message. */
type Try = (target: Target, hangUpAfter: number | null) => Promise<Outcome>

export class Load {
  readonly #options: LoadOptions
  readonly #random: Random
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
  }

  /** Gives up on everything. */
  abort(): void {
    this.#stopped = true
    if (this.#timer !== null) clearInterval(this.#timer)
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
    const attempt = this.#attempt(mail, token, dueAt)
    /** An answer to an earlier try was lost: what was refused later may have been accepted then. */
    let uncertain = false
    while (!this.#stopped) {
      const outcome = await this.#hand(attempt)
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
      if (outcome.accepted) {
        ledger.setFate(mail.number, 'accepted')
        if (mail.keyed && this.#random.chance(ONCE_MORE)) await this.#onceMore(mail, attempt, outcome)
        return
      }
      if (!mail.keyed || !outcome.temporary) {
        ledger.setFate(mail.number, uncertain ? 'unknown' : 'refused')
        return
      }
      await pause(this.#random.int(100, 1_000))
    }
    ledger.setFate(mail.number, uncertain ? 'unknown' : 'refused')
  }

  async #onceMore(mail: Mail, attempt: Try, first: Answer): Promise<void> {
    const again = await this.#hand(attempt)
    if (typeof again === 'string' || again.temporary) return
    if (again.status !== first.status || again.body !== first.body)
      this.#surprise(`${mail.number} repeated: ${again.status} ${again.body}, not ${first.body}`)
  }

  #check(mail: Mail, { status, body, accepted, temporary }: Answer): void {
    this.answers[status] = (this.answers[status] ?? 0) + 1
    if (!accepted && !temporary) this.#surprise(`${mail.number} ${mail.shape}: ${status} ${body}`)
  }

  #surprise(sentence: string): void {
    this.surpriseCount++
    if (this.surprises.length < 20) this.surprises.push(sentence.slice(0, 500))
  }

  #attempt(mail: Mail, token: string, dueAt: number | null): Try {
    if (mail.dialect === 'smtp') {
      const message = smtpSubmissionOf(mail, token)
      return ({ smtpPort }, hangUpAfter) => sendOverSmtp(smtpPort, message, hangUpAfter)
    }
    const request = submissionOf(mail, token, dueAt)
    return ({ url }, hangUpAfter) => this.#options.http.send(url, request, hangUpAfter)
  }

  async #hand(attempt: Try): Promise<Outcome> {
    const targets = this.#options.targets()
    if (targets.length === 0) return 'never'
    this.requests++
    const target = this.#random.pick(targets)
    const hangsUp = this.#random.chance(this.hangUps)
    if (hangsUp) this.hungUp++
    const outcome = await attempt(target, hangsUp ? this.#random.between(0, 15) : null)
    if (outcome === 'lost') this.lost++
    return outcome
  }
}
