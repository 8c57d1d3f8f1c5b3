/** What the store says in the end, recipient by recipient, held against what the sink saw. */
import type { Settings } from '../src/config/settings.ts'
import { openStore } from '../src/store/open.ts'
import type { EmailHistory, Store } from '../src/store/store.ts'
import { explain } from './doubles.ts'
import type { FaultLog } from './fault-log.ts'
import type { Ledger, Seen } from './ledger.ts'
import { mailOf, readSubject, recipientsOf } from './mail.ts'
import { refusedByFailedSync, refusedByLostCommit } from './refused.ts'
import type { Reports } from './reports/reports.ts'
import { SERVERS } from './servers.ts'

export interface StoredReport {
  emails: number
  recipients: number
  delivered: number
  bounced: number
  /** Recipients that bounced although an earlier attempt, whose answer could not be recorded, had arrived. */
  bouncedAfterLostAnswer: number
  /** Recipients that got no further attempt because of a report. */
  suppressed: number
  attempts: number
  /** Sentences; the first ones. */
  wrong: string[]
  wrongCount: number
}

/** Emails of one page of the listing, which are read together. */
const PAGE = 64
const SHOWN = 30

export async function checkStored(
  database: Settings['database'],
  ledger: Ledger,
  log: FaultLog,
  reports: Pick<Reports, 'about'>,
): Promise<StoredReport> {
  const store = await openStore(database, { exclusive: false })
  try {
    return await new StoredCheck(store, ledger, log, reports).run()
  } finally {
    await store.close()
  }
}

class StoredCheck {
  readonly #store: Store
  readonly #ledger: Ledger
  readonly #log: FaultLog
  readonly #reports: Pick<Reports, 'about'>
  /** How many emails carry each number. */
  readonly #times: Uint8Array
  readonly #report: StoredReport = {
    emails: 0,
    recipients: 0,
    delivered: 0,
    bounced: 0,
    bouncedAfterLostAnswer: 0,
    suppressed: 0,
    attempts: 0,
    wrong: [],
    wrongCount: 0,
  }

  constructor(store: Store, ledger: Ledger, log: FaultLog, reports: Pick<Reports, 'about'>) {
    this.#store = store
    this.#ledger = ledger
    this.#log = log
    this.#reports = reports
    this.#times = new Uint8Array(ledger.count)
  }

  async run(): Promise<StoredReport> {
    let before: string | undefined
    for (;;) {
      const page = await this.#store.listEmails({ limit: PAGE, ...(before !== undefined && { before }) })
      await Promise.all(
        page.map(async ({ id, subject }) => {
          const number = readSubject(subject)
          if (number !== null && number < this.#ledger.count) await this.#email(number, id)
          else this.#wrong(`the store holds "${subject}", which nobody sent`)
        }),
      )
      if (page.length < PAGE) break
      before = page.at(-1)!.id
    }
    for (let number = 0; number < this.#ledger.count; number++) this.#presence(number)
    return this.#report
  }

  #wrong(sentence: string): void {
    this.#report.wrongCount++
    if (this.#report.wrong.length < SHOWN) this.#report.wrong.push(sentence)
  }

  #presence(number: number): void {
    const times = this.#times[number]!
    const fate = this.#ledger.fate(number)
    if (fate === 'accepted' && times === 0) this.#wrong(`message ${number} was accepted and is not stored`)
    if (fate === 'refused' && times > 0) {
      const at = this.#ledger.refusedAt(number)
      if (!refusedByFailedSync(at, this.#log) && !refusedByLostCommit(at, this.#log))
        this.#wrong(`message ${number} was refused and is stored`)
    }
    if (times > 1) this.#wrong(`message ${number} is stored ${times} times`)
  }

  async #email(number: number, id: string): Promise<void> {
    this.#times[number]!++
    this.#report.emails++
    const history = await this.#store.readHistory(id)
    if (history === null) return this.#wrong(`message ${number} (${id}) is listed and cannot be read`)
    this.#report.attempts += history.attempts.length
    const wanted = recipientsOf(mailOf(this.#ledger.seed, number))
    const found = history.recipients.map(({ address }) => address)
    if (found.toSorted().join() !== wanted.toSorted().join())
      this.#wrong(`message ${number} has other recipients: ${found.join(' ')}`)
    for (const recipient of history.recipients) this.#recipient(number, history, recipient)
  }

  #recipient(
    number: number,
    { events, attempts }: EmailHistory,
    { address, state, position }: EmailHistory['recipients'][number],
  ): void {
    this.#report.recipients++
    const slot = this.#ledger.slotOf(address)
    if (slot === null) return
    const seen = this.#ledger.seen(slot)
    const returned = this.#reports.about(slot)
    const deliveredEvents = events.filter(
      ({ type, recipient }) => type === 'delivered' && recipient === position,
    )
    const say = (sentence: string) => this.#wrong(`${address} (message ${number}): ${sentence}`)
    if (deliveredEvents.length > 1) say(`${deliveredEvents.length} events say delivered`)
    switch (state) {
      case 'delivered': {
        this.#report.delivered++
        if (seen.length === 0) say('recorded as delivered, and it never arrived')
        else if (seen.every(({ ending }) => ending === 'withheld'))
          say('recorded as delivered, and nobody said so')
        if (deliveredEvents.length === 0) say('delivered, and no event says so')
        const own = attempts.filter(({ recipients }) => recipients.includes(position))
        if (own.length === 0) say('delivered, and there is no attempt')
        break
      }
      case 'bounced': {
        this.#report.bounced++
        if (returned === 'dead' || returned === 'bounce') break
        if (seen.some((each) => this.#unrecorded(each))) say('bounced, and an answered message had arrived')
        else if (seen.length > 0) this.#report.bouncedAfterLostAnswer++
        const domain = address.slice(address.indexOf('@in') + 3, -5)
        const refusing = SERVERS.filter((server) => String(server.domain) === domain)
        const wholly = refusing.some(({ index }) => this.#ledger.sessionRefusals.has(index))
        if (!this.#ledger.refused(slot) && !wholly) say('bounced, and no server had refused it for good')
        break
      }
      case 'suppressed':
        this.#report.suppressed++
        if (returned !== 'dead' && returned !== 'complaint') say('suppressed, and no report said so')
        break
      default:
        say(`is ${state} in the end`)
    }
  }

  /** It arrived, and there is no reason why that should not have been recorded. */
  #unrecorded(seen: Seen): boolean {
    const next: Seen = { ...seen, life: -1, dotAt: Number.POSITIVE_INFINITY }
    return explain(seen, next, this.#ledger.lives, this.#log).cause === 'unexplained'
  }
}
