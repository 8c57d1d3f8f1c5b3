import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { type FakeDns, startDns, type Zone } from '../../harness/dns.ts'
import { Resolver, type ResolverOptions } from '../../src/dns/resolver.ts'

const servers: FakeDns[] = []
after(() => Promise.all(servers.map((server) => server.close())))

async function resolving(zone: Zone, options: ResolverOptions = {}) {
  const server = await startDns(zone)
  servers.push(server)
  const resolver = new Resolver({ servers: [server.address], timeout: 500, tries: 1, ...options })
  return { server, resolver }
}

test('MX records come with preference, in lower case, without the final dot', async () => {
  const { resolver } = await resolving({ 'x.test/MX': ['10 MX1.x.test.', '20 mx2.x.test'] })
  assert.deepEqual(await resolver.mx('X.test.'), {
    kind: 'found',
    records: [
      { exchange: 'mx1.x.test', preference: 10 },
      { exchange: 'mx2.x.test', preference: 20 },
    ],
  })
})

test('a null MX is one record with an empty name', async () => {
  const { resolver } = await resolving({ 'x.test/MX': ['0 .'] })
  assert.deepEqual(await resolver.mx('x.test'), { kind: 'found', records: [{ exchange: '', preference: 0 }] })
})

test('an unknown name and a name without such records have different reasons; both are permanent', async () => {
  const { resolver } = await resolving({
    'x.test/A': ['192.0.2.1'],
  })
  assert.deepEqual(await resolver.mx('nowhere.test'), { kind: 'absent', reason: 'NXDOMAIN' })
  assert.deepEqual(await resolver.mx('x.test'), { kind: 'absent', reason: 'NODATA' })
  assert.deepEqual(await resolver.mx('a..b'), { kind: 'absent', reason: 'NXDOMAIN' })
  assert.deepEqual(await resolver.mx(`${'a'.repeat(64)}.test`), { kind: 'absent', reason: 'NXDOMAIN' })
})

test('an alias that the resolver does not follow is followed, within bounds', async () => {
  const { resolver } = await resolving({
    'alias.test/MX': { values: [], cname: 'second.test' },
    'second.test/MX': { values: [], cname: 'real.test' },
    'real.test/MX': ['10 mx.real.test'],
    'dangling.test/MX': { values: [], cname: 'gone.test' },
    'round.test/MX': { values: [], cname: 'back.test' },
    'back.test/MX': { values: [], cname: 'round.test' },
  })
  assert.deepEqual(await resolver.mx('alias.test'), {
    kind: 'found',
    records: [{ exchange: 'mx.real.test', preference: 10 }],
    alias: 'real.test',
  })
  assert.deepEqual(await resolver.mx('dangling.test'), { kind: 'absent', reason: 'NXDOMAIN' })
  assert.deepEqual(await resolver.mx('round.test'), { kind: 'failed', reason: 'CNAMELOOP' })
})

test('SERVFAIL, REFUSED, NOTIMP, FORMERR, a referral and silence are temporary', async () => {
  const { resolver } = await resolving({
    'servfail.test/MX': { rcode: 'SERVFAIL' },
    'refused.test/MX': { rcode: 'REFUSED' },
    'notimp.test/MX': { rcode: 'NOTIMP' },
    'formerr.test/MX': { rcode: 'FORMERR' },
    'silent.test/MX': { silent: true },
    'elsewhere.test/MX': { referral: 'ns.elsewhere.test' },
  })
  for (const reason of ['SERVFAIL', 'REFUSED', 'NOTIMP', 'FORMERR']) {
    assert.deepEqual(await resolver.mx(`${reason.toLowerCase()}.test`), { kind: 'failed', reason })
  }
  assert.deepEqual(await resolver.mx('elsewhere.test'), { kind: 'failed', reason: 'REFERRAL' })
  assert.deepEqual(await resolver.mx('silent.test'), { kind: 'failed', reason: 'TIMEOUT' })
})

test('a resolver that is not there is temporary', async () => {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  const resolver = new Resolver({ servers: [`127.0.0.1:${port}`], timeout: 100, tries: 1 })
  const lookup = await resolver.mx('x.test')
  assert.equal(lookup.kind, 'failed')
})

test('an answer cut off over UDP is fetched again over TCP', async () => {
  const { resolver, server } = await resolving({ 'x.test/MX': { truncated: ['10 mx.x.test'] } })
  assert.deepEqual(await resolver.mx('x.test'), {
    kind: 'found',
    records: [{ exchange: 'mx.x.test', preference: 10 }],
  })
  assert.deepEqual(server.queries, ['udp x.test/MX', 'tcp x.test/MX'])
})

