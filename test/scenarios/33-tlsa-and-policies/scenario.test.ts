/**
 * 33: the records that a domain may publish about its mail server, in every form (DANE, RFC 7672, and MTA-STS, RFC 8461).
 *
 * A record may name the authority instead of the key; then the name in the certificate counts as well. Records that no mail server may
 * have demand encryption, and prove nothing. A record counts more than a policy that names another server, and a policy more than records
 * that cannot be used. A policy that is only tested stops no mail, and is reported. One row for each case, all under way at the same time.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { issuedBy, selfSigned } from '../../../harness/certificate.ts'
import { startDns, type Zone } from '../../../harness/dns.ts'
import type { AttemptTls } from '../../../src/email/attempt-tls.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import { PolicyHost, policyFor } from '../../support/policy-host.ts'
import { startSink } from '../../support/sink.ts'
import { tlsaOf } from '../../support/tlsa.ts'
import { until } from '../../support/until.ts'

const POLICY_HOST = '127.0.33.1'
const [SERVER, CLEAR] = ['127.0.0.1', '127.0.33.2']

const ROOT = { name: 'Test Root', ...selfSigned(['Test Root']) }
/** Of the server, with its authority, which records of the usage DANE-TA name (RFC 7671 5.2.2). */
const OWN = issuedBy(ROOT, ['mx.authority.test', 'mx.unusable-policy.test'])
const OTHER = selfSigned(['other.test'])

interface Row {
  what: string
  domain: string
  at: string
  record?: string
  policy?: string
  /** Demand, its source, whether the server is proven, whether it is encrypted; or why the mail waits. */
  ends: [AttemptTls['demand'], AttemptTls['source'], boolean, boolean] | RegExp
}

const ROWS: Row[] = [
  {
    what: 'a record for the authority (DANE-TA)',
    domain: 'authority.test',
    at: SERVER,
    record: tlsaOf(ROOT, 2),
    ends: ['verified', 'dane', true, true],
  },
  {
    what: 'a record for the authority, and a certificate of another name (RFC 7672 3.2.2)',
    domain: 'named.test',
    at: SERVER,
    record: tlsaOf(ROOT, 2),
    ends: /the certificate is not valid for mx\.named\.test$/,
  },
  {
    what: 'a record of a usage that mail servers do not have (RFC 7672 3.1.3)',
    domain: 'unusable.test',
    at: SERVER,
    record: tlsaOf(OTHER, 1),
    ends: ['required', 'dane', false, true],
  },
  {
    what: 'the same, and no STARTTLS',
    domain: 'unusable-clear.test',
    at: CLEAR,
    record: tlsaOf(OTHER, 1),
    ends: /offers no STARTTLS, but TLS is required/,
  },
  {
    what: 'a record, and a policy of another server (RFC 8461 2)',
    domain: 'both.test',
    at: SERVER,
    record: tlsaOf(OWN),
    policy: policyFor('elsewhere.test'),
    ends: ['verified', 'dane', true, true],
  },
  {
    what: 'a record that cannot be used, and a policy of this server',
    domain: 'unusable-policy.test',
    at: SERVER,
    record: tlsaOf(OTHER, 1),
    policy: policyFor('mx.unusable-policy.test'),
    ends: ['verified', 'mta-sts', true, true],
  },
  {
    what: 'a policy of another server, tested, and no STARTTLS (RFC 8461 5)',
    domain: 'testing.test',
    at: CLEAR,
    policy: policyFor('elsewhere.test', 'testing'),
    ends: ['opportunistic', 'default', false, false],
  },
]

test('records and policies count in every form', async (t) => {
  await using stack = new AsyncDisposableStack()
  try {
    const policies = ROWS.filter(({ policy }) => policy).map(({ domain, policy }) => [domain, policy!])
    const names = policies.map(([domain]) => `mta-sts.${domain}`)
    stack.use(await PolicyHost.start(POLICY_HOST, issuedBy(ROOT, names), Object.fromEntries(policies)))
  } catch (error) {
    return t.skip(`port 443 cannot be listened on: ${error}`)
  }
  const server = stack.use(await startSink({ tls: { ...OWN, cert: OWN.cert + ROOT.cert } }))
  const clear = stack.use(await startSink({ host: CLEAR, port: server.port }))
  const zone: Zone = { '_smtp._tls.testing.test/TXT': ['v=TLSRPTv1; rua=mailto:tls@testing.test'] }
  const signed = (...values: string[]) => ({ values, secure: true }) as const
  for (const { domain, at, record, policy } of ROWS) {
    zone[`${domain}/MX`] = signed(`10 mx.${domain}`)
    zone[`mx.${domain}/A`] = signed(at)
    if (record) zone[`_${server.port}._tcp.mx.${domain}/TLSA`] = signed(record)
    if (policy) {
      zone[`mta-sts.${domain}/A`] = [POLICY_HOST]
      zone[`_mta-sts.${domain}/TXT`] = ['v=STSv1; id=one;']
    }
  }
  const dns = await startDns(zone)
  stack.defer(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(server.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_RETRY_SCHEDULE: '1h,1h',
  })
  const authority = join(installation.directory, 'root.pem')
  writeFileSync(authority, ROOT.cert)
  const { token, domain: from } = await installation.addTenant('acme.test')
  const service = await installation.serve({ settings: { NODE_EXTRA_CA_CERTS: authority } })
  const api = new ApiClient(service.url, token)
  const sent = await Promise.all(
    ROWS.map(({ domain }) =>
      api.accepted({ from: `a@${from}`, to: `jane@${domain}`, subject: 'Hello', text: 'Hello' }),
    ),
  )
  for (const [index, { what, ends }] of ROWS.entries()) {
    const isDelivered = Array.isArray(ends)
    await api.lastEvent(sent[index]!, isDelivered ? 'delivered' : 'delivery_delayed')
    const { recipients, attempts } = await installation.command<{
      recipients: { message: string }[]
      attempts: { tls: AttemptTls | null }[]
    }>('email', 'show', sent[index]!)
    const { tls } = attempts.at(-1)!
    if (!isDelivered) assert.match(recipients[0]!.message, ends, what)
    else assert.deepEqual([tls?.demand, tls?.source, tls?.verified, tls?.version !== null], ends, what)
  }
  const arrived = (sink: typeof clear) => sink.messages.flatMap(({ recipients }) => recipients).toSorted()
  assert.deepEqual(
    arrived(server),
    ROWS.filter(({ at, ends }) => at === SERVER && Array.isArray(ends))
      .map(({ domain }) => `jane@${domain}`)
      .toSorted(),
  )
  assert.deepEqual(arrived(clear), ['jane@testing.test'])
  await until(async () => {
    const { reports } = await installation.command<{ reports: { domain: string; failed: number }[] }>(
      'tls-report',
    )
    return reports.some(({ domain, failed }) => domain === 'testing.test' && failed === 1)
  }, 'the report about what is tested')
})
