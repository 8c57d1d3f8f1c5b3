/**
 * 30: what DNS says about the recipient's domain (direct delivery).
 *
 * A failed look-up is not taken for one that found nothing: the mail waits. A domain that does not exist, or takes no mail, ends it at
 * once, with a reason. One row for each case; all of them are under way at the same time, and none holds up another.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns, type Zone } from '../../../harness/dns.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import type { ShownEmail } from '../../support/relayed-service.ts'
import { startSink } from '../../support/sink.ts'

type Fate = 'delivered' | 'delivery_delayed' | 'bounced'

const GOOD: Zone = { 'mx.good.test/A': ['127.0.0.1'] }

const ROWS: [what: string, domain: string, zone: Zone, fate: Fate, words: RegExp | null][] = [
  ['the answer of a healthy zone', 'good.test', { 'good.test/MX': ['10 mx.good.test'] }, 'delivered', null],
  [
    'an answer that does not fit into UDP: it is fetched over TCP',
    'large.test',
    { 'large.test/MX': { truncated: ['10 mx.good.test'] } },
    'delivered',
    null,
  ],
  [
    'no MX, but an address: it is the server (RFC 5321 5.1)',
    'bare.test',
    { 'bare.test/A': ['127.0.0.1'] },
    'delivered',
    null,
  ],
  ['an alias of another domain', 'alias.test', { 'alias.test/CNAME': ['good.test'] }, 'delivered', null],
  [
    'SERVFAIL',
    'broken.test',
    { 'broken.test/MX': { rcode: 'SERVFAIL' } },
    'delivery_delayed',
    /lookup of broken\.test failed \(SERVFAIL\)/,
  ],
  [
    'silence',
    'silent.test',
    { 'silent.test/MX': { silent: true } },
    'delivery_delayed',
    /lookup of silent\.test failed \(TIMEOUT\)/,
  ],
  [
    'SERVFAIL for the address of the server',
    'half.test',
    { 'half.test/MX': ['10 mx.half.test'], 'mx.half.test/A': { rcode: 'SERVFAIL' } },
    'delivery_delayed',
    /lookup of mx\.half\.test failed \(SERVFAIL\)/,
  ],
  ['NXDOMAIN', 'nowhere.test', {}, 'bounced', /nowhere\.test does not exist/],
  [
    'null MX (RFC 7505)',
    'no-mail.test',
    { 'no-mail.test/MX': ['0 .'] },
    'bounced',
    /no-mail\.test does not accept mail \(null MX\)/,
  ],
  [
    'a server without an address',
    'lost.test',
    { 'lost.test/MX': ['10 gone.lost.test'] },
    'bounced',
    /gone\.lost\.test/,
  ],
  // The fault may be temporary. A resolver answers with the links of the chain and nothing at the end, or with SERVFAIL.
  [
    'aliases that go round in a circle',
    'circle.test',
    { 'circle.test/MX': { values: [], cname: 'circle.test' } },
    'delivery_delayed',
    /circle\.test/,
  ],
]

test('the answer of DNS decides: mail waits for a failure, ends at a final answer, and gives the reason', async (t) => {
  await using server = await startSink()
  const dns = await startDns(Object.assign({}, GOOD, ...ROWS.map(([, , zone]) => zone)))
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(server.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_RETRY_SCHEDULE: '1h,1h',
  })
  const { token, domain } = await installation.addTenant('acme.test')
  const service = await installation.serve()
  const api = new ApiClient(service.url, token)
  const sent = await Promise.all(
    ROWS.map(([, to]) =>
      api.accepted({ from: `a@${domain}`, to: `jane@${to}`, subject: 'Hello', text: 'Hello' }),
    ),
  )
  for (const [index, [what, , , fate, words]] of ROWS.entries()) {
    await api.lastEvent(sent[index]!, fate)
    const { recipients } = await installation.command<ShownEmail>('email', 'show', sent[index]!)
    assert.match(recipients[0]!.message ?? '', words ?? /^250 |ok/i, what)
  }
  const delivered = ROWS.filter(([, , , fate]) => fate === 'delivered').map(([, to]) => `jane@${to}`)
  assert.deepEqual(server.messages.flatMap(({ recipients }) => recipients).toSorted(), delivered.toSorted())
  // Only an address that can take no mail is suppressed.
  const suppressed = await installation.command<{ address: string }[]>('suppression', 'list')
  assert.deepEqual(
    suppressed.map(({ address }) => address),
    ['jane@no-mail.test'],
  )
})