test('addresses are those of both families, behind a CNAME too', async () => {
  const { resolver } = await resolving({
    'mx.test/A': ['192.0.2.1', '192.0.2.2'],
    'mx.test/AAAA': ['2001:db8::1'],
    'alias.test/A': { values: ['192.0.2.3'], cname: 'real.test' },
  })
  assert.deepEqual(await resolver.addresses('mx.test'), {
    kind: 'found',
    records: [
      { address: '2001:db8::1', family: 6 },
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
    ],
  })
  const alias = await resolver.addresses('alias.test')
  assert.deepEqual(alias, {
    kind: 'found',
    records: [{ address: '192.0.2.3', family: 4 }],
    alias: 'real.test',
  })
})

test('one family suffices; with none found, a failure outweighs an absence', async () => {
  const { resolver } = await resolving({
    'four.test/A': ['192.0.2.1'],
    'four.test/AAAA': { rcode: 'SERVFAIL' },
    'none.test/A': { rcode: 'SERVFAIL' },
    'none.test/AAAA': { rcode: 'NXDOMAIN' },
    'six.test/A': { values: [] },
    'six.test/AAAA': { rcode: 'REFUSED' },
    'odd.test/A': { values: [] },
    'odd.test/AAAA': { rcode: 'NXDOMAIN' },
  })
  const four = await resolver.addresses('four.test')
  assert.deepEqual(four, { kind: 'found', records: [{ address: '192.0.2.1', family: 4 }] })
  assert.deepEqual(await resolver.addresses('none.test'), { kind: 'failed', reason: 'SERVFAIL' })
  assert.deepEqual(await resolver.addresses('six.test'), { kind: 'failed', reason: 'REFUSED' })
  assert.deepEqual(await resolver.addresses('odd.test'), { kind: 'absent', reason: 'NODATA' })
})

test('TXT strings are joined; CNAME gives its target', async () => {
  const long = `v=DKIM1; p=${'A'.repeat(400)}`
  const { resolver } = await resolving({ 'x.test/TXT': [long], 'y.test/CNAME': ['Z.test.'] })
  assert.deepEqual(await resolver.txt('x.test'), { kind: 'found', records: [long] })
  assert.deepEqual(await resolver.cname('y.test'), { kind: 'found', records: ['z.test'] })
})

test('identical questions at the same time are asked once', async () => {
  const { resolver, server } = await resolving({ 'x.test/MX': ['10 mx.x.test'] })
  const answers = await Promise.all(Array.from({ length: 50 }, () => resolver.mx('x.test')))
  for (const answer of answers) assert.equal(answer.kind, 'found')
  assert.deepEqual(server.queries, ['udp x.test/MX'])
})

test('an address is kept for its TTL, and not longer than an hour', async () => {
  let now = 0
  const zone: Zone = {
    'short.test/A': { values: ['192.0.2.1'], ttl: 20 },
    'long.test/A': { values: ['192.0.2.1'], ttl: 864_000 },
    'zero.test/A': { values: ['192.0.2.1'], ttl: 0 },
  }
  const { resolver, server } = await resolving(zone, { now: () => now })
  const asked = async (name: string) => {
    server.queries.length = 0
    await resolver.addresses(name)
    return server.queries.includes(`udp ${name}/A`)
  }
  assert.equal(await asked('short.test'), true)
  now = 19_999
  assert.equal(await asked('short.test'), false)
  now = 20_000
  assert.equal(await asked('short.test'), true)
  assert.equal(await asked('long.test'), true)
  now += 3_599_000
  assert.equal(await asked('long.test'), false)
  now += 1_000
  assert.equal(await asked('long.test'), true)
  assert.equal(await asked('zero.test'), true)
  assert.equal(await asked('zero.test'), true)
})

test('MX is kept for its TTL, an absence without SOA half a minute, a failure five seconds', async () => {
  let now = 0
  const zone: Zone = { 'x.test/MX': ['10 mx.x.test'], 'bad.test/MX': { rcode: 'SERVFAIL' } }
  const { resolver, server } = await resolving(zone, { now: () => now })
  for (const [name, kept] of [
    ['x.test', 300_000],
    ['nowhere.test', 30_000],
    ['bad.test', 5_000],
  ] as const) {
    const start = now
    server.queries.length = 0
    await resolver.mx(name)
    now = start + kept - 1
    await resolver.mx(name)
    assert.equal(server.queries.length, 1, name)
    now = start + kept
    await resolver.mx(name)
    assert.equal(server.queries.length, 2, name)
  }
})

