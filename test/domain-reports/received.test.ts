/** Reports that others send about our domains: taken in by a service, over HTTP and as mail. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { SendingDomain } from '../../src/accounts/account.ts'
import { ReportLinks } from '../../src/domain-reports/received/report-links.ts'
import {
  MAX_OF_DAY,
  type ReportReceiver,
  reportReceiver,
  type VerifiedAuthor,
} from '../../src/domain-reports/received/report-receiver.ts'
import { tlsReportJson } from '../../src/mail/domain-report/tls-report.ts'
import type { IncomingReport } from '../../src/store/store.ts'
import { Workers } from '../../src/workers/workers.ts'
import { dmarcXml, mailWith, type SampleRecord, TLS_REPORT } from '../mail/domain-report/samples.ts'
import { type Service, startService } from '../support/service.ts'

const DAY = 86_400_000
const begin = Math.floor(Date.now() / DAY) * DAY - DAY
const end = begin + DAY - 1_000
const day = new Date(begin).toISOString().slice(0, 10)
const RECORDS: SampleRecord[] = [
  { source: '192.0.2.1', count: 7 },
  { source: '192.0.2.9', count: 2, dkim: 'fail', spf: 'fail', disposition: 'quarantine' },
]
const tlsJson = (changes: Partial<typeof TLS_REPORT> = {}) =>
  tlsReportJson({ ...TLS_REPORT, begin, end, ...changes })

describe('reports about our domains', () => {
  let service: Service
  let workers: Workers
  let receiver: ReportReceiver
  let own: SendingDomain
  let another: SendingDomain

  before(async () => {
    service = await startService()
    own = (await service.tenant('x.test')).domain
    another = (await service.tenant('another.test')).domain
    workers = new Workers()
    const domains = () => service.store.accounts()
    const held = new Map((await domains()).domains.map((each) => [each.name, each]))
    receiver = reportReceiver({
      store: service.store,
      workers,
      heldDomain: (name) => held.get(name),
      now: Date.now,
    })
  })
  after(async () => {
    await workers.close()
    await service.close()
  })

  const from = (author: VerifiedAuthor) => ({ party: '192.0.2.25', author: async () => author })
  const anybody = from({ address: null, unfinished: false })
  const mail = (xml: string, mailed = anybody) =>
    receiver.receiveMail(
      mailWith(gzipSync(xml), 'application/gzip', 'receiver.test!x.test!1!2.xml.gz'),
      mailed,
    )
  const rows = async (kind: 'dmarc' | 'tls') =>
    (await service.store.domainReportRows(own.id, kind, { from: day, to: day }, 100)).map(
      ({ detail, amount }) => ({
        ...JSON.parse(detail),
        amount,
      }),
    )
  const post = (url: string, body: string | Uint8Array) => {
    const type = typeof body === 'string' ? 'application/tlsrpt+json' : 'application/tlsrpt+gzip'
    return fetch(url, { method: 'POST', body, headers: { 'content-type': type } })
  }

  test('a DMARC report counts once, however often it comes', async () => {
    const xml = dmarcXml(RECORDS, { begin, end })
    assert.deepEqual(await mail(xml), { kind: 'dmarc', isNew: true, domains: ['x.test'] })
    assert.deepEqual(await mail(xml), { kind: 'dmarc', isNew: false, domains: ['x.test'] })
    const found = await rows('dmarc')
    assert.deepEqual(
      found.map(({ source, dkim, spf, disposition, amount }) => [source, dkim, spf, disposition, amount]),
      [
        ['192.0.2.1', true, true, 'none', 7],
        ['192.0.2.9', false, false, 'quarantine', 2],
      ],
    )
    const [report] = await service.store.domainReports(own.id, 'dmarc', 10)
    assert.equal(report?.amount, 9)
  })

  test('a report with a proven author counts as such, though somebody forged one with its name and id', async () => {
    const { domain } = await service.tenant('proven.test')
    const held = reportReceiver({
      store: service.store,
      workers,
      heldDomain: (name) => (name === domain.name ? domain : undefined),
      now: Date.now,
    })
    const records = [{ source: '192.0.2.1', count: 7, headerFrom: 'proven.test' }]
    const xml = dmarcXml(records, { begin, end, domain: 'proven.test', id: 'same' })
    const receive = (author: VerifiedAuthor) =>
      held.receiveMail(mailWith(gzipSync(xml), 'application/gzip', 'a.xml.gz'), from(author))
    const counted = { kind: 'dmarc', domains: ['proven.test'] }
    assert.deepEqual(await receive({ address: null, unfinished: true }), { kind: 'put_off' })
    assert.deepEqual(await receive({ address: null, unfinished: false }), { ...counted, isNew: true })
    const proven = { address: 'noreply@receiver.test', unfinished: false }
    assert.deepEqual(await receive(proven), { ...counted, isNew: true })
    assert.deepEqual(await receive(proven), { ...counted, isNew: false })
    const reports = await service.store.domainReports(domain.id, 'dmarc', 10)
    const seen = reports.map(({ author, reportId }) => [author, reportId])
    assert.deepEqual(seen.toSorted(), [
      [null, 'same'],
      ['noreply@receiver.test', 'same'],
    ])
  })

  test('a report without room says so: one organization has a part of a day, and others find room', async () => {
    const { domain } = await service.tenant('crowded.test')
    const crowded = reportReceiver({
      store: service.store,
      workers,
      heldDomain: (name) => (name === domain.name ? domain : undefined),
      now: Date.now,
    })
    const facts = {
      domainId: domain.id,
      kind: 'dmarc',
      reporter: 'flood.test',
      amount: 1,
      failing: 1,
    } as const
    const by = (organization: string) => ({ author: `me@mail.${organization}`, organization })
    async function fill(organization: string): Promise<number> {
      for (let id = 0; ; id++) {
        const report = { ...facts, ...by(organization), begin, end, receivedAt: end, reportId: `f${id}` }
        const rows = { named: [], unnamed: [] }
        if ((await service.store.keepDomainReport(report, rows, MAX_OF_DAY)) !== 'kept') return id
      }
    }
    const records = [{ source: '192.0.2.1', count: 7, headerFrom: domain.name }]
    const receive = (id: string, address: string) => {
      const xml = dmarcXml(records, { begin, end, domain: domain.name, id })
      const sent = mailWith(gzipSync(xml), 'application/gzip', 'a.xml.gz')
      return crowded.receiveMail(sent, from({ address, unfinished: false }))
    }
    const counted = { kind: 'dmarc', isNew: true, domains: ['crowded.test'] }
    assert.deepEqual(await receive('g1', 'dmarc@flood.test'), counted)
    assert.equal(await fill('flood.test'), 88)
    assert.deepEqual(await receive('g2', 'other@flood.test'), {
      kind: 'refused',
      reason: `flood.test has used its share of the reports about crowded.test on ${day}.`,
    })
    const again = { ...counted, isNew: false }
    assert.deepEqual(await receive('g1', 'dmarc@flood.test'), again, 'it counts, and is not counted again')
    for (let index = 0; index < 9; index++) assert.ok((await fill(`flood${index}.test`)) > 0)
    for (let hour = 0; hour < 24; hour++) {
      assert.deepEqual(await receive(`h${hour}`, 'noreply@large.test'), counted)
    }
    assert.deepEqual(await receive('g1', 'noreply@small.test'), counted)
  })

  test('a report about several domains says for which of them it does not count', async () => {
    const heldDomain = (name: string) => (name === 'com' ? undefined : { ...own, id: name, name })
    const full = new Set(['full1.com', 'full2.com', 'full3.com', 'full4.com'])
    const store = {
      keepDomainReport: async ({ domainId }: IncomingReport) =>
        full.has(domainId) ? ('day_full' as const) : ('kept' as const),
    }
    const some = reportReceiver({ store, workers, heldDomain, now: Date.now })
    const records = ['a.com', ...full].map((headerFrom) => ({ source: '192.0.2.1', count: 1, headerFrom }))
    const xml = dmarcXml(records, { begin, end, domain: 'com', id: 'some' })
    const receipt = await some.receiveMail(mailWith(gzipSync(xml), 'application/gzip', 'a.xml.gz'), anybody)
    const note = `There is no room for more reports about full1.com, full2.com, full3.com and full4.com on ${day}.`
    assert.deepEqual(receipt, { kind: 'dmarc', isNew: true, domains: ['a.com'], note })
  })

  test('reports about other domains or other times, and mail without a report, are refused', async () => {
    const other = await mail(dmarcXml(RECORDS, { begin, end, domain: 'other.test', id: 'r2' }))
    assert.deepEqual(other, {
      kind: 'refused',
      reason: 'The report is not about a domain of this installation.',
    })
    for (const [from, to] of [
      [begin - 90 * DAY, end - 90 * DAY],
      [begin + 9 * DAY, end + 9 * DAY],
      [begin, end + 90 * DAY],
    ] as const) {
      const odd = await mail(dmarcXml(RECORDS, { begin: from, end: to, id: 'r3' }))
      assert.deepEqual(odd, { kind: 'refused', reason: 'The report is not about a recent day.' })
    }
    assert.equal((await mail('<html/>')).kind, 'refused')
    assert.deepEqual(await receiver.receiveMail(Buffer.from('Subject: hello\r\n\r\nhello\r\n'), anybody), {
      kind: 'none',
    })
  })

  test('a report of the organizational domain counts for the domain below it that sends', async () => {
    const records = [{ source: '192.0.2.1', count: 3, headerFrom: 'x.test' }, ...RECORDS.slice(1)]
    const above = dmarcXml(records, { begin, end, domain: 'test', id: 'r4' })
    assert.deepEqual(await mail(above), { kind: 'dmarc', isNew: true, domains: ['x.test'] })
  })

  test('a report about a top-level domain counts for a hundred of the domains below it', async () => {
    const { store } = service
    const heldDomain = (name: string) => (name === 'com' ? undefined : { ...own, id: name, name })
    const all = reportReceiver({ store, workers, heldDomain, now: Date.now })
    const records = Array.from({ length: 150 }, (_, index) => ({
      ...{ source: '192.0.2.1', count: 1, headerFrom: `d${index}.com` },
    }))
    const xml = dmarcXml(records, { begin, end, domain: 'com', id: 'r5' })
    const receipt = await all.receiveMail(mailWith(gzipSync(xml), 'application/gzip', 'a.xml.gz'), anybody)
    assert.equal(receipt.kind === 'dmarc' && receipt.domains.length, 100)
    assert.deepEqual(await store.domainReports('d149.com', 'dmarc', 1), [])
  })

  test('bombs take one worker at most, and are refused in words', async () => {
    const bomb = mailWith(gzipSync(Buffer.alloc(30_000_000, 0x20)), 'application/gzip', 'a.xml.gz')
    assert.deepEqual(await receiver.receiveMail(bomb, anybody), {
      kind: 'refused',
      reason: 'The report has more than 10 MiB.',
    })
    const deep = mailWith(gzipSync('<a>'.repeat(1_000_000)), 'application/gzip', 'a.xml.gz')
    assert.equal((await receiver.receiveMail(deep, anybody)).kind, 'refused')
    const many = Array.from({ length: 9_000 }, (_, index) => ({
      source: `10.0.${index >> 8}.${index & 255}`,
      count: 1,
    }))
    await mail(dmarcXml(many, { begin, end, id: 'many' }))
    const found = await rows('dmarc')
    const unnamed = found.find(({ source }) => source === null)
    assert.equal(unnamed?.amount, 8_000)
  })

  test('the rows of a TLS report leave out its policies and unknown kinds of failure', async () => {
    const long = Array.from({ length: 200 }, (_, index) => `mx: ${index}${'"'.repeat(400)}`)
    const policies = Array.from({ length: 40 }, (_, policy) => ({
      ...TLS_REPORT.policies[0]!,
      domain: 'another.test',
      ...(policy === 0 && { policy: long, hosts: long }),
      failures: Array.from({ length: 1_000 }, (_, index) => ({
        ...TLS_REPORT.policies[0]!.failures[0]!,
        result: `made-up-${policy}-${index}`,
        host: index < 30 && policy === 0 ? `mx${index}.x.test` : null,
        reason: null,
        sessions: 1,
      })),
      failed: 1_000,
    }))
    const json = tlsJson({ reportId: 'long', policies })
    const sent = mailWith(gzipSync(json), 'application/tlsrpt+gzip', 'report.json.gz')
    assert.equal((await receiver.receiveMail(sent, anybody)).kind, 'tls')
    const found = await service.store.domainReportRows(another.id, 'tls', { from: day, to: day }, 10_000)
    assert.equal(
      found.length,
      33,
      'sessions that succeeded, failures of thirty hosts, of no host, and the rest',
    )
    assert.ok(found.every(({ detail }) => detail.length < 400))
    assert.ok(found.some(({ detail }) => detail.includes('"result":"validation-failure"')))
    assert.equal(
      found.reduce((sum, { amount }) => sum + amount, 0),
      40 * (1_000 + 5),
    )
  })

  test('a TLS report is posted to the URL of its domain', async () => {
    const links = new ReportLinks(service.app.seal)
    const url = links.url(service.url, own.id)
    assert.equal((await post(url, gzipSync(tlsJson()))).status, 200)
    assert.equal((await post(url, tlsJson())).status, 200, 'the same report again')
    const found = (await rows('tls')).map(({ type, failure, amount }) => [
      type,
      failure?.result ?? null,
      failure?.host ?? null,
      amount,
    ])
    assert.deepEqual(found, [
      ['sts', null, null, 5],
      ['sts', 'certificate-expired', 'mx.x.test', 2],
    ])
  })

  test('a URL accepts reports about its own domain only, and cannot be forged', async () => {
    const links = new ReportLinks(service.app.seal)
    const { domain: other } = await service.tenant('y.test')
    const foreign = await post(links.url(service.url, other.id), tlsJson({ reportId: 't2' }))
    assert.equal(foreign.status, 422)
    assert.match(await foreign.text(), /not about a domain of this installation/)
    const url = links.url(service.url, own.id)
    const altered = `${url.slice(0, -1)}${url.endsWith('A') ? 'Q' : 'A'}`
    assert.equal((await post(altered, tlsJson())).status, 404)
    assert.equal((await post(`${service.url}/tls-reports/abc`, tlsJson())).status, 404)
    assert.equal((await post(url, '{}')).status, 422)
    assert.equal((await post(url, Buffer.alloc(1024 * 1024 + 1))).status, 413)
  })
})
