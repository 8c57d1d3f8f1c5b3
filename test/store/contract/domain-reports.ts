import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KeptTlsReport, ReceivedReport, Store } from '../../../src/store/store.ts'
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
  reportId: 'r1',
  begin: NOW,
  end: NOW + DAY,
  receivedAt: NOW + DAY,
  amount: 7,
}
const row = (key: string, amount: number, day = DAY_TEXT) => ({
  day,
  key,
  detail: `{"key":"${key}"}`,
  amount,
})

const MOST = { reports: 3, rows: 10 }
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
      const rows = (since: string) => store.domainReportRows('d1', 'dmarc', since, 10)
      assert.deepEqual(await rows(DAY_TEXT), [row('k1', 4, '2026-11-21'), row('k1', 9), row('k2', 1)])
      assert.deepEqual(await rows('2026-11-21'), [row('k1', 4, '2026-11-21')])
    })

    test('a domain has only so many reports of one day', async (t) => {
      const { store } = await open(t)
      const keep = (reportId: string) =>
        store.keepDomainReport({ ...REPORT, reportId }, rowsOf(), { ...MOST, reports: 2 })
      assert.deepEqual([await keep('r1'), await keep('r2'), await keep('r3')], [true, true, false])
      const next = { ...REPORT, reportId: 'r3', begin: NOW + DAY }
      assert.ok(await store.keepDomainReport(next, rowsOf(), { ...MOST, reports: 2 }))
    })

    test('from a number of rows on, a day gets rows without detail', async (t) => {
      const { store } = await open(t)
      const most = { reports: 10, rows: 2 }
      const rows = async () =>
        (await store.domainReportRows('d1', 'dmarc', DAY_TEXT, 10)).map(({ key }) => key)
      const keep = (reportId: string, ...keys: string[]) => {
        const named = keys.map((key) => row(key, 1))
        return store.keepDomainReport({ ...REPORT, reportId }, { named, unnamed: [row('bare', 2)] }, most)
      }
      assert.ok(await keep('r1', 'k1'))
      assert.ok(await keep('r2', 'k2', 'k3'))
      assert.ok(await keep('r3', 'k4', 'k5'))
      assert.deepEqual((await rows()).toSorted(), ['bare', 'k1', 'k2', 'k3'])
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