test('a name with many records takes the place of as many names with one', async () => {
  const many = Array.from({ length: 30 }, (_, index) => `10 mx${index}.x.test`)
  const zone: Zone = {
    'a.test/MX': ['10 mx.a.test'],
    'b.test/MX': ['10 mx.b.test'],
    'many.test/MX': many.slice(0, 9),
  }
  zone['more.test/MX'] = many
  const { resolver, server } = await resolving(zone, { cacheSize: 10 })
  const asked = async (name: string) => {
    const before = server.queries.length
    await resolver.mx(name)
    return server.queries.length > before
  }
  assert.deepEqual([await asked('a.test'), await asked('b.test')], [true, true])
  assert.deepEqual(
    [await asked('many.test'), await asked('b.test'), await asked('a.test')],
    [true, false, true],
  )
  // It had to go for the other.
  assert.equal(await asked('many.test'), true)
  // An answer larger than the cache is used, and not kept; it displaces no other answer.
  assert.deepEqual(
    [await asked('more.test'), await asked('more.test'), await asked('many.test')],
    [true, true, false],
  )
})

test('a cache that is full forgets the least recently used name', async () => {
  const zone: Zone = { 'a.test/MX': ['1 m.test'], 'b.test/MX': ['1 m.test'], 'c.test/MX': ['1 m.test'] }
  const { resolver, server } = await resolving(zone, { cacheSize: 2 })
  for (const name of ['a.test', 'b.test', 'a.test', 'c.test', 'a.test', 'b.test']) await resolver.mx(name)
  assert.deepEqual(server.queries, ['udp a.test/MX', 'udp b.test/MX', 'udp c.test/MX', 'udp b.test/MX'])
})

test('a long record takes the place of several', async () => {
  const long = 'x'.repeat(255)
  const zone: Zone = {
    'a.test/TXT': ['short'],
    'long.test/TXT': [Array.from({ length: 20 }, () => long).join('')],
  }
  const { resolver, server } = await resolving(zone, { cacheSize: 10 })
  for (const name of ['a.test', 'long.test', 'a.test']) await resolver.txt(name)
  assert.deepEqual(server.queries, ['udp a.test/TXT', 'udp long.test/TXT', 'udp a.test/TXT'])
})

test('without a cache each question is asked anew, and those at the same time once', async () => {
  const { server, resolver } = await resolving({ 'x.test/MX': ['10 mx.x.test.'] }, { cacheSize: 0 })
  await Promise.all([resolver.mx('x.test'), resolver.mx('x.test')])
  assert.equal((await resolver.mx('x.test')).kind, 'found')
  assert.equal(server.queries.length, 2)
})

test('a server that is not an address is refused at once', () => {
  assert.throws(() => new Resolver({ servers: ['dns.x.test'] }), /dns\.x\.test/)
})

test('an absence is kept for the TTL of its SOA record, five minutes at most', async () => {
  let now = 0
  const zone: Zone = { 'x.test/MX': { absentFor: 20 }, 'y.test/MX': { absentFor: 86_400 } }
  const { resolver, server } = await resolving(zone, { now: () => now })
  for (const [name, kept] of [
    ['x.test', 20_000],
    ['y.test', 300_000],
  ] as const) {
    const start = now
    server.queries.length = 0
    assert.deepEqual(await resolver.mx(name), { kind: 'absent', reason: 'NODATA' })
    now = start + kept - 1
    await resolver.mx(name)
    assert.equal(server.queries.length, 1, name)
    now = start + kept
    await resolver.mx(name)
    assert.equal(server.queries.length, 2, name)
  }
})

test('each query has a port and letters of its own', async () => {
  const { resolver, server } = await resolving(
    { 'a-name-of-many-letters.test/MX': ['10 x.test'] },
    { cacheSize: 0 },
  )
  for (let i = 0; i < 20; i++) await resolver.mx('a-name-of-many-letters.test')
  const heard = server.heard.map((line) => line.split(' '))
  assert.ok(new Set(heard.map(([, name]) => name)).size > 15)
  assert.ok(new Set(heard.map(([, , port]) => port)).size > 15)
})

test('a server that changes the case of the question is queried over TCP, where answers cannot be forged', async () => {
  const { resolver, server } = await resolving({ 'a-name-of-many-letters.test/MX': ['10 mx.x.test'] })
  server.lowersCase = true
  const records = [{ exchange: 'mx.x.test', preference: 10 }]
  assert.deepEqual(await resolver.mx('a-name-of-many-letters.test'), { kind: 'found', records })
  assert.deepEqual(
    server.queries.map((query) => query.slice(0, 3)),
    ['udp', 'tcp'],
  )
})

