import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { detailKey } from '../../../src/domain-reports/detail.ts'
import type {
  DmarcDetail,
  DomainReportRow,
  KeptTlsReport,
  ReceivedReport,
  Store,
} from '../../../src/store/store.ts'
import { DAY, NOW } from '../samples.ts'
import type { OpenBench } from './contract.ts'

const DAY_TEXT = '2026-11-20'
const DUE = [{ domain: 'b.test', day: DAY_TEXT, dueAt: NOW }]
const counted = (key: string, sessions: number, domain = 'b.test') => ({
  domain,
  day: DAY_TEXT,
  key,
  detail: JSON.stringify({ key, of: 'a "quoted" \0 detail' }),
  sessions,
})
const WAITING: KeptTlsReport = {
  domain: 'b.test',
  day: DAY_TEXT,
  state: 'waiting',
  dueAt: NOW,
  tries: 0,
  sentTo: [],
  sentAt: null,
  fault: null,
}

const REPORT: ReceivedReport = {
  domainId: 'd1',
  kind: 'dmarc',
  reporter: 'receiver.test',
  author: 'reports@receiver.test',
  reportId: 'r1',
  begin: NOW,
  end: NOW + DAY,
  receivedAt: NOW + DAY,
  amount: 7,
  failing: 0,
}
const row = (key: string, amount: number, day = DAY_TEXT) => ({
  day,
  key,
  detail: `{"key":"${key}"}`,
  amount,
})

const MOST = { reports: 3, ofAuthor: 3, rows: 10 }
const rowsOf = (...named: ReturnType<typeof row>[]) => ({ named, unnamed: [] })

