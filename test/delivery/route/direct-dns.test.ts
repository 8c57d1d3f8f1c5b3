/** The outcome of mail by the DNS records of its domain (hostile cases 29 to 32). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Zone } from '../../../harness/dns.ts'
import { freePort } from '../../../harness/free-port.ts'
import { sourcesOf } from '../../../src/delivery/path/source.ts'
import type { RouteCourierOptions } from '../../../src/delivery/route-courier.ts'
import { startRig, startSinks, wayBy } from './rig.ts'

async function startDirect(t: TestContext, zone: Zone, changes: Partial<RouteCourierOptions> = {}) {
  return startRig(t, { kind: 'direct' }, zone, { smtpPort: await freePort(), ...changes })
}

test('null MX: refused at once without a look-up of addresses, and the address is dead', async (t) => {
  const { outcome, dns } = await startDirect(t, { 'x.test/MX': ['0 .'], 'x.test/A': ['127.0.0.1'] })
  const { verdict, code, enhancedCode, suppress } = await outcome('jane@x.test')
  assert.deepEqual(
    { verdict, code, enhancedCode, suppress },
    { verdict: 'bounced', code: 556, enhancedCode: '5.1.10', suppress: true },
  )
  assert.deepEqual(dns.queries, ['udp x.test/MX'])
})

test('a null MX with another MX is a mistake: the other one counts', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const zone = { 'x.test/MX': ['0 .', '10 mx.x.test'], 'mx.x.test/A': ['127.0.0.1'] }
  const { outcome } = await startDirect(t, zone, { smtpPort: sinks.port })
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
})

test('a domain that does not exist bounces, but may come back', async (t) => {
  const { outcome } = await startDirect(t, {})
  const { verdict, enhancedCode, suppress = false, message } = await outcome('jane@nowhere.test')
  assert.deepEqual(
    { verdict, enhancedCode, suppress },
    { verdict: 'bounced', enhancedCode: '5.1.2', suppress: false },
  )
  assert.match(message, /nowhere\.test does not exist/)
})

test('a domain with neither MX nor address bounces, but may be set up later', async (t) => {
  const { outcome } = await startDirect(t, { 'x.test/TXT': ['hello'] })
  const { verdict, enhancedCode, suppress = false } = await outcome('jane@x.test')
  assert.deepEqual(
    { verdict, enhancedCode, suppress },
    { verdict: 'bounced', enhancedCode: '5.4.4', suppress: false },
  )
})

test('a look-up that fails defers: SERVFAIL, REFUSED, silence (hostile case 31)', async (t) => {
  const { outcome } = await startDirect(t, {
    'servfail.test/MX': { rcode: 'SERVFAIL' },
    'refused.test/MX': { rcode: 'REFUSED' },
    'silent.test/MX': { silent: true },
    'later.test/MX': ['10 mx.later.test'],
    'mx.later.test/A': { rcode: 'SERVFAIL' },
    'bare.test/A': { rcode: 'SERVFAIL' },
  })
  for (const domain of ['servfail.test', 'refused.test', 'silent.test', 'later.test', 'bare.test']) {
    const { verdict, enhancedCode, message } = await outcome(`jane@${domain}`)
    assert.deepEqual({ verdict, enhancedCode }, { verdict: 'deferred', enhancedCode: '4.4.3' }, domain)
    assert.match(message, /^DNS: the .* lookup of .*\.test failed \((SERVFAIL|REFUSED|TIMEOUT)\)$/)
  }
})

test('an answer that does not fit into UDP is fetched over TCP', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const zone = { 'x.test/MX': { truncated: ['10 mx.x.test'] }, 'mx.x.test/A': ['127.0.0.1'] }
  const { outcome } = await startDirect(t, zone, { smtpPort: sinks.port })
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
})

test('mail servers without an address are skipped, and the mail bounces when there is no other server', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const zone: Zone = {
    'x.test/MX': ['10 gone.x.test', '20 mx.x.test'],
    'mx.x.test/A': ['127.0.0.1'],
    'dead.test/MX': ['10 gone.dead.test', '20 also.gone.test'],
    'half.test/MX': ['10 gone.half.test', '20 mx.half.test'],
    'mx.half.test/A': { rcode: 'SERVFAIL' },
  }
  const { outcome } = await startDirect(t, zone, { smtpPort: sinks.port })
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  const dead = await outcome('jane@dead.test')
  assert.deepEqual([dead.verdict, dead.enhancedCode], ['bounced', '5.4.4'])
  assert.match(dead.message, /gone\.dead\.test/)
  assert.equal((await outcome('jane@half.test')).verdict, 'deferred')
})

test('an MX that is an IP address or localhost is no mail server (hostile case 30)', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const zone: Zone = {
    'ip.test/MX': ['10 127.0.0.1'],
    '127.0.0.1/A': ['127.0.0.1'],
    'local.test/MX': ['10 localhost.', '10 mail.localhost.'],
    'localhost/A': ['127.0.0.1'],
    'mail.localhost/A': ['127.0.0.1'],
    'mixed.test/MX': ['10 127.0.0.9', '20 localhost', '30 mx.x.test'],
    'mx.x.test/A': ['127.0.0.1'],
  }
  const { outcome } = await startDirect(t, zone, { smtpPort: sinks.port })
  for (const domain of ['ip.test', 'local.test']) {
    const { verdict, enhancedCode } = await outcome(`jane@${domain}`)
    assert.deepEqual({ verdict, enhancedCode }, { verdict: 'bounced', enhancedCode: '5.4.4' }, domain)
  }
  assert.equal(sinks.at('127.0.0.1').connections, 0)
  assert.equal((await outcome('jane@mixed.test')).verdict, 'delivered')
})

test('only some of many mail servers are tried in one attempt', async (t) => {
  const zone: Zone = { 'x.test/MX': [] }
  for (let i = 0; i < 80; i++) {
    ;(zone['x.test/MX'] as string[]).push(`10 mx${i}.x.test`)
    zone[`mx${i}.x.test/A`] = [`127.0.1.${i}`]
  }
  const { deliver, dns } = await startDirect(t, zone)
  const { outcomes, server, dialogue } = await deliver(['jane@x.test'])
  assert.equal(outcomes[0]?.verdict, 'deferred')
  assert.match(dialogue, /no further servers are tried: 6 have been tried/)
  assert.equal(server, null)
  assert.equal(dns.queries.filter((query) => query.endsWith('/A')).length, 6)
})

test('names without an address do not use up the servers of an attempt', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const gone = Array.from({ length: 10 }, (_, i) => `${i} gone${i}.x.test`)
  const zone: Zone = { 'x.test/MX': [...gone, '50 mx.x.test'], 'mx.x.test/A': ['127.0.0.1'] }
  const { outcome } = await startDirect(t, zone, { smtpPort: sinks.port })
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
})

test('equal preferences are spread', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {}, '127.0.0.2': {} })
  const zone = {
    'x.test/MX': ['10 a.x.test', '10 b.x.test'],
    'a.x.test/A': ['127.0.0.1'],
    'b.x.test/A': ['127.0.0.2'],
  }
  const { outcome } = await startDirect(t, zone, { smtpPort: sinks.port })
  // The chance that one of two is never first in 60 draws is 2 in 2^60.
  for (let i = 0; i < 60; i++) await outcome('jane@x.test')
  const counts = ['127.0.0.1', '127.0.0.2'].map((address) => sinks.at(address).messages.length)
  assert.equal(counts[0]! + counts[1]!, 60)
  assert.ok(
    counts.every((count) => count > 0),
    counts.join(' and '),
  )
})

test('a dead first address is followed by the second, within and across families (hostile case 32)', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.2': {} })
  const zone: Zone = {
    'four.test/MX': ['10 mx.four.test'],
    'mx.four.test/A': ['127.0.0.9', '127.0.0.2'],
    'both.test/MX': ['10 mx.both.test'],
    'mx.both.test/AAAA': ['::1'],
    'mx.both.test/A': ['127.0.0.2'],
    'far.test/MX': ['10 mx.far.test'],
    'mx.far.test/AAAA': ['::2', '::3'],
    'mx.far.test/A': ['127.0.0.2'],
  }
  const limits = { timeouts: { connect: 300 } }
  const { deliver } = await startDirect(t, zone, { smtpPort: sinks.port, limits })
  for (const domain of ['four.test', 'both.test', 'far.test']) {
    const { outcomes, server, dialogue } = await deliver([`jane@${domain}`])
    assert.equal(outcomes[0]?.verdict, 'delivered', dialogue)
    assert.match(server ?? '', /\[127\.0\.0\.2\]/)
  }
})

test('a mail server with only IPv6 is reached over IPv6', async (t) => {
  const sinks = await startSinks(t, { '::1': {} })
  const zone: Zone = {
    'x.test/MX': ['10 mx.x.test'],
    'mx.x.test/AAAA': ['::1'],
  }
  const { deliver } = await startDirect(t, zone, { smtpPort: sinks.port })
  const result = await deliver(['jane@x.test'])
  assert.equal(result.outcomes[0]?.verdict, 'delivered', result.dialogue)
  assert.equal(result.server, `mx.x.test [::1]:${sinks.port}`)
})

test('a mail server with only IPv6 costs mail without a way out over IPv6 no attempt', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.2': {} })
  const zone: Zone = {
    'six.test/MX': ['10 mx.six.test'],
    'mx.six.test/AAAA': ['2001:db8::25'],
    'both.test/MX': ['10 mx.six.test', '20 mx.both.test'],
    'mx.both.test/A': ['127.0.0.2'],
    'dead.test/MX': ['10 mx.six.test', '20 mx.dead.test'],
    'last.test/MX': ['10 mx.dead.test', '20 mx.six.test'],
    'mx.dead.test/A': ['127.0.0.3'],
  }
  const { deliver } = await startDirect(t, zone, { smtpPort: sinks.port })
  // No machine has this address, as none without IPv6 has any.
  const from = (address: string) => {
    const [source] = sourcesOf([{ address, helo: 'out.acme.test' }])
    return { path: { ...wayBy({ kind: 'direct' }), source: source! } }
  }
  for (const [address, why] of [
    ['2001:db8::7', /^mx\.six\.test \[2001:db8::25\]:\d+ cannot be reached, .* no way out over IPv6$/],
    [
      '127.0.0.1',
      /^mx\.six\.test has only IPv6 addresses, and the source of this mail only an IPv4 address$/,
    ],
  ] as const) {
    const { outcomes, pathTrouble, notBefore, noWayOut } = await deliver(['jane@six.test'], from(address))
    assert.equal(outcomes[0]!.verdict, 'postponed')
    assert.match(outcomes[0]!.message, why)
    assert.equal(pathTrouble?.kind, 'unreachable', 'the mail behind it waits as well')
    assert.equal(notBefore, undefined)
    assert.equal(noWayOut, true)
  }
  const other = await deliver(['jane@both.test'], from('127.0.0.1'))
  assert.equal(other.outcomes[0]!.verdict, 'delivered', other.dialogue)
  for (const domain of ['dead.test', 'last.test']) {
    const dead = await deliver([`jane@${domain}`], from('127.0.0.1'))
    assert.equal(dead.pathTrouble?.kind, 'unreachable')
    assert.equal(dead.noWayOut, undefined, 'the other server was asked')
  }
})

test('a mail server at a private address is refused, and only the operator learns the remedy (hostile case 29)', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const zone: Zone = {
    'x.test/MX': ['10 mx.x.test'],
    'mx.x.test/A': ['127.0.0.1', '10.0.0.1'],
    'mx.x.test/AAAA': ['::ffff:7f00:1', '64:ff9b::7f00:1'],
    'bare.test/A': ['169.254.169.254'],
  }
  const { deliver, log } = await startDirect(t, zone, { smtpPort: sinks.port, allowPrivateNetworks: false })
  for (const address of ['jane@x.test', 'jane@bare.test', 'jane@[127.0.0.1]']) {
    const { outcomes, dialogue, server } = await deliver([address])
    const { verdict, enhancedCode, message, suppress = false } = outcomes[0]!
    assert.deepEqual(
      { verdict, enhancedCode, suppress },
      { verdict: 'bounced', enhancedCode: '5.4.4', suppress: false },
    )
    assert.match(message, /public address/)
    assert.doesNotMatch(message + dialogue, /POSTROAD/)
    if (!address.includes('[')) assert.doesNotMatch(message + dialogue, /\d+\.\d+\.\d+\.\d+/)
    assert.equal(server, null)
    assert.match(log.at(-1)?.message ?? '', / is not a public address .*POSTROAD_ALLOW_PRIVATE_NETWORKS/)
  }
  assert.equal(sinks.at('127.0.0.1').connections, 0)
})

test('mail to a server at one of our source addresses, or at a proxy, waits', async (t) => {
  const zone: Zone = {
    'source.test/MX': ['10 mx.source.test'],
    'mx.source.test/A': ['8.8.8.8'],
    'plain.test/AAAA': ['2606:4700::1'],
    'proxy.test/A': ['9.9.9.9'],
    'named.test/A': ['8.8.4.4'],
  }
  const { deliver } = await startDirect(t, zone, {
    allowPrivateNetworks: false,
    sourceAddresses: [
      { address: '8.8.8.8', proxy: { host: '9.9.9.9' } },
      // The operating system reads this name as 8.8.4.4.
      { address: '2606:4700::1', proxy: { host: '0x08080404' } },
    ],
  })
  for (const domain of ['source.test', 'plain.test', 'proxy.test', 'named.test']) {
    const { outcomes, dialogue, server } = await deliver([`jane@${domain}`])
    const { verdict, enhancedCode, message } = outcomes[0]!
    assert.deepEqual({ verdict, enhancedCode }, { verdict: 'deferred', enhancedCode: '4.4.6' }, dialogue)
    assert.match(message, /is a machine that this service sends from$/)
    assert.equal(server, null)
  }
})

test('a domain whose mail server is this service itself is a loop', async (t) => {
  const zone: Zone = {
    'x.test/MX': ['10 OUT.acme.test', '20 backup.x.test'],
    'backup.x.test/A': ['192.0.2.1'],
  }
  const { outcome } = await startDirect(t, zone, { allowPrivateNetworks: false })
  const { verdict, enhancedCode, message } = await outcome('jane@x.test')
  assert.deepEqual({ verdict, enhancedCode }, { verdict: 'bounced', enhancedCode: '5.4.6' })
  assert.match(message, /Mail loop/)
})
