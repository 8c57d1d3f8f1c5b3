/** Whether each accepted report has its event, and none has two. */
import type { Settings } from '../../src/config/settings.ts'
import type { InboundMail } from '../../src/email/inbound-mail.ts'
import type { RecipientState } from '../../src/email/recipient.ts'
import { openStore } from '../../src/store/open.ts'
import type { EmailHistory } from '../../src/store/store.ts'
import { EVENT_OF, type Report, readReportNumber } from './report.ts'

export interface ReportCount {
  /** Accepted reports, and how often they were accepted. */
  reports: number
  accepted: number
  /** Sentences; the first ones. */
  lost: string[]
  lostCount: number
  doubled: string[]
  doubledCount: number
  wrong: string[]
  wrongCount: number
}

type KeptMail = Pick<InboundMail, 'id' | 'subject' | 'emailId' | 'times' | 'events'>
type History = Pick<EmailHistory, 'events'> & {
  recipients: readonly Pick<EmailHistory['recipients'][number], 'address' | 'position' | 'state'>[]
}

const PAGE = 1_000
const SHOWN = 30

/** States in which a delay says nothing any more. */
const ENDS: readonly RecipientState[] = ['bounced', 'failed', 'suppressed', 'canceled']

export class ReportCheck {
  readonly #reports: ReadonlyMap<number, Report>
  readonly #kept = new Map<number, KeptMail>()
  readonly #lost: string[] = []
  readonly #doubled: string[] = []
  readonly #wrong: string[] = []

  constructor(reports: ReadonlyMap<number, Report>) {
    this.#reports = reports
  }

  /** Each mail that the store keeps. */
  kept(mail: KeptMail): void {
    const number = readReportNumber(mail.subject)
    const report = number === null ? undefined : this.#reports.get(number)
    if (number === null || report === undefined)
      return void this.#wrong.push(`the store keeps "${mail.subject}", which nobody sent`)
    const earlier = this.#kept.get(number)
    if (earlier !== undefined)
      return void this.#doubled.push(`${named(report)} is kept as ${earlier.id} and ${mail.id}`)
    this.#kept.set(number, mail)
    const { accepted, attempts, mailIds } = report
    if (mail.times < accepted)
      this.#lost.push(`${named(report)} was accepted ${accepted} times, and ${mail.times} are known`)
    if (mail.times > attempts)
      this.#doubled.push(`${named(report)} was handed in ${attempts} times, and ${mail.times} are known`)
    for (const id of mailIds)
      if (id !== mail.id) this.#wrong.push(`${named(report)} was kept as ${id} and is ${mail.id}`)
  }

  /** The accepted reports with the emails that they are about, once every kept mail is known. */
  *emails(): Generator<[report: Report, emailId: string]> {
    for (const report of this.#reports.values()) {
      const mail = this.#kept.get(report.number)
      if (mail === undefined) {
        if (report.accepted > 0) this.#lost.push(`${named(report)} was accepted and is not kept`)
      } else if (mail.emailId === null) this.#lost.push(`${named(report)} is about no email`)
      else yield [report, mail.emailId]
    }
  }

  counted(report: Report, { recipients, events }: History): void {
    const recipient = recipients.find(({ address }) => address === report.recipient)
    if (recipient === undefined) return void this.#wrong.push(`${named(report)} is about another email`)
    const type = EVENT_OF[report.kind]
    const its = events.filter((event) => event.type === type && event.recipient === recipient.position)
    const own = its.filter(
      ({ detail }) => report.kind === 'complaint' || readReportNumber(detail.message ?? '') === report.number,
    )
    if (own.length > 1) this.#doubled.push(`${named(report)} has ${own.length} events`)
    const known = this.#kept.get(report.number)!
    if (known.events !== own.length)
      this.#wrong.push(`${named(report)} has ${own.length} events, and is said to have ${known.events}`)
    if (own.length > 0) return
    // The recipient had bounced, or ended otherwise, before the report came.
    const isOver = report.kind === 'delay' ? ENDS.includes(recipient.state) : its.length > 0
    if (!isOver) this.#lost.push(`${named(report)} has no event`)
  }

  count(): ReportCount {
    const accepted = [...this.#reports.values()].filter((report) => report.accepted > 0)
    return {
      reports: accepted.length,
      accepted: accepted.reduce((sum, report) => sum + report.accepted, 0),
      lost: this.#lost.slice(0, SHOWN),
      lostCount: this.#lost.length,
      doubled: this.#doubled.slice(0, SHOWN),
      doubledCount: this.#doubled.length,
      wrong: this.#wrong.slice(0, SHOWN),
      wrongCount: this.#wrong.length,
    }
  }
}

function named({ number, kind, recipient }: Report): string {
  return `report ${number} (${kind} of ${recipient})`
}

export async function checkReports(
  database: Settings['database'],
  reports: ReadonlyMap<number, Report>,
): Promise<ReportCount> {
  const store = await openStore(database, { exclusive: false })
  try {
    const check = new ReportCheck(reports)
    for (let after: string | undefined; ; ) {
      const page = await store.inboundMails({ companyId: null, after, limit: PAGE })
      for (const mail of page) check.kept(mail)
      if (page.length < PAGE) break
      after = page.at(-1)!.id
    }
    for (const [report, emailId] of check.emails()) {
      const history = await store.readHistory(emailId)
      check.counted(report, history ?? { recipients: [], events: [] })
    }
    return check.count()
  } finally {
    await store.close()
  }
}
