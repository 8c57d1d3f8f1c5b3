/** The sums of reports about the busiest domains. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DAY_MS, utcDay } from '../../src/common/utc-day.ts'
import { MAX_OF_DAY } from '../../src/domain-reports/received/report-receiver.ts'
import { dmarcRows, type ReportRows, tlsRows } from '../../src/domain-reports/received/report-rows.ts'
import type { DmarcReportRecord } from '../../src/mail/domain-report/dmarc-report.ts'
import type { TlsPolicyResult } from '../../src/mail/domain-report/tls-report.ts'
import { listTlsReports, receivedTlsReports, showDmarc } from '../../src/operate/domain-reports.ts'
import type { DomainReportKind } from '../../src/store/store.ts'
import { World } from './world.ts'

const TODAY = Date.UTC(2026, 10, 21)
const DAYS = 14
const SOURCES = 1_000
/** One more than a day has room for: the sources of the last one are not kept. */
const REPORTS = MAX_OF_DAY.rows / SOURCES + 1
const NAME = 'acme.test'
const dayBefore = (back: number) => utcDay(TODAY - back * DAY_MS)

/** A server that sent a hundred messages which pass, and others that sent one each which fails. */
function records(report: number): DmarcReportRecord[] {
  const passing: DmarcReportRecord = {
    source: `192.0.2.${report}`,
    messages: 100,
    disposition: 'none',
    dkim: true,
    spf: false,
    headerFrom: NAME,
    dkimDomain: NAME,
    spfDomain: `a9.${NAME}`,
  }
  const failing = Array.from({ length: SOURCES - 1 }, (_, index): DmarcReportRecord => {
    const source = `10.${report}.${index >> 8}.${index & 255}`
    return { ...passing, source, messages: 1, dkim: false, disposition: 'quarantine', dkimDomain: null }
  })
  return [passing, ...failing]
}

function policy(): TlsPolicyResult {
  const failure = { result: 'certificate-expired', sourceAddress: null, address: null, reason: null }
  const failures = Array.from({ length: SOURCES - 1 }, (_, index) => ({
    ...failure,
    host: `mx${index}.${NAME}`,
    sessions: 1,
  }))
  const facts = { type: 'sts', policy: [], domain: NAME, hosts: [] } as const
  return { ...facts, policy: [], hosts: [], successful: 5_000, failed: failures.length, failures }
}

let world: World
before(async () => {
  world = await World.make()
  const [domain] = world.acme.domains
  const keep = async (
    kind: DomainReportKind,
    reporter: string,
    begin: number,
    { rows, ...sums }: ReportRows,
  ) => {
    const facts = { domainId: domain.id, begin, end: begin + DAY_MS - 1, receivedAt: TODAY, ...sums }
    const organization = kind === 'dmarc' ? reporter : null
    const author = organization && `dmarc@${organization}`
    const report = { ...facts, kind, reporter, author, organization, reportId: utcDay(begin) }
    await world.store.keepDomainReport(report, rows, MAX_OF_DAY)
  }
  for (let back = 1; back <= DAYS; back++) {
    const begin = TODAY - back * DAY_MS
    for (let report = 1; report <= REPORTS; report++) {
      const rows = dmarcRows(records(report), { begin, policy: 'none', verified: true })
      await keep('dmarc', `r${report}.test`, begin, rows)
    }
    await keep('tls', 'r1.test', begin, tlsRows([policy()], begin))
  }
})
after(() => world[Symbol.asyncDispose]())

async function reader() {
  const op = await world.operation('reader')
  const records = ['v=DMARC1; p=quarantine']
  const resolver = () => ({ ...op.resolver(), txt: async () => ({ kind: 'found', records }) as const })
  return { ...op, resolver, now: () => TODAY + DAY_MS / 2 }
}

describe('reports about a domain that fill every day', () => {
  test('all days and messages count, and the sources with the most messages are shown', async () => {
    const summary = await showDmarc(await reader(), { domain: NAME })
    const failing = DAYS * REPORTS * (SOURCES - 1)
    const passing = DAYS * REPORTS * 100
    assert.equal(summary.days, DAYS)
    assert.deepEqual(
      [summary.messages, summary.passing, summary.failing],
      [passing + failing, passing, failing],
    )
    assert.equal(summary.policy, 'quarantine')
    assert.match(summary.advice, /83,916 of 92,316 messages .* p=quarantine stops them/)
    assert.equal(summary.reporters.length, REPORTS)
    assert.equal(summary.sources.length, 200)
    const [others, first] = summary.sources
    // The sixth report of each day.
    const unnamed = DAYS * (SOURCES - 1)
    assert.deepEqual(others, {
      source: null,
      messages: unnamed + DAYS * 100,
      unverified: 0,
      dkim: DAYS * 100,
      spf: 0,
      failing: unnamed,
      quarantined: unnamed,
      rejected: 0,
      domains: [],
    })
    assert.deepEqual(first, {
      source: '10.1.0.0',
      messages: DAYS,
      unverified: 0,
      dkim: 0,
      spf: 0,
      failing: DAYS,
      quarantined: DAYS,
      rejected: 0,
      domains: [`a9.${NAME}`],
    })
  })

  test('each day of TLS reports is shown, by its most frequent results', async () => {
    const op = await reader()
    const shown = await receivedTlsReports(op, { domain: NAME })
    const days = Map.groupBy(shown, ({ day }) => day)
    assert.deepEqual(
      [...days.keys()],
      Array.from({ length: DAYS }, (_, index) => dayBefore(index + 1)),
    )
    for (const [first] of days.values()) assert.deepEqual([first!.failure, first!.sessions], [null, 5_000])
    const operator = { ...(await world.operation('operator')), now: op.now }
    const { received } = await listTlsReports(operator, { domain: NAME, day: dayBefore(DAYS) })
    assert.deepEqual(received, days.get(dayBefore(DAYS)))
  })
})
