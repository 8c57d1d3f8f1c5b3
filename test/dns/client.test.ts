import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type FakeDns, startDns, type Zone } from '../../harness/dns.ts'
import { DnsClient } from '../../src/dns/client.ts'
import { NoReply } from '../../src/dns/exchange.ts'

const servers: FakeDns[] = []
after(() => Promise.all(servers.map((server) => server.close())))

/** A server with this zone, as a client knows it. */
async function serving(zone: Zone, validating: boolean) {
  const server = await startDns(zone)
  servers.push(server)
  return { ...server, address: '127.0.0.1', port: Number(server.address.split(':')[1]), validating }
}

const from = (exchange: string) => [`10 ${exchange}`]
const failsWith = (reason: string) => (error: unknown) => error instanceof NoReply && error.reason === reason

test('where a server is trusted to validate, no answer of another one counts', async () => {
  const attackers = from('mx.attacker.test')
  const other = await serving(
    { 'bogus.test/MX': attackers, 'silent.test/MX': attackers, 'good.test/MX': attackers },
    false,
  )
  const trusted = await serving(
    {
      'bogus.test/MX': { rcode: 'SERVFAIL' },
      'silent.test/MX': { silent: true },
      'good.test/MX': { values: from('mx.good.test'), secure: true },
    },
    true,
  )
  const client = new DnsClient({
    servers: [other, trusted],
    timeout: 250,
    tries: 2,
    now: () => performance.now(),
  })
  // RFC 4035 4.3, 5.5: a validating server answers SERVFAIL to a forged answer.
  await assert.rejects(client.ask('bogus.test', 'MX'), failsWith('SERVFAIL'))
  for (const zone of ['silent.test', 'a.silent.test', 'b.silent.test']) {
    trusted.zone[`${zone}/MX`] = { silent: true }
    await assert.rejects(client.ask(zone, 'MX'), failsWith('TIMEOUT'))
  }
  const good = await client.ask('good.test', 'MX')
  assert.equal(good.isValidated, true)
  assert.deepEqual(
    good.records.map(({ data }) => data),
    [{ exchange: 'mx.good.test', preference: 10 }],
  )
  assert.deepEqual(other.queries, [])
})

test('another server that is trusted to validate is asked when one fails', async () => {
  const failing = await serving({ 'x.test/MX': { rcode: 'SERVFAIL' } }, true)
  const second = await serving({ 'x.test/MX': { values: from('mx.x.test'), secure: true } }, true)
  const client = new DnsClient({
    servers: [failing, second],
    timeout: 250,
    tries: 1,
    now: () => performance.now(),
  })
  assert.equal((await client.ask('x.test', 'MX')).isValidated, true)
})

test('a server is asked last once it was silent about three organizations, with no answer between', async () => {
  const silent = await serving({ 'good.example/MX': from('mx.good.example') }, false)
  const good = await serving({}, false)
  let now = 0
  const client = new DnsClient({ servers: [silent, good], timeout: 250, tries: 1, now: () => now })
  /** Whether the first server is asked about a name that it says nothing about. */
  const isAsked = async (name: string) => {
    silent.zone[`${name}/MX`] = { silent: true }
    good.zone[`${name}/MX`] = from('mx.x.test')
    silent.queries.length = 0
    assert.equal((await client.ask(name, 'MX')).records.length, 1)
    return silent.queries.length > 0
  }
  // One organization may have any number of names.
  for (const name of ['a.one.example', 'b.one.example', 'one.example', 'c.two.co.uk']) {
    assert.equal(await isAsked(name), true)
  }
  await client.ask('good.example', 'MX')
  for (const name of ['one.example', 'two.co.uk', 'three.co.uk']) assert.equal(await isAsked(name), true)
  assert.equal(await isAsked('four.example'), false)
  now += 30_000
  assert.equal(await isAsked('four.example'), true)
})

test('an answer that ends within its last record has no records', async () => {
  const server = await serving({}, false)
  const client = new DnsClient({ servers: [server], timeout: 250, tries: 1, now: () => performance.now() })
  const record = (type: number, ...data: number[]) =>
    Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, 4, ...data])
  const octets = { A: record(1, 192, 0), AAAA: record(28, 0x20, 1), TXT: record(16, 3, 0x61) }
  for (const [type, record] of Object.entries(octets)) {
    server.zone[`x.test/${type}`] = { octets: record, counts: [1, 0, 0] }
    await assert.rejects(client.ask('x.test', type as keyof typeof octets), failsWith('BADRESP'), type)
  }
})

test('an unreadable answer counts as an answer: its server is neither asked again nor taken for away', async () => {
  const server = await serving({}, false)
  const client = new DnsClient({ servers: [server], timeout: 250, tries: 2, now: () => performance.now() })
  server.zone['x.test/MX'] = { octets: Buffer.from([0xff]), counts: [1, 0, 0] }
  await assert.rejects(client.ask('x.test', 'MX'), failsWith('BADRESP'))
  assert.deepEqual(server.queries, ['udp x.test/MX', 'tcp x.test/MX'])
})

test('a server without a route is left at once: the next one is asked', async () => {
  // Broadcast: the system refuses to connect.
  const unreachable = { address: '255.255.255.255', port: 53, validating: false }
  const second = await serving({ 'x.test/MX': from('mx.x.test') }, false)
  const client = new DnsClient({
    servers: [unreachable, second],
    // Far longer than the test may take.
    timeout: 600_000,
    tries: 1,
    now: () => performance.now(),
  })
  assert.equal((await client.ask('x.test', 'MX')).records.length, 1)
})
