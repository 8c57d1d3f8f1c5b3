/**
 * Sends the report about a day to the domains that ask for it (RFC 8460 3): once, whichever node does it. Any delivery
 * node takes reports that are due, and if it dies, another one takes them over. Reports by mail have an idempotency
 * key, and posted reports have the same ID each time.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { CompanyPlaces } from '../../common/company-places.ts'
import { RecentEntries } from '../../common/recent-entries.ts'
import type { Lookup } from '../../dns/lookup.ts'
import { organizationOf } from '../../dns/organization.ts'
import { type TlsReport, tlsReportJson } from '../../mail/domain-report/tls-report.ts'
import { mailtoAddress, reportUris } from '../../mail/domain-report/tls-report-record.ts'
import { NoAnswer, outgoingUrl, type SendRequest } from '../../network/outgoing.ts'
import type { DomainReportStore, PeopleStore, StoredTlsReport } from '../../store/store.ts'
import { dayReport, MAX_REPORTED, type ReportAuthor } from './day-report.ts'
import { countReport } from './report-pace.ts'

export interface PackedTlsReport extends TlsReport {
  /** The domain that it is about. */
  domain: string
  octets: Uint8Array
}

export interface TlsReportSenderParts {
  store: Pick<DomainReportStore, 'claimTlsReports' | 'noteTlsReport' | 'tlsSessions'> &
    Pick<PeopleStore, 'beginAttempt' | 'takeBackAttempt'>
  resolver: { txt(name: string): Promise<Lookup<string>> }
  author: ReportAuthor
  /** Sends the report by mail; the same `key` is sent once. */
  mail(to: string, report: PackedTlsReport, key: string): Promise<void>
  ask: SendRequest
  userAgent: string
  onFault(error: unknown): void
  /** Unix ms. */
  now?: () => number
}

const ROUND_MS = 60_000
/** Milliseconds until the first look: few, so that reports are sent even by a service that is restarted every day. */
const FIRST_MS = 1_000
/** Ms after which another node takes a report whose sending has not ended. */
const CLAIM_MS = 5 * 60_000
/** Reports under way: those about the domains of one organization alone get twelve, and four are for others. */
const PLACES = { size: 20, kept: 4, timesFree: 3 }
/** The most reports that a node takes at once, and that it has: few enough to end before another node takes them. */
const STEP = 20
const MAX = 140
/** The wait between tries. After the last try the report is given up (RFC 8460 5.5: within a day). */
const RETRY_MS = 60 * 60_000
const MAX_TRIES = 24
/** Ms for which no report about an organization begins after its servers did not answer. */
const PAUSE_MS = RETRY_MS / 2
/** Organizations that are remembered. */
const MAX_SILENT = 10_000
const TIMEOUT_MS = 10_000
const MAX_OF_ANSWER = 1_024
const pack = promisify<Uint8Array, Buffer>(gzip)

/** The server has answered, and has not taken the report. */
class ReportRefused extends Error {}

export class TlsReportSender {
  readonly #parts: TlsReportSenderParts
  readonly #now: () => number
  readonly #places = new CompanyPlaces(PLACES)
  readonly #silent = new RecentEntries<true>(MAX_SILENT, { ttl: PAUSE_MS })
  readonly #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  readonly #stopping = new AbortController()
  #working: Promise<void> = Promise.resolve()

  constructor(parts: TlsReportSenderParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
  }

  start(): void {
    this.#plan(FIRST_MS)
  }

