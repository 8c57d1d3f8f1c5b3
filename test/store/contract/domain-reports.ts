import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { detailKey } from '../../../src/domain-reports/detail.ts'
import { domainOf } from '../../../src/mail/address/address-domain.ts'
import type {
  DmarcDetail,
  DomainReportRow,
  IncomingReport,
  ReceivedReport,
  Store,
  StoredTlsReport,
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
const WAITING: StoredTlsReport = {
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

function arrived(report: ReceivedReport): IncomingReport {
  const domain = domainOf(report.author ?? '')
  // Names of organizations have two labels in these tests.
  return { ...report, organization: report.author && domain.split('.').slice(-2).join('.') }
}

const POOL = { size: 9, kept: 0, timesFree: 1 }
const MAX = { proven: POOL, others: 9, rows: 10 }
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
      const sent: StoredTlsReport = {
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
      const keep = (of: Store, report: ReceivedReport, rows: ReturnType<typeof rowsOf>) =>
        of.keepDomainReport(arrived(report), rows, MAX)
      assert.equal(await keep(store, REPORT, rowsOf(row('k1', 7), row('k2', 1))), 'kept')
      assert.equal(await keep(other, REPORT, rowsOf(row('k1', 7))), 'repeated')
      const second = { ...REPORT, reporter: 'other.test', begin: NOW + 1 }
      const added = rowsOf(row('k1', 2), row('k1', 4, '2026-11-21'))
      assert.equal(await keep(other, second, added), 'kept')
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

    test('a domain has only so many reports of one day, and one that is kept stays known', async (t) => {
      const { store } = await open(t)
      const most = { ...MAX, others: 2 }
      const keep = (reportId: string, begin = NOW) =>
        store.keepDomainReport(arrived({ ...REPORT, author: null, reportId, begin }), rowsOf(), most)
      const results = [await keep('r1'), await keep('r2'), await keep('r3'), await keep('r1')]
      assert.deepEqual(results, ['kept', 'kept', 'day_full', 'repeated'])
      assert.equal(await keep('r3', NOW + DAY), 'kept')
    })

    test('organizations share a day, and one without reports finds room', async (t) => {
      const { store } = await open(t)
      const most = { ...MAX, proven: { size: 12, kept: 3, timesFree: 1 / 2 } }
      const keep = (author: string, id: number) =>
        store.keepDomainReport(arrived({ ...REPORT, author, reportId: `r${id}` }), rowsOf(), most)
      async function keepAll(...authors: string[]): Promise<number> {
        let kept = 0
        for (let id = 0; id < 12; id++) {
          if ((await keep(authors[id % authors.length]!, id)) === 'kept') kept++
        }
        return kept
      }
      assert.equal(await keepAll('a@flood.test', 'b@below.flood.test', 'c@flood.test'), 3, 'a third of nine')
      assert.equal(await keep('d@flood.test', 12), 'share_used')
      assert.equal(
        await keepAll('a@my-flood.test'),
        2,
        'another organization, though its name ends like that',
      )
      assert.equal(await keepAll('a@b.test'), 2)
      assert.equal(await keepAll('a@c.test'), 1)
      assert.equal(
        await keepAll('a@d.test', 'a@e.test', 'a@f.test', 'a@g.test'),
        4,
        'also in the room kept for that',
      )
      assert.equal(await keep('a@h.test', 0), 'day_full')
      assert.equal(await keep('a@f.test', 2), 'repeated')
      assert.equal(await keep('a@f.test', 9), 'day_full')
    })

    test('reports that anybody can write take no room of those with a proven author', async (t) => {
      const { store } = await open(t)
      const most = { ...MAX, others: 3, rows: 1 }
      const keep = (author: string | null, reportId: string) =>
        store.keepDomainReport(
          arrived({ ...REPORT, author, reportId }),
          { named: [row(`${author} ${reportId}`, 1)], unnamed: [row(`${author} bare`, 1)] },
          most,
        )
      for (const id of ['r1', 'r2', 'r3']) assert.equal(await keep(null, id), 'kept')
      assert.equal(await keep(null, 'r4'), 'day_full')
      assert.equal(await keep('a@flood.test', 'r1'), 'kept', 'the id of a forged report is still free')
      assert.equal(await keep('b@receiver.test', 'r1'), 'kept')
      const rows = await store.domainReportRows('d1', 'dmarc', { from: DAY_TEXT, to: DAY_TEXT }, 10)
      assert.deepEqual(rows.map(({ key }) => key).toSorted(), [
        'a@flood.test r1',
        'b@receiver.test bare',
        'null bare',
        'null r1',
      ])
    })

    test('from a number of rows on, a day gets rows without detail', async (t) => {
      const { store } = await open(t)
      const most = { ...MAX, rows: 2 }
      const rows = async () =>
        (await store.domainReportRows('d1', 'dmarc', { from: DAY_TEXT, to: DAY_TEXT }, 10)).map(
          ({ key }) => key,
        )
      const keep = (reportId: string, ...keys: string[]) => {
        const named = keys.map((key) => row(key, 1))
        const rows = { named, unnamed: [row('bare', 2)] }
        return store.keepDomainReport(arrived({ ...REPORT, reportId }), rows, most)
      }
      assert.equal(await keep('r1', 'k1'), 'kept')
      assert.equal(await keep('r2', 'k2', 'k3'), 'kept')
      assert.equal(await keep('r3', 'k4', 'k5'), 'kept')
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
      const keep = (change: Partial<ReceivedReport>, ...named: DomainReportRow[]) =>
        store.keepDomainReport(arrived({ ...REPORT, ...change }), rowsOf(...named), MAX)
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
      await store.keepDomainReport(arrived(REPORT), rowsOf(row('k1', 7)), MAX)
      assert.equal(await store.forgetDomainReports(NOW, 10), 0)
      assert.equal(await store.forgetDomainReports(NOW + DAY, 10), 4)
      assert.deepEqual(await store.domainReports('d1', 'dmarc', 10), [])
      assert.deepEqual(await store.tlsReports({ limit: 10 }), [])
    })
  })
}