export function domainReportsContract(open: OpenBench): void {
  describe('reports about domains', () => {
    test('sessions that several nodes count add up, and the report is planned once', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      await Promise.all([
        store.countTlsSessions([counted('k1', 2), counted('k2', 1)], DUE),
        other.countTlsSessions([counted('k1', 3)], [{ ...DUE[0]!, dueAt: NOW + 5 }]),
      ])
      await store.countTlsSessions([counted('k1', 1, 'c.test')], [{ ...DUE[0]!, domain: 'c.test' }])
      assert.deepEqual(await other.tlsSessions('b.test', DAY_TEXT, 10), [counted('k1', 5), counted('k2', 1)])
      assert.deepEqual(await other.tlsSessions('b.test', '2026-11-21', 10), [])
      const domains = async (filter: { domain?: string; day?: string }) =>
        (await store.tlsReports({ ...filter, limit: 10 })).map(({ domain }) => domain)
      assert.deepEqual(await domains({}), ['c.test', 'b.test'])
      assert.deepEqual(await domains({ domain: 'b.test', day: DAY_TEXT }), ['b.test'])
      assert.deepEqual(await domains({ day: '2026-11-19' }), [])
    })

    test('a report that is due is sent by one node, and by another if that one dies', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      await store.countTlsSessions([counted('k1', 1)], DUE)
      const claim = (of: Store, now: number) => of.claimTlsReports({ now, until: now + 100, limit: 10 })
      assert.deepEqual(await claim(store, NOW - 1), [])
      assert.deepEqual(await claim(store, NOW), [{ ...WAITING, dueAt: NOW + 100, tries: 1 }])
      assert.deepEqual(await claim(other, NOW + 99), [])
      assert.deepEqual(await claim(other, NOW + 100), [{ ...WAITING, dueAt: NOW + 200, tries: 2 }])
      const sent: KeptTlsReport = {
        ...WAITING,
        state: 'sent',
        tries: 2,
        sentTo: ['mailto:a@b.test'],
        sentAt: NOW,
      }
      await other.noteTlsReport({ ...sent, fault: 'no\0ne' })
      assert.deepEqual(await claim(store, NOW + DAY), [])
      assert.deepEqual(await store.tlsReports({ limit: 1 }), [{ ...sent, fault: 'none' }])
    })

    test('a received report counts once, and the numbers of reports add up', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      assert.ok(await store.keepDomainReport(REPORT, rowsOf(row('k1', 7), row('k2', 1)), MOST))
      assert.equal(await other.keepDomainReport(REPORT, rowsOf(row('k1', 7)), MOST), false)
      const second = { ...REPORT, reporter: 'other.test', begin: NOW + 1 }
      const added = rowsOf(row('k1', 2), row('k1', 4, '2026-11-21'))
      assert.ok(await other.keepDomainReport(second, added, MOST))
      assert.deepEqual(await store.domainReports('d1', 'dmarc', 10), [second, REPORT])
      assert.deepEqual(await store.domainReports('d1', 'tls', 10), [])
      const rows = (from: string, to: string, ofDay = 10) =>
        store.domainReportRows('d1', 'dmarc', { from, to }, ofDay)
      const later = row('k1', 4, '2026-11-21')
      assert.deepEqual(await rows(DAY_TEXT, '2026-11-21'), [later, row('k1', 9), row('k2', 1)])
      assert.deepEqual(await rows(DAY_TEXT, '2026-11-21', 1), [later, row('k1', 9)])
      assert.deepEqual(await rows('2026-11-21', '2026-11-21'), [later])
      assert.deepEqual(await rows(DAY_TEXT, DAY_TEXT), [row('k1', 9), row('k2', 1)])
    })

    test('a domain has only so many reports of one day', async (t) => {
      const { store } = await open(t)
      const keep = (reportId: string) =>
        store.keepDomainReport({ ...REPORT, reportId }, rowsOf(), { ...MOST, reports: 2 })
      assert.deepEqual([await keep('r1'), await keep('r2'), await keep('r3')], [true, true, false])
      const next = { ...REPORT, reportId: 'r3', begin: NOW + DAY }
      assert.ok(await store.keepDomainReport(next, rowsOf(), { ...MOST, reports: 2 }))
    })

    test('reports that anybody can write take no room of those with a proven author, and an author not all', async (t) => {
      const { store } = await open(t)
      const most = { reports: 3, ofAuthor: 2, rows: 1 }
      const keep = (author: string | null, reportId: string) =>
        store.keepDomainReport(
          { ...REPORT, author, reportId },
          { named: [row(`${author} ${reportId}`, 1)], unnamed: [row(`${author} bare`, 1)] },
          most,
        )
      for (const id of ['r1', 'r2', 'r3']) assert.ok(await keep(null, id))
      assert.equal(await keep(null, 'r4'), false)
      assert.ok(await keep('a@flood.test', 'r1'), 'the id of a forged report is still free')
      assert.ok(await keep('a@flood.test', 'r2'))
      assert.equal(await keep('a@flood.test', 'r3'), false)
      assert.ok(await keep('b@receiver.test', 'r1'))
      const rows = await store.domainReportRows('d1', 'dmarc', { from: DAY_TEXT, to: DAY_TEXT }, 10)
      assert.deepEqual(rows.map(({ key }) => key).toSorted(), [
        'a@flood.test bare',
        'a@flood.test r1',
        'b@receiver.test bare',
        'null bare',
        'null r1',
      ])
    })

    test('from a number of rows on, a day gets rows without detail', async (t) => {
      const { store } = await open(t)
      const most = { ...MOST, reports: 10, ofAuthor: 10, rows: 2 }
      const rows = async () =>
        (await store.domainReportRows('d1', 'dmarc', { from: DAY_TEXT, to: DAY_TEXT }, 10)).map(
          ({ key }) => key,
        )
      const keep = (reportId: string, ...keys: string[]) => {
        const named = keys.map((key) => row(key, 1))
        return store.keepDomainReport({ ...REPORT, reportId }, { named, unnamed: [row('bare', 2)] }, most)
      }
      assert.ok(await keep('r1', 'k1'))
      assert.ok(await keep('r2', 'k2', 'k3'))
      assert.ok(await keep('r3', 'k4', 'k5'))
      assert.deepEqual((await rows()).toSorted(), ['bare', 'k1', 'k2', 'k3'])
    })

    test('DMARC reports are summed up by day, source and reporter', async (t) => {
      const { store } = await open(t)
      const seen = (source: string | null, changes: Partial<DmarcDetail> = {}) => {
        const results = {
          dkim: false,
          spf: false,
          disposition: 'none',
          policy: 'none',
          verified: true,
        } as const
        const names = { headerFrom: 'a.test', dkimDomain: null, spfDomain: null }
        return JSON.stringify({ source, ...names, ...results, ...changes })
      }
      const of = (day: string, amount: number, detail: string) => ({
        day,
        key: detailKey(detail),
        detail,
        amount,
      })
      const next = '2026-11-21'
      // Beyond what a number without a fraction can have in JavaScript.
      const huge = 9e15
      const rows = [
        of(DAY_TEXT, huge, seen('192.0.2.1', { dkim: true, dkimDomain: 'b.test', spfDomain: 'c.test' })),
        of(
          next,
          huge,
          seen('192.0.2.1', { dkim: true, spf: true, dkimDomain: 'a.test', spfDomain: 'a.test' }),
        ),
        of(DAY_TEXT, 3, seen('192.0.2.2', { disposition: 'reject', policy: 'reject' })),
        of(next, 1, seen('192.0.2.2', { disposition: 'quarantine', policy: null })),
        of(next, 2, seen(null, { spf: true })),
        of('2026-11-19', 5, seen('192.0.2.3')),
      ]
      const most = { ...MOST, reports: 10, ofAuthor: 10 }
      const keep = (change: Partial<ReceivedReport>, ...named: DomainReportRow[]) =>
        store.keepDomainReport({ ...REPORT, ...change }, rowsOf(...named), most)
      await keep({ author: 'z@z.test', amount: 9, failing: 4 }, ...rows)
      await keep({ author: 'z@z.test', reportId: 'r2', amount: 1, failing: 1 })
      await keep({ author: 'y@y.test', amount: 1_000_000, failing: 6 })
      await keep({ amount: 9 })
      const forged = seen('192.0.2.1', { verified: false })
      await keep({ author: null, reporter: 'forged.test', amount: 8, failing: 8 }, of(next, 8, forged))
      await keep({ reporter: 'old.test', begin: NOW - DAY })
      await keep({ kind: 'tls', author: null }, row('tls', 100))
      const found = await store.dmarcSums('d1', DAY_TEXT, { sources: 2, reporters: 10 })
      assert.deepEqual(found, {
        days: [
          { day: next, verified: true, messages: huge + 3, failing: 1 },
          { day: next, verified: false, messages: 8, failing: 8 },
          { day: DAY_TEXT, verified: true, messages: huge + 3, failing: 3 },
        ],
        sources: [
          {
            source: '192.0.2.2',
            messages: 4,
            unverified: 0,
            dkim: 0,
            spf: 0,
            failing: 4,
            quarantined: 1,
            rejected: 3,
            domains: [],
          },
          {
            source: '192.0.2.1',
            messages: 2 * huge + 8,
            unverified: 8,
            dkim: 2 * huge,
            spf: huge,
            failing: 8,
            quarantined: 0,
            rejected: 0,
            domains: ['a.test', 'b.test', 'c.test'],
          },
        ],
        reporters: [
          { name: 'receiver.test', author: 'z@z.test', messages: 10, failing: 5 },
          { name: 'receiver.test', author: 'y@y.test', messages: 1_000_000, failing: 6 },
          { name: 'receiver.test', author: 'reports@receiver.test', messages: 9, failing: 0 },
          { name: 'forged.test', author: null, messages: 8, failing: 8 },
        ],
      })
      const other = await store.dmarcSums('d2', DAY_TEXT, { sources: 2, reporters: 10 })
      assert.deepEqual(other, { days: [], sources: [], reporters: [] })
    })

    test('old days are forgotten', async (t) => {
      const { store } = await open(t)
      await store.countTlsSessions([counted('k1', 1)], DUE)
      await store.keepDomainReport(REPORT, rowsOf(row('k1', 7)), MOST)
      assert.equal(await store.forgetDomainReports(NOW, 10), 0)
      assert.equal(await store.forgetDomainReports(NOW + DAY, 10), 4)
      assert.deepEqual(await store.domainReports('d1', 'dmarc', 10), [])
      assert.deepEqual(await store.tlsReports({ limit: 10 }), [])
    })
  })
}
