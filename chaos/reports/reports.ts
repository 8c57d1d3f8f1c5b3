/**
 * Mail servers that report on messages that they took: each report is handed in once or several times, over SMTP and
 * HTTP, on connections of its own, and repeated until it is accepted.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Random, seedFor } from '../../harness/random.ts'
import type { Answer, Outcome } from '../answer.ts'
import type { Arrival } from '../arrival.ts'
import type { Ledger } from '../ledger.ts'
import type { Target } from '../load.ts'
import type { OverHttp } from '../over-http.ts'
import { sendOverSmtp } from '../over-smtp.ts'
import { REPORT_KINDS, type Report, type ReportKind, reportMail } from './report.ts'

/** Share of the arrivals that are reported on. */
const SHARE = 0.08
const COPIES: readonly (readonly [copies: number, weight: number])[] = [
  [1, 5],
  [2, 3],
  [3, 2],
]
/** Copies of a report come within so many ms. */
const WITHIN = 3_000
/** Reports under way; beyond it no new one begins. */
const AT_ONCE = 150
/** Surprises that are shown; all are counted. */
const SHOWN = 20

export interface ReportsOptions {
  ledger: Ledger
  /** With the scope `management`. */
  token: string
  http: OverHttp
  targets: () => Target[]
  /** Share of the clients that hang up in the middle. */
  hangUps: () => number
}

/** An accepted report was answered over SMTP or HTTP with the id of the kept mail. */
const KEPT_OVER_SMTP = /^250 2\.0\.0 Kept as ([0-9a-f-]{36})$/
const KEPT_OVER_HTTP = /^\{"object":"inbound_mail","id":"([0-9a-f-]{36})"/

export class Reports {
  readonly #options: ReportsOptions
  readonly #random: Random
  readonly #bySlot = new Map<number, Report>()
  readonly #underWay = new Set<Promise<unknown>>()
  #stopped = false
  readonly all = new Map<number, Report>()
  readonly surprises: string[] = []
  surpriseCount = 0

  constructor(options: ReportsOptions) {
    this.#options = options
    this.#random = new Random(seedFor(options.ledger.seed, 'reports'))
  }

  /** The kind of the report about this recipient; null: there is none. */
  about(slot: number): ReportKind | null {
    return this.#bySlot.get(slot)?.kind ?? null
  }

  arrived({ sender, recipients }: Arrival): void {
    for (const recipient of recipients) {
      const slot = this.#options.ledger.slotOf(recipient)
      if (slot === null || this.#bySlot.has(slot) || !this.#random.chance(SHARE)) continue
      if (this.#stopped || this.#underWay.size >= AT_ONCE) continue
      const report: Report = {
        number: this.all.size,
        kind: this.#random.pick(REPORT_KINDS),
        recipient,
        returnPath: sender,
        copies: this.#random.weighted(COPIES),
        attempts: 0,
        accepted: 0,
        mailIds: new Set(),
      }
      this.#bySlot.set(slot, report)
      this.all.set(report.number, report)
      const work = this.#handIn(report)
      this.#underWay.add(work)
      void work.finally(() => this.#underWay.delete(work))
    }
  }

  /** Resolves when every copy of every report was accepted. Null, or a sentence about those that were not. */
  async finish(ms: number): Promise<string | null> {
    const late = pause(ms, 'late', { ref: false })
    const ended = (async () => {
      while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    })()
    if ((await Promise.race([ended, late])) !== 'late') return null
    this.abort()
    return `${this.#underWay.size} reports were not accepted within ${ms / 1_000} s`
  }

  abort(): void {
    this.#stopped = true
  }

  async #handIn(report: Report): Promise<void> {
    const mail = reportMail(report)
    const copies = Array.from({ length: report.copies }, async () => {
      await pause(this.#random.between(0, report.copies === 1 ? 0 : WITHIN))
      await this.#handInOnce(report, mail)
    })
    await Promise.all(copies)
  }

  async #handInOnce(report: Report, mail: Buffer): Promise<void> {
    while (!this.#stopped) {
      const outcome = await this.#attempt(report, mail)
      if (outcome !== 'never') report.attempts++
      if (typeof outcome !== 'string') {
        if (outcome.accepted) {
          report.accepted++
          report.mailIds.add(keptAs(outcome))
          return
        }
        if (!outcome.temporary) return this.#surprise(report, outcome)
      }
      await pause(this.#random.int(100, 1_000))
    }
  }

  async #attempt(report: Report, mail: Buffer): Promise<Outcome> {
    const { targets, token, http, hangUps } = this.#options
    const all = targets()
    if (all.length === 0) return 'never'
    const { url, bouncePort } = this.#random.pick(all)
    const hangUpAfter = this.#random.chance(hangUps()) ? this.#random.between(0, 15) : null
    if (this.#random.chance(0.7)) {
      const envelope = { sender: '', recipients: [report.returnPath], login: null }
      const submission = { ...envelope, message: mail, accepted: KEPT_OVER_SMTP }
      return await sendOverSmtp(bouncePort, submission, hangUpAfter)
    }
    const request = {
      path: '/inbound/mail',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'message/rfc822',
        'Content-Length': String(mail.length),
      },
      body: mail,
      accepted: KEPT_OVER_HTTP,
    }
    return await http.send(url, request, hangUpAfter)
  }

  #surprise({ number, kind }: Report, { status, body }: Answer): void {
    this.surpriseCount++
    if (this.surprises.length < SHOWN)
      this.surprises.push(`report ${number} (${kind}): ${status} ${body}`.slice(0, 500))
  }
}

function keptAs({ body }: Answer): string {
  return (KEPT_OVER_SMTP.exec(body) ?? KEPT_OVER_HTTP.exec(body))![1]!
}