test('an answer without the question is believed if it is a failure, and never that a name does not exist', async () => {
  const { resolver, server } = await resolving({ 'x.test/MX': { rcode: 'REFUSED' } })
  server.omitsQuestion = true
  assert.deepEqual(await resolver.mx('x.test'), { kind: 'failed', reason: 'REFUSED' })
  assert.deepEqual(await resolver.mx('nowhere.test'), { kind: 'failed', reason: 'TIMEOUT' })
})

test('a server that does not know EDNS is asked without it', async () => {
  const { resolver, server } = await resolving({ 'x.test/TXT': ['v=spf1 -all'] })
  server.knowsNoEdns = true
  assert.deepEqual(await resolver.txt('x.test'), { kind: 'found', records: ['v=spf1 -all'] })
})

test('a chain of aliases without an end is temporary', async () => {
  const { resolver } = await resolving({ 'x.test/MX': { values: [], cname: 'x.test' } })
  assert.deepEqual(await resolver.mx('x.test'), { kind: 'failed', reason: 'CNAMELOOP' })
})

test('the next server is asked when one refuses or does not answer', async () => {
  const silent = await startDns({ 'x.test/MX': { silent: true } })
  const refusing = await startDns({ 'x.test/MX': { rcode: 'REFUSED' } })
  const good = await startDns({ 'x.test/MX': ['10 mx.x.test'] })
  servers.push(silent, refusing, good)
  const addresses = [silent, refusing, good].map(({ address }) => address)
  const resolver = new Resolver({ servers: addresses, timeout: 100, tries: 1 })
  assert.equal((await resolver.mx('x.test')).kind, 'found')
})

test('the refusal of one server outweighs the silence of another', async () => {
  const silent = await startDns({ 'x.test/MX': { silent: true } })
  const refusing = await startDns({ 'x.test/MX': { rcode: 'REFUSED' } })
  servers.push(silent, refusing)
  const resolver = new Resolver({ servers: [refusing.address, silent.address], timeout: 50, tries: 1 })
  assert.deepEqual(await resolver.mx('x.test'), { kind: 'failed', reason: 'REFUSED' })
})

test('records that name no host are left out; the target of an alias is written as in a zone file', async () => {
  const { resolver } = await resolving({
    'x.test/MX': ['10 a\nb\\c.x.test', '20 mx_1.x-y.test'],
    'y.test/MX': ['10 a\nb.x.test'],
    'z.test/CNAME': ['a\nb\\C.x.test'],
    '1.2.0.192.in-addr.arpa/PTR': ['a\nb.x.test', 'Mail.x.test'],
  })
  assert.deepEqual(await resolver.mx('x.test'), {
    kind: 'found',
    records: [{ exchange: 'mx_1.x-y.test', preference: 20 }],
  })
  assert.deepEqual(await resolver.mx('y.test'), { kind: 'found', records: [] })
  assert.deepEqual(await resolver.names('192.0.2.1'), { kind: 'found', records: ['mail.x.test'] })
  assert.deepEqual(await resolver.cname('z.test'), { kind: 'found', records: ['a\\010b\\092c.x.test'] })
})

test('TLSA records come as numbers and octets', async () => {
  const { resolver } = await resolving({ '_25._tcp.mx.test/TLSA': ['3 1 1 00ff'] })
  assert.deepEqual(await resolver.tlsa('_25._tcp.mx.test'), {
    kind: 'found',
    records: [{ usage: 3, selector: 1, matchingType: 1, data: Buffer.from([0, 255]) }],
  })
})

test('an answer is secure when a resolver on loopback says so, in both families of a host', async () => {
  const { resolver } = await resolving({
    'mx.test/A': { values: ['192.0.2.1'], secure: true },
    'both.test/A': { values: ['192.0.2.1'], secure: true },
    'both.test/AAAA': ['2001:db8::1'],
    'alias.test/A': { values: ['192.0.2.1'], cname: 'mx.test', secure: true },
  })
  const records = [{ address: '192.0.2.1', family: 4 }]
  assert.deepEqual(await resolver.addresses('mx.test'), { kind: 'found', records, secure: true })
  assert.deepEqual(await resolver.addresses('alias.test'), {
    kind: 'found',
    records,
    secure: true,
    alias: 'mx.test',
  })
  const both = await resolver.addresses('both.test')
  assert.equal(both.kind === 'found' && 'secure' in both, false)
})