  /** Aborts requests under way. Another node repeats them, or this one after its next start. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#working
    await Promise.all(this.#underWay)
  }

  #plan(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#working = this.#round()
    }, ms).unref()
  }

  async #round(): Promise<void> {
    await this.sendDue().catch((error: unknown) => this.#fault(error))
    if (!this.#isStopped) this.#plan(ROUND_MS)
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  #fault(error: unknown): void {
    if (!this.#isStopped) this.#parts.onFault(error)
  }

  /**
   * Sends the reports that are due, until none is. Organizations take turns, and each report that is done makes room
   * for another one: an organization whose servers are slow delays reports about its own domains alone.
   */
  async sendDue(): Promise<void> {
    while (!this.#isStopped) {
      while (await this.#takeSome());
      if (this.#underWay.size === 0) return
      await Promise.race(this.#underWay)
    }
  }

  /** True when more may be due. */
  async #takeSome(): Promise<boolean> {
    if (this.#isStopped || this.#underWay.size > MAX - STEP) return false
    const now = this.#now()
    const due = await this.#parts.store.claimTlsReports({ now, until: now + CLAIM_MS, limit: STEP })
    for (const report of due) {
      const sending = this.#sendInTurn(report)
        .catch((error: unknown) => this.#fault(error))
        .finally(() => this.#underWay.delete(sending))
      this.#underWay.add(sending)
    }
    return due.length === STEP
  }

  async #sendInTurn(report: StoredTlsReport): Promise<void> {
    const organization = organizationOf(report.domain)
    const leave = await this.#places.take(organization)
    try {
      if (!this.#isStopped) await this.#sendAndNote(report, organization)
    } finally {
      leave()
    }
  }

  async #sendAndNote(report: StoredTlsReport, organization: string): Promise<void> {
    const after = this.#silent.has(organization)
      ? this.#putOff(report, organization)
      : await this.#send(report, organization)
    // A report that was cut off is due again when its claim ends.
    const isCutOff = this.#isStopped && after.sentTo.length === report.sentTo.length
    if (!isCutOff) await this.#parts.store.noteTlsReport(after)
  }

  /** Returns the report in its new state. */
  async #send(kept: StoredTlsReport, organization: string): Promise<StoredTlsReport> {
    const { resolver, store, author } = this.#parts
    const { domain, day } = kept
    const found = await resolver.txt(`_smtp._tls.${domain}`)
    if (found.kind === 'failed') {
      this.#silent.set(organization, true)
      return this.#afterFault(kept, `DNS: ${found.reason}`)
    }
    const uris = found.kind === 'found' ? reportUris(found.records) : []
    if (uris.length === 0) return { ...kept, state: 'unwanted', fault: null }
    const counts = await store.tlsSessions(domain, day, MAX_REPORTED)
    const report = dayReport(kept, counts, author)
    const packed = { ...report, domain, octets: await pack(Buffer.from(tlsReportJson(report))) }
    const open = uris.filter((uri) => !kept.sentTo.includes(uri))
    // At once: one of the servers may be slow.
    const faults = await Promise.all(
      open.map((uri) => this.#faultOf(uri, packed, organization, `tls-report:${domain}:${day}:${uri}`)),
    )
    const taken = open.filter((_, index) => faults[index] === null)
    const after =
      taken.length === 0 ? kept : { ...kept, sentTo: [...kept.sentTo, ...taken], sentAt: this.#now() }
    const fault = faults.find((each) => each !== null) ?? null
    return fault === null ? { ...after, state: 'sent', fault } : this.#afterFault(after, fault)
  }

  /** The reason why the URI has not got the report; null: it has been taken. */
  async #faultOf(
    uri: string,
    report: PackedTlsReport,
    organization: string,
    key: string,
  ): Promise<string | null> {
    const { store, onFault } = this.#parts
    let takeBack = async () => {}
    try {
      const counted = await countReport(store, { domain: report.domain, uri }, this.#now())
      if ('excess' in counted) return `${uri}: ${counted.excess}`
      takeBack = counted.takeBack
      await this.#deliver(uri, report, key)
      return null
    } catch (error) {
      this.#fault(error)
      if (error instanceof NoAnswer) this.#silent.set(organization, true)
      // A server that refuses the report has been bothered with it: that counts.
      if (!(error instanceof ReportRefused)) await takeBack().catch(onFault)
      return `${uri}: ${error instanceof Error ? error.message : String(error)}`
    }
  }

  /** Puts off a report about an organization whose servers are silent. */
  #putOff(report: StoredTlsReport, organization: string): StoredTlsReport {
    // The wait varies, so that silent domains do not come before the others each time.
    const wait = PAUSE_MS + Math.random() * (RETRY_MS - PAUSE_MS)
    return this.#afterFault(report, `servers of ${organization} did not answer`, Math.round(wait))
  }

  #afterFault(report: StoredTlsReport, fault: string, wait = RETRY_MS): StoredTlsReport {
    if (report.tries < MAX_TRIES) return { ...report, dueAt: this.#now() + wait, fault }
    return { ...report, state: report.sentTo.length > 0 ? 'sent' : 'failed', fault }
  }

  async #deliver(uri: string, report: PackedTlsReport, key: string): Promise<void> {
    if (/^https:/i.test(uri)) return await this.#post(uri, report)
    const to = mailtoAddress(uri)
    if (to === null) throw new Error('this is not a mail address')
    await this.#parts.mail(to, report, key)
  }

  /** RFC 8460 5.4. */
  async #post(uri: string, { octets }: PackedTlsReport): Promise<void> {
    const { ask, userAgent } = this.#parts
    const { status } = await ask({
      method: 'POST',
      url: outgoingUrl(uri),
      headers: { 'content-type': 'application/tlsrpt+gzip', 'user-agent': userAgent },
      body: octets,
      timeoutMs: TIMEOUT_MS,
      maxOctets: MAX_OF_ANSWER,
      signal: this.#stopping.signal,
    })
    if (status < 200 || status > 299) throw new ReportRefused(`the server answered with status ${status}`)
  }
}
