/** TLS reports to recipients' domains: the counts in them, and how they are sent. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { startDns, type Zone } from '../../harness/dns.ts'
import { Resolver, type ResolverOptions } from '../../src/dns/resolver.ts'
import { TlsReportSender } from '../../src/domain-reports/sent/tls-report-sender.ts'
import { TlsSessionCounts } from '../../src/domain-reports/sent/tls-session-counts.ts'
import type { TlsSession } from '../../src/mail/domain-report/tls-report.ts'
import { Outgoing } from '../../src/network/outgoing.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const HOUR_MS = 60 * 60_000
const fail = (error: unknown) => assert.fail(String(error))
const failure = {
  result: 'validation-failure',
  sourceAddress: null,
  host: 'mx.x.test',
  address: null,
  reason: null,
}

describe("TLS reports to recipients' domains", () => {
  let service: Service
  before(async () => {
    // Without delivery it sends no reports of its own.
    service = await startService({ roles: ['api'] })
  })
  after(() => service.close())

  const today = () => new Date().toISOString().slice(0, 10)
  async function counted(domain: string, sessions: Omit<TlsSession, 'domain'>[]) {
    const counts = new TlsSessionCounts({ store: service.store, onFault: fail })
    counts.count(sessions.map((session) => ({ ...session, domain })))
    await counts.stop()
    return await service.store.tlsSessions(domain, today(), 10_000)
  }

  test('a domain with another policy for each session has fifty counts, and one for the rest', async () => {
    const sessions = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ type: 'tlsa' as const, policy: [`3 1 1 ${index}`], hosts: [], failure: null },
    }))
    const rows = await counted('changing.test', sessions)
    assert.equal(rows.length, 51)
    assert.equal(rows[0]!.sessions, 950)
    assert.deepEqual(JSON.parse(rows[0]!.detail), { type: 'tlsa', policy: [], hosts: [], failure: null })
  })

  test('a long policy is left out, and the failure is kept', async () => {
    const policy = [`3 0 0 ${'a'.repeat(100_000)}`]
    const [row, ...others] = await counted('long.test', [{ type: 'tlsa', policy, hosts: [], failure }])
    assert.deepEqual(others, [])
    assert.deepEqual(JSON.parse(row!.detail), { type: 'tlsa', policy: [], hosts: [], failure })
  })

  describe('of organizations with a host name for each session', () => {
    const SUCCESS = { type: 'no-policy-found' as const, policy: [], hosts: [], failure: null }
    const below = (zone: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({ ...SUCCESS, domain: `n${from + n}.${zone}` }))

    /** The domains with counts on this day, after these sessions. No report is due about a day to come. */
    async function countedOn(day: string, sessions: TlsSession[]): Promise<string[]> {
      const now = () => Date.parse(day)
      const counts = new TlsSessionCounts({ store: service.store, onFault: fail, now })
      counts.count(sessions)
      await counts.stop()
      return (await service.store.tlsReports({ day, limit: 100_000 })).map(({ domain }) => domain)
    }

    test('one of them leaves the counts of others alone, and has five hundred', async () => {
      const victim = { ...SUCCESS, domain: 'victim-customer.test' }
      const domains = await countedOn('2126-11-10', [...below('evil.test', 0, 20_000), victim])
      assert.ok(domains.includes('victim-customer.test'))
      assert.equal(domains.length, 501)
    })

    test('then domains with a count and that of the organization have all sessions counted, and further ones none', async () => {
      const day = '2126-11-11'
      const result = { ...failure, result: 'certificate-expired' }
      await countedOn(day, [
        ...below('evil.test', 0, 500),
        { ...SUCCESS, domain: 'n7.evil.test', failure: result },
        { ...SUCCESS, domain: 'n7.evil.test', failure: { ...result, host: 'mx2.x.test' } },
        { ...SUCCESS, domain: 'n501.evil.test', failure: result },
        { ...SUCCESS, domain: 'evil.test', failure: result },
        ...below('evil.test', 0, 501),
      ])
      const of = async (domain: string) =>
        (await service.store.tlsSessions(domain, day, 10)).map(({ detail, sessions }) => {
          return { ...JSON.parse(detail), sessions }
        })
      const bare = {
        result: 'certificate-expired',
        sourceAddress: null,
        host: null,
        address: null,
        reason: null,
      }
      assert.deepEqual(
        new Set(await of('n7.evil.test')),
        new Set([
          { ...SUCCESS, sessions: 2 },
          { ...SUCCESS, failure: bare, sessions: 2 },
        ]),
      )
      assert.deepEqual(await of('evil.test'), [{ ...SUCCESS, failure: bare, sessions: 1 }])
      assert.deepEqual(await of('n501.evil.test'), [])
    })

    test('any number of them together leave room for one more', async () => {
      const zones = Array.from({ length: 42 }, (_, n) => below(`evil${n}.test`, 0, 500))
      const victim = { ...SUCCESS, domain: 'victim-customer.test' }
      const domains = await countedOn('2126-11-12', [...zones.flat(), victim])
      assert.ok(domains.includes('victim-customer.test'))
    })
  })

  describe('about domains that name strangers', () => {
    /** Domains below a zone, whose reports go to the same URI. */
    const named = (zone: string, count: number, uri: string) =>
      Array.from({ length: count }, (_, n) => [
        `_smtp._tls.d${n}.${zone}/TXT`,
        [`v=TLSRPTv1; rua=${uri}`],
      ]) as [string, string[]][]

    /** Sends the reports, and tries again each hour. `outage`: the hours for which no mail leaves. */
    async function sent(day: string, records: [string, string[]][], { hours = 0, outage = 0 } = {}) {
      const dns = await startDns(Object.fromEntries(records))
      const mailed: string[] = []
      const begun = Date.now()
      let hour = 0
      const sender = new TlsReportSender({
        store: service.store,
        resolver: new Resolver({ servers: [dns.address] }),
        author: { organization: 'acme.test', contact: 'postmaster@acme.test' },
        async mail(to) {
          if (hour < outage) throw new Error('no mail leaves')
          mailed.push(to)
        },
        ask: () => assert.fail('no report is posted'),
        userAgent: 'test',
        onFault: (error) => assert.match(String(error), /no mail leaves/),
        now: () => begun + hour * HOUR_MS,
      })
      const due = records.map(([name]) => ({
        ...{ domain: name.slice('_smtp._tls.'.length, -'/TXT'.length), day, dueAt: 1 },
      }))
      await service.store.countTlsSessions([], due)
      for (hour = 0; hour <= hours; hour++) await sender.sendDue()
      await sender.stop()
      await dns.close()
      const reports = await service.store.tlsReports({ day, limit: 1_000 })
      return { mailed, reports }
    }

    test('one zone causes at most fifty reports to strangers, whatever their names, and all reports to itself', async () => {
      const { mailed, reports } = await sent('2026-11-21', [
        ...named('a.evil.test', 40, 'mailto:joe%2Ba@far.test'),
        ...named('b.evil.test', 40, 'mailto:Jane@near.test'),
        ...named('quiet.test', 80, 'mailto:tls@reports.quiet.test'),
      ])
      const about = (zone: string) => reports.filter(({ domain }) => domain.endsWith(`.${zone}`))
      assert.equal(mailed.filter((to) => !to.endsWith('quiet.test')).length, 50)
      assert.equal(mailed.length, 130)
      assert.ok(about('quiet.test').every(({ state, fault }) => state === 'sent' && fault === null))
      const kept = about('evil.test').filter(({ state }) => state !== 'sent')
      assert.equal(kept.length, 30)
      for (const { state, fault, sentTo } of kept) {
        assert.deepEqual([state, sentTo], ['waiting', []])
        assert.match(
          fault!,
          /: too many reports are sent to (?:far|near)\.test, or about domains of evil\.test$/,
        )
      }
    })

    test('one mailbox gets a hundred reports from all zones together, and another mailbox of its domain gets its own', async () => {
      const zones = Array.from({ length: 4 }, (_, n) =>
        named(`zone${n}.test`, 40, `mailto:joe+${n}@victim.test`),
      )
      const other = named('customer.test', 1, 'mailto:customer@victim.test')
      const { mailed, reports } = await sent('2026-11-22', [...zones.flat(), ...other])
      assert.equal(mailed.filter((to) => to.startsWith('joe+')).length, 100)
      assert.equal(mailed.filter((to) => to.startsWith('customer@')).length, 1)
      assert.equal(reports.filter(({ state }) => state === 'waiting').length, 60)
    })

    test('an outage costs no report: a failed send does not count, and the excess is sent later', async () => {
      const records = named('unlucky.test', 52, 'mailto:tls@reader.test')
      const { mailed, reports } = await sent('2026-11-23', records, { hours: 5, outage: 2 })
      assert.equal(mailed.length, 52)
      assert.ok(reports.every(({ state, fault }) => state === 'sent' && fault === null))
    })
  })

  describe('about zones whose servers are silent', () => {
    /** A sender of reports about these domains, which are due in this order. */
    async function senderOf(
      stack: AsyncDisposableStack,
      { day, domains, zone }: { day: string; domains: string[]; zone: Zone },
      { onFault = () => {}, ...options }: ResolverOptions & { onFault?: (error: unknown) => void } = {},
    ) {
      const dns = await startDns(zone)
      stack.defer(() => dns.close())
      const client = new Outgoing({ guard: () => null, resolve: async () => [], connections: 100 })
      stack.defer(() => client.close())
      const mailed: string[] = []
      const sender = new TlsReportSender({
        store: service.store,
        resolver: new Resolver({ servers: [dns.address], ...options }),
        author: { organization: 'acme.test', contact: 'postmaster@acme.test' },
        async mail(to) {
          mailed.push(to)
        },
        ask: client.ask,
        userAgent: 'test',
        onFault,
      })
      stack.defer(() => sender.stop())
      const due = domains.map((domain, index) => ({ domain, day, dueAt: index + 1 }))
      await service.store.countTlsSessions([], due)
      const reports = async (of = '') =>
        (await service.store.tlsReports({ day, limit: 1_000 })).filter(({ domain }) => domain.endsWith(of))
      return { dns, sender, mailed, reports }
    }

    /** A server for reports, which does this with its connections. */
    async function serverOf(stack: AsyncDisposableStack, onConnection: (socket: net.Socket) => void) {
      const sockets = new Set<net.Socket>()
      const server = net.createServer((socket) => {
        sockets.add(socket.on('error', () => {}))
        onConnection(socket)
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      stack.defer(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
      return { sockets, url: `https://127.0.0.1:${(server.address() as net.AddressInfo).port}` }
    }

    const named = (count: number, name: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => name(n))
    const asking = (domains: string[], uris = 'mailto:tls@taking.test'): Zone =>
      Object.fromEntries(domains.map((domain) => [`_smtp._tls.${domain}/TXT`, [`v=TLSRPTv1; rua=${uris}`]]))

    test('a zone whose name servers say nothing is not asked about each of its domains', async () => {
      await using stack = new AsyncDisposableStack()
      const silent = named(300, (n) => `n${n}.evil.test`)
      const zone = {
        ...Object.fromEntries(
          silent.map((domain) => [`_smtp._tls.${domain}/TXT`, { silent: true as const }]),
        ),
        ...asking(['good.test']),
      }
      const { dns, sender, mailed, reports } = await senderOf(
        stack,
        { day: '2026-11-13', domains: [...silent, 'good.test'], zone },
        { timeout: 100, tries: 1 },
      )
      await sender.sendDue()
      assert.deepEqual(mailed, ['tls@taking.test'])
      const asked = dns.queries.filter((query) => query.includes('evil.test'))
      assert.ok(asked.length <= 20, `${asked.length} domains were asked`)
      const late = await reports('.evil.test')
      assert.equal(late.length, 300)
      for (const { state, fault, tries, dueAt } of late) {
        assert.deepEqual([state, tries], ['waiting', 1])
        assert.match(fault!, /^DNS: TIMEOUT$|^servers of evil\.test did not answer$/)
        assert.ok(dueAt > Date.now())
      }
    })

    test('nor is its report server asked to take each report', async () => {
      await using stack = new AsyncDisposableStack()
      const { sockets, url } = await serverOf(stack, (socket) => socket.destroy())
      const domains = named(100, (n) => `n${n}.evil.test`)
      const zone = asking(domains, url)
      const { sender, reports } = await senderOf(stack, { day: '2026-11-14', domains, zone })
      await sender.sendDue()
      assert.ok(sockets.size <= 20, `${sockets.size} connections`)
      assert.ok((await reports()).every(({ state, tries }) => state === 'waiting' && tries === 1))
    })

    test('others get their reports meanwhile, and the service stops without a wait for it', async () => {
      await using stack = new AsyncDisposableStack()
      const { sockets, url } = await serverOf(stack, () => {})
      const silent = named(40, (n) => `n${n}.silent.test`)
      const taking = named(40, (n) => `taking${n}.test`)
      const zone = { ...asking(silent, `${url}/a,${url}/b`), ...asking(taking) }
      const plan = { day: '2026-11-20', domains: [...silent, ...taking], zone }
      // A request that ends is a fault: no time-out has to pass.
      const { sender, mailed, reports } = await senderOf(stack, plan, { onFault: fail })
      sender.start()
      const sent = async () => (await reports()).filter(({ state }) => state === 'sent')
      await until(async () => (await sent()).length === 40 && sockets.size > 1, 'the reports, and requests')
      assert.equal(mailed.length, 40)
      await sender.stop()
      const late = await reports('.silent.test')
      assert.ok(late.every(({ state, tries, fault }) => state === 'waiting' && tries === 1 && fault === null))
    })
  })
})
