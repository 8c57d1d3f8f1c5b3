/**
 * 25: recipient domains that ask for TLS reports (RFC 8460).
 *
 * The sending domain demands encryption. Mail to one domain is encrypted; the server of another offers no STARTTLS, so mail for it waits.
 * Both domains ask for reports. When the day is over each gets one by signed mail, the second in clear, because a report about broken TLS
 * must not be held up by it. A report is sent once, and is not counted itself.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selfSigned } from '../../../harness/certificate.ts'
import { startDns } from '../../../harness/dns.ts'
import { keysOfRecords, type PrintedRecord, verifyDkim } from '../../../harness/verify-dkim.ts'
import { parseDatabase } from '../../../src/config/parse/database.ts'
import { reportOfMail } from '../../../src/mail/domain-report/report-mail.ts'
import { readTlsReport } from '../../../src/mail/domain-report/tls-report.ts'
import { unpackReport } from '../../../src/mail/domain-report/unpack.ts'
import { openStore } from '../../../src/store/open.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import { type SinkMessage, startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'

const DAY = 86_400_000

interface Printed {
  reports: {
    domain: string
    day: string
    state: string
    sent_to: string[]
    successful: number
    failed: number
  }[]
}

test('each domain that asks gets one report about the day', async () => {
  await using stack = new AsyncDisposableStack()
  const encrypted = stack.use(await startSink({ tls: selfSigned(['mx.x.test']) }))
  const clear = stack.use(await startSink({ host: '127.0.23.1', port: encrypted.port }))
  const dns = await startDns({
    'x.test/MX': ['10 mx.x.test'],
    'mx.x.test/A': ['127.0.0.1'],
    '_smtp._tls.x.test/TXT': ['v=TLSRPTv1; rua=mailto:tls@x.test'],
    'clear.test/MX': ['10 mx.clear.test'],
    'mx.clear.test/A': ['127.0.23.1'],
    '_smtp._tls.clear.test/TXT': ['v=TLSRPTv1;rua=mailto:tls%40clear.test'],
  })
  stack.defer(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(encrypted.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_SYSTEM_FROM: 'postmaster@acme.test',
  })
  const { token, domain } = await installation.addTenant('acme.test')
  await installation.command('domain', 'update', domain, '--tls', 'required')
  const first = await installation.serve()
  const api = new ApiClient(first.url, token)
  const send = (to: string) => api.accepted({ from: `a@${domain}`, to, subject: 'Hi', text: 'Hi' })
  await api.lastEvent(await send('jane@x.test'), 'delivered')
  await api.lastEvent(await send('jane@clear.test'), 'delivery_delayed')
  const shown = async (...args: string[]) =>
    (await installation.command<Printed>('tls-report', ...args)).reports
  await until(async () => (await shown()).length === 2, 'the counts')
  const counted = (await shown()).map(({ domain: of, state, successful, failed }) => [
    of,
    state,
    successful,
    failed,
  ])
  assert.deepEqual(counted, [
    ['x.test', 'waiting', 1, 0],
    ['clear.test', 'waiting', 0, 1],
  ])
  await first.kill('SIGTERM')

  const today = (await shown())[0]!.day
  const day = new Date(Date.parse(today) - DAY).toISOString().slice(0, 10)
  const store = await openStore(parseDatabase(await installation.databaseUrl()), { exclusive: false })
  for (const name of ['x.test', 'clear.test']) {
    const counts = await store.tlsSessions(name, today, 10)
    const due = [{ domain: name, day, dueAt: Date.now() }]
    await store.countTlsSessions(
      counts.map((count) => ({ ...count, day })),
      due,
    )
  }
  await store.close()

  await installation.serve()
  const isReport = ({ raw }: SinkMessage) => raw.includes('TLS-Report-Domain')
  const reportAt = async (sink: typeof clear) => {
    await sink.when(() => sink.messages.some(isReport), 'the report')
    return sink.messages.filter(isReport)
  }
  const { dns_records: records } = await installation.command<{ dns_records: PrintedRecord[] }>(
    'domain',
    'show',
    domain,
  )
  for (const [sink, name, successful, failures] of [
    [encrypted, 'x.test', 1, []],
    [clear, 'clear.test', 0, ['starttls-not-supported']],
  ] as const) {
    const [mail, ...others] = await reportAt(sink)
    assert.equal(others.length, 0)
    assert.deepEqual(mail!.recipients, [`tls@${name}`])
    assert.equal(mail!.secure, sink === encrypted)
    const text = mail!.raw.toString()
    assert.match(text, /^TLS-Report-Domain: (x|clear)\.test\r$/m)
    assert.match(text, /^TLS-Report-Submitter: acme\.test\r$/m)
    assert.match(text, /^TLS-Required: No\r$/m)
    assert.match(text, /report-type="?tlsrpt/)
    const { signatures } = await verifyDkim(mail!.raw, keysOfRecords(records))
    assert.ok(signatures.some(({ result }) => result === 'pass'))
    const packed = reportOfMail(mail!.raw)
    assert.equal(packed?.kind, 'tls')
    const report = readTlsReport((await unpackReport(packed!.octets)).toString())
    assert.equal(report.organization, 'acme.test')
    assert.equal(report.begin, Date.parse(day))
    const [policy] = report.policies
    assert.deepEqual(
      [policy?.type, policy?.domain, policy?.successful],
      ['no-policy-found', name, successful],
    )
    assert.deepEqual(
      policy?.failures.map(({ result }) => result),
      failures,
    )
  }
  await until(async () => (await shown('--day', day)).every(({ state }) => state === 'sent'), 'the reports')
  const after = await shown('clear.test')
  assert.deepEqual(
    after.map(({ day: of, sent_to, failed }) => [of, sent_to, failed]),
    [
      [today, [], 1],
      [day, ['mailto:tls%40clear.test'], 1],
    ],
  )
})
