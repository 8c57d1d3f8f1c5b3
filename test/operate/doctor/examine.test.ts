/** The doctor looks for real: DNS, SMTP and time servers of the test answer, and certificates are files. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { selfSigned } from '../../../harness/certificate.ts'
import { type FakeDns, startDns } from '../../../harness/dns.ts'
import { Resolver } from '../../../src/dns/resolver.ts'
import { addressGuard } from '../../../src/network/private-address.ts'
import type { DoctorCheck } from '../../../src/operate/doctor/check.ts'
import { clockCheck } from '../../../src/operate/doctor/clock.ts'
import { examine, runCheck } from '../../../src/operate/doctor/examine.ts'
import { activateDomain, addDomain, showDomain, suspendDomain } from '../../../src/operate/domains.ts'
import { pause, resume } from '../../../src/operate/pauses.ts'
import { assignPool, createPool, removePool } from '../../../src/operate/pools.ts'
import type { Operation, Setup } from '../../../src/operate/verb.ts'
import { temporaryDirectory } from '../../store/directory.ts'
import { node } from '../../store/samples.ts'
import { startSink } from '../../support/sink.ts'
import { cannotReach, openPaths, reportClosed, shareClosedPaths } from '../closed-paths.ts'
import { World } from '../world.ts'

let world: World
let dns: FakeDns

before(async () => {
  world = await World.make()
  dns = await startDns({})
})
after(async () => {
  await dns.close()
  await world[Symbol.asyncDispose]()
})
beforeEach(() => {
  dns.zone = {}
})

type Change = Partial<Omit<Operation, 'setup'>> & { setup?: Partial<Setup> }

async function operation({ setup, ...change }: Change = {}): Promise<Operation> {
  const op = await world.operation('operator')
  const resolver = new Resolver({ servers: [dns.address], timeout: 300, tries: 1 })
  return {
    ...op,
    hosts: () => resolver,
    resolver: () => resolver,
    ...change,
    setup: { ...op.setup, dnsServers: [dns.address], ...setup },
  }
}

const DIRECT = {
  hostname: 'mail.example.test',
  setup: { delivery: { kind: 'direct' } },
} as const satisfies Change

async function check(id: string, change: Change = {}): Promise<DoctorCheck> {
  const { checks } = await examine(await operation(change), {})
  const found = checks.find((each) => each.id === id)
  assert.ok(found, `${id} is not among ${checks.map((each) => each.id).join(', ')}`)
  return found
}

/** ID, title, state and finding of each check of mail on closed paths. */
async function heldMail(): Promise<string[][]> {
  const { checks } = await examine(await operation(), {})
  return checks
    .filter(({ id }) => id.startsWith('held-mail'))
    .map(({ id, title, state, found }) => [id, title, state, found])
}

function seen({ state, found }: Pick<DoctorCheck, 'state' | 'found'>): [string, string] {
  return [state, found]
}

test('every check has a name, a finding and, unless it is ok, an advice', async () => {
  const { state, checks } = await examine(await operation(DIRECT), {})
  assert.equal(new Set(checks.map(({ id }) => id)).size, checks.length)
  for (const each of checks) {
    assert.match(each.found, /^\S.*\.$/, each.id)
    if (each.state === 'ok') assert.equal(each.advice, null, each.id)
    else assert.match(each.advice!, /^[A-Z]/, each.id)
  }
  assert.equal(state, 'problem')
})

test('a check that fails, or hangs, costs no other one', async () => {
  const run = { id: 'clock', title: 'X' } as const
  const [failed] = await runCheck({ ...run, run: () => Promise.reject(new Error('no such file')) }, 1_000)
  assert.deepEqual(seen(failed!), ['unknown', 'The check failed: no such file.'])
  const [hanging] = await runCheck({ ...run, run: () => new Promise(() => {}) }, 20)
  assert.deepEqual(seen(hanging!), ['unknown', 'There was no answer within 0.02 seconds.'])
})

describe('the host name', () => {
  test('is right only when each of its addresses leads back to it', async () => {
    dns.zone = {
      'mail.example.test/A': ['192.0.2.7', '192.0.2.8'],
      '7.2.0.192.in-addr.arpa/PTR': ['mail.example.test'],
      '8.2.0.192.in-addr.arpa/PTR': ['mail.example.test'],
    }
    assert.equal((await check('hostname', DIRECT)).state, 'ok')
    dns.zone['8.2.0.192.in-addr.arpa/PTR'] = ['host8.isp.test']
    assert.deepEqual(seen(await check('hostname', DIRECT)), [
      'problem',
      'mail.example.test resolves to 192.0.2.8, but 192.0.2.8 resolves back to host8.isp.test.',
    ])
  })
})

describe('block lists', () => {
  const own = {
    'mail.example.test/A': ['192.0.2.7'],
    '2.0.0.127.zen.spamhaus.org/A': ['127.0.0.2', '127.0.0.4', '127.0.0.10'],
  }
  const ZEN = 'block-list:spamhaus-zen'

  test('an address that is not listed', async () => {
    dns.zone = { ...own }
    assert.deepEqual(seen(await check(ZEN, DIRECT)), ['ok', '192.0.2.7: not listed.'])
  })

  test('a listed address is a problem, with the words of the list', async () => {
    dns.zone = {
      ...own,
      '7.2.0.192.zen.spamhaus.org/A': ['127.0.0.4'],
      '7.2.0.192.zen.spamhaus.org/TXT': ['https://www.spamhaus.org/query/ip/192.0.2.7'],
    }
    const listed = await check(ZEN, DIRECT)
    assert.deepEqual(seen(listed), [
      'problem',
      '192.0.2.7 is listed (https://www.spamhaus.org/query/ip/192.0.2.7).',
    ])
    assert.match(listed.advice!, /https:\/\/check\.spamhaus\.org/)
  })

  test('each source address is looked up; an address on a list of networks gets other advice', async () => {
    dns.zone = { ...own, '8.2.0.192.zen.spamhaus.org/A': ['127.0.0.10'] }
    const sourceAddresses = [
      { address: '192.0.2.8', helo: 'a.example.test' },
      { address: '192.0.2.9', helo: 'b.example.test' },
    ]
    const listed = await check(ZEN, { ...DIRECT, setup: { ...DIRECT.setup, sourceAddresses } })
    assert.deepEqual(seen(listed), ['problem', '192.0.2.8 is listed (127.0.0.10).'])
    assert.match(listed.advice!, /The provider of the network/)
  })

  test('an IPv6 address is looked up by its digits', async () => {
    const digits = [...'20010db8000000000000000000000007'].toReversed().join('.')
    dns.zone = {
      '2.0.0.127.zen.spamhaus.org/A': ['127.0.0.2'],
      'mail.example.test/AAAA': ['2001:db8::7'],
      [`${digits}.zen.spamhaus.org/A`]: ['127.0.0.3'],
    }
    assert.deepEqual(seen(await check(ZEN, DIRECT)), ['problem', '2001:db8::7 is listed (127.0.0.3).'])
    dns.zone['2.0.0.127.bl.spamcop.net/A'] = ['127.0.0.2']
    assert.equal((await check('block-list:spamcop', DIRECT)).state, 'ok')
  })

  test('a resolver that may not ask is not taken for an address that is not listed', async () => {
    dns.zone = { 'mail.example.test/A': ['192.0.2.7'], '2.0.0.127.zen.spamhaus.org/A': ['127.255.255.254'] }
    const refused = await check(ZEN, DIRECT)
    assert.deepEqual(seen(refused), [
      'unknown',
      'Spamhaus ZEN does not accept queries of this resolver: it answers 127.255.255.254.',
    ])
    assert.match(refused.advice!, /POSTROAD_DNS_SERVERS/)
    assert.match((await check('block-list:spamcop', DIRECT)).found, /returns not even its test entry/)
    dns.zone['2.0.0.127.zen.spamhaus.org/A'] = { rcode: 'SERVFAIL' }
    assert.deepEqual(seen(await check(ZEN, DIRECT)), ['unknown', 'DNS answers SERVFAIL for Spamhaus ZEN.'])
  })

  test('do not matter where mail leaves by a relay, or stays here', async () => {
    const { checks } = await examine(await operation(), {})
    assert.deepEqual(
      checks.filter(({ id }) => id.startsWith('block-list')).map(({ id, state }) => [id, state]),
      [['block-lists', 'ok']],
    )
  })
})

describe('the resolver', () => {
  /** Answers the questions of the root with these flags. */
  async function rootServer(flags: number | ((query: Buffer) => number)) {
    const socket = createSocket('udp4')
    socket.on('message', (query, from) => {
      const answer = Buffer.from(query)
      answer.writeUInt16BE(typeof flags === 'number' ? flags : flags(query), 2)
      socket.send(answer, from.port, from.address)
    })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return {
      address: `127.0.0.1:${socket.address().port}`,
      async [Symbol.asyncDispose]() {
        socket.close()
        await once(socket, 'close')
      },
    }
  }

  test('says with the AD bit that it validates', async () => {
    await using validating = await rootServer(0x81a0)
    await using plain = await rootServer(0x8180)
    const asked = (...dnsServers: string[]) => check('resolver', { setup: { dnsServers } })
    assert.equal((await asked(validating.address)).state, 'ok')
    assert.deepEqual(seen(await asked(validating.address, plain.address)), [
      'warning',
      `${plain.address} does not validate answers (DNSSEC).`,
    ])
  })

  test('is asked for DNSSEC as delivery asks it: with the DO bit, or without EDNS where the server knows none', async () => {
    // The flags of the OPT record, which is the last one (RFC 6891 6.1.3).
    const wantsDnssec = (query: Buffer) =>
      query.readUInt16BE(10) === 1 && (query.readUInt16BE(query.length - 4) & 0x8000) !== 0
    await using strict = await rootServer((query) => (wantsDnssec(query) ? 0x81a0 : 0x8180))
    await using old = await rootServer((query) => (query.readUInt16BE(10) === 1 ? 0x8181 : 0x8180))
    const asked = (server: { address: string }) =>
      check('resolver', { setup: { dnsServers: [server.address] } })
    assert.equal((await asked(strict)).state, 'ok')
    assert.equal((await asked(old)).found, `${old.address} does not validate answers (DNSSEC).`)
  })

  test('is never asked beside one that is trusted to validate', async () => {
    await using validating = await rootServer(0x81a0)
    const asked = await check('resolver', { setup: { dnsServers: [validating.address, '192.0.2.53'] } })
    assert.equal(asked.state, 'warning')
    assert.equal(
      asked.found,
      `192.0.2.53 is never asked, because the validated answers (DNSSEC) of ${validating.address} alone are trusted.`,
    )
    assert.match(asked.advice!, /POSTROAD_DNS_VALIDATING/)
  })

  test('that is trusted to validate, but not used, is named', async () => {
    await using plain = await rootServer(0x8180)
    const setup = { dnsServers: [plain.address], dnsValidating: ['192.0.2.53'] }
    const { state, found, advice } = await check('resolver', { setup })
    assert.equal(state, 'warning')
    assert.equal(
      found,
      `POSTROAD_DNS_VALIDATING names 192.0.2.53, but the DNS servers in use are ${plain.address}.`,
    )
    assert.match(advice!, /POSTROAD_DNS_SERVERS/)
  })

  test('that does not answer is a problem', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const dnsServers = [`127.0.0.1:${socket.address().port}`]
    socket.close()
    await once(socket, 'close')
    assert.deepEqual(seen(await check('resolver', { setup: { dnsServers } })), [
      'problem',
      `No resolver answers (${dnsServers[0]}).`,
    ])
  })
})

describe('the clock', () => {
  /** A time server that is `ahead` ms of this machine. */
  async function timeServer(ahead: number) {
    const socket = createSocket('udp4')
    socket.on('message', (query, from) => {
      const answer = Buffer.alloc(48)
      answer[0] = (4 << 3) | 4
      answer[1] = 2
      query.copy(answer, 24, 40, 48)
      const at = Date.now() + ahead
      for (const offset of [32, 40]) {
        answer.writeUInt32BE((Math.floor(at / 1_000) + 2_208_988_800) % 2 ** 32, offset)
        answer.writeUInt32BE(Math.floor(((at % 1_000) / 1_000) * 2 ** 32), offset + 4)
      }
      socket.send(answer, from.port, from.address)
    })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return {
      port: socket.address().port,
      async [Symbol.asyncDispose]() {
        socket.close()
        await once(socket, 'close')
      },
    }
  }

  test('is compared with a time server', async () => {
    dns.zone = { 'time.test/A': ['127.0.0.1'] }
    const compared = async (ahead: number) => {
      await using server = await timeServer(ahead)
      const op = await operation()
      return (await clockCheck(op, { host: 'time.test', port: server.port }).run()).found
    }
    assert.match(await compared(0), /^It is right\.$|^It differs by \d s from time\.test\.$/)
    assert.match(await compared(3_600_000), /^It is 3(599|600|601) s behind time\.test\.$/)
    assert.match(await compared(-120_000), /^It is 1(19|20|21) s ahead of time\.test\.$/)
  })

  test('cannot be compared without a time server', async () => {
    const guard = () => addressGuard({ allowPrivateNetworks: false })
    dns.zone = { 'time.test/A': ['127.0.0.1'] }
    const server = { host: 'time.test', port: 123 }
    const refused = await clockCheck(await operation({ guard }), server).run()
    assert.match(refused.found, /127\.0\.0\.1 is not a public address/)
    dns.zone = {}
    const absent = await clockCheck(await operation(), server).run()
    assert.deepEqual(seen(absent), ['unknown', 'time.test was not found in DNS.'])
  })
})

describe('the certificate', () => {
  test('is judged by its end and by its name', async (t) => {
    const certPath = join(temporaryDirectory(t), 'chain.pem')
    const { cert } = selfSigned(['mail.example.test'])
    writeFileSync(certPath, cert)
    const setup = { tls: { certPath, keyPath: 'unused.pem' } }
    assert.match((await check('certificate', { setup })).found, /^It ends on \d{4}-\d\d-\d\d, in \d+ days\.$/)
    const publicUrl = 'https://other.example.test'
    assert.match(
      (await check('certificate', { setup, publicUrl })).found,
      /does not name other\.example\.test/,
    )
    const later = await check('certificate', { setup, now: () => Date.now() + 50 * 365 * 86_400_000 })
    assert.equal(later.state, 'problem')
    assert.match(later.found, /^It ended on /)
    writeFileSync(certPath, 'not a certificate')
    assert.equal((await check('certificate', { setup })).state, 'problem')
  })
})

test('a provider is greeted from each source address, and a refusal or silence names the address', async (t) => {
  const sink = await startSink({
    script: ({ step, peer }) =>
      step === 'connect' && peer.includes('127.0.0.82')
        ? { reply: '554 5.7.1 127.0.0.82 is on our list', close: true }
        : undefined,
  })
  t.after(() => sink.close())
  dns.zone = {
    '81.0.0.127.in-addr.arpa/PTR': ['one.example.test'],
    'one.example.test/A': ['127.0.0.81'],
    '82.0.0.127.in-addr.arpa/PTR': ['two.example.test'],
    'two.example.test/A': ['127.0.0.82'],
  }
  for (const provider of ['gmail.com', 'outlook.com']) dns.zone[`${provider}/MX`] = ['10 mx.big.test']
  dns.zone['mx.big.test/A'] = ['127.0.0.1']
  const sourceAddresses = [
    { address: '127.0.0.81', helo: 'one.example.test' },
    { address: '127.0.0.82', helo: 'two.example.test' },
  ]
  const setup = { ...DIRECT.setup, sourceAddresses, smtpPort: sink.port }
  assert.deepEqual(seen(await check('source:127.0.0.81', { ...DIRECT, setup })), [
    'ok',
    `one.example.test resolves to 127.0.0.81, and 127.0.0.81 back to one.example.test. mx.big.test answers on port ${sink.port}.`,
  ])
  assert.deepEqual(seen(await check('source:127.0.0.82', { ...DIRECT, setup })), [
    'problem',
    'mx.big.test answers to 127.0.0.82: 554 5.7.1 127.0.0.82 is on our list.',
  ])
  const nobody = { ...setup, smtpPort: 1 }
  const silent = await check('source:127.0.0.82', { ...DIRECT, setup: nobody })
  assert.equal(silent.state, 'problem')
  assert.match(
    silent.found,
    /^No server of outlook\.com answers on port 1 from 127\.0\.0\.82: mx\.big\.test /,
  )
  assert.deepEqual(sink.messages, [])
})

test('TLS reports that cannot be mailed are reported once there are some', async () => {
  const id = 'tls-reports'
  assert.equal((await check(id)).state, 'ok')
  const nobodyAsks = [
    'ok',
    'No domain is known to ask for TLS reports by email. If one of them asks, POSTROAD_SYSTEM_FROM has to be set.',
  ]
  assert.deepEqual(seen(await check(id, DIRECT)), nobodyAsks)
  const domain = 'asks.test'
  await world.store.countTlsSessions([], [{ domain, day: '2026-01-01', dueAt: 1 }])
  assert.deepEqual(seen(await check(id, DIRECT)), nobodyAsks, 'sessions with every domain are counted')
  const [counted] = await world.store.tlsReports({ domain, limit: 1 })
  await world.store.noteTlsReport({
    ...counted!,
    fault: 'mailto:tls@asks.test: POSTROAD_SYSTEM_FROM is not set',
  })
  const { state, advice, found } = await check(id, DIRECT)
  assert.deepEqual(
    [state, found],
    ['warning', 'TLS reports cannot be mailed: POSTROAD_SYSTEM_FROM is not set.'],
  )
  assert.match(advice!, /POSTROAD_SYSTEM_FROM/)
  const setup = { ...DIRECT.setup, systemFrom: 'postroad@acme.test' }
  assert.equal((await check(id, { ...DIRECT, setup })).state, 'ok')
})

describe('the records of a domain that sends', () => {
  const real = 'doctor.example'

  test('are looked up now', async () => {
    const op = await operation()
    await addDomain(op, { company: 'Acme', name: real })
    const added = await operation()
    await activateDomain(added, { domain: real })
    const missing = await check(`domain:${real}`)
    assert.equal(missing.state, 'problem')
    assert.match(missing.found, /DKIM record missing/)

    const { records } = await showDomain(await operation(), { domain: real })
    for (const { name, value } of records) dns.zone[`${name}/TXT`] = [value]
    assert.deepEqual(seen(await check(`domain:${real}`)), ['ok', 'DNS has all of its records.'])

    for (const { name } of records) dns.zone[`${name}/TXT`] = { rcode: 'SERVFAIL' }
    assert.equal((await check(`domain:${real}`)).state, 'unknown')
    await suspendDomain(await operation(), { domain: real })
    assert.match((await check('domains')).found, /No domain sends mail/)
  })
})

describe('mail that waits', () => {
  test('is late when it is due and not attempted, unless it is paused', async () => {
    const dueAt = (await world.store.oldestDue(Date.now()))!
    const after = (minutes: number) => check('oldest-mail', { now: () => dueAt + minutes * 60_000 })
    assert.equal((await after(1)).state, 'ok')
    assert.equal((await after(11)).state, 'warning')
    assert.deepEqual(seen(await after(180)), [
      'problem',
      'Mail has been due for 3 hours and is not attempted.',
    ])
    await pause(await operation(), {})
    assert.equal((await after(180)).state, 'ok')
    await resume(await operation(), {})
  })

  test('on a closed path is a problem when servers refuse this service, and none when they are down', async () => {
    await shareClosedPaths(
      world.store,
      { site: 'mx:dead.test', kind: 'unreachable' },
      { site: 'mx:full.test', kind: 'busy' },
    )
    assert.equal((await check('held-mail')).state, 'ok')
    const list = { name: 'Spamhaus', removal: 'https://spamhaus.test' }
    await shareClosedPaths(world.store, { site: 'mx:mx.x.test', list })
    assert.deepEqual(await heldMail(), [
      [
        'held-mail:mx:mx.x.test',
        'Mail to mx.x.test',
        'problem',
        'The server refuses mail: no (on the block list of Spamhaus; removal: https://spamhaus.test).',
      ],
    ])
    await openPaths(world.store)
  })

  test('from a source address that no node has any more is no problem', async () => {
    const { store } = world
    await shareClosedPaths(
      store,
      { site: 'mx:mx.x.test', source: '192.0.2.1' },
      { site: 'mx:mx.y.test', source: '192.0.2.2' },
    )
    const sites = async () => (await heldMail()).map(([id]) => id)
    assert.deepEqual(await sites(), ['held-mail:mx:mx.x.test', 'held-mail:mx:mx.y.test'])
    const token = await store.join(node('with-sources'))
    await store.beat(token, null, ['192.0.2.2'])
    assert.deepEqual(await sites(), ['held-mail:mx:mx.y.test'])
    await store.leave(token)
    await openPaths(store)
  })

  test('each refusing site is a check of its own; of very many the newest are counted', async () => {
    await shareClosedPaths(
      world.store,
      { site: 'provider:yahoo', since: 9 },
      { site: 'mx:a.test\nb.test', since: 8 },
    )
    assert.deepEqual(
      (await heldMail()).map(([id, title]) => [id, title]),
      [
        ['held-mail:mx:a.test,b.test', 'Mail to a.test +1'],
        ['held-mail:provider:yahoo', 'Mail to yahoo'],
      ],
    )
    const many = Array.from({ length: 11 }, (_, index) => ({ site: `mx:m${index}.test`, since: 100 - index }))
    await shareClosedPaths(world.store, ...many)
    const checks = await heldMail()
    assert.equal(checks.length, 12)
    assert.equal(checks[0]![0], 'held-mail:mx:a.test,b.test')
    assert.deepEqual(checks.at(-1), [
      'held-mail',
      'Closed paths',
      'problem',
      'm1.test refuses mail: no. m0.test refuses mail: no.',
    ])
    await openPaths(world.store)
  })

  test('a company with many servers of its own takes three checks of sites that refuse all mail', async () => {
    const own = Array.from({ length: 20 }, (_, index) => ({
      site: `mx:m${String(index).padStart(2, '0')}.test`,
      since: index,
      metBy: 'attacker',
    }))
    await shareClosedPaths(world.store, ...own, { site: 'mx:good.test', since: 99, metBy: 'other' })
    const checks = await heldMail()
    assert.deepEqual(
      checks.map(([id]) => id),
      ['m00', 'm01', 'm02', 'good'].map((name) => `held-mail:mx:${name}.test`).concat('held-mail'),
    )
    await openPaths(world.store)
  })

  test('sites that refuse the mail of one company take no check from one that refuses all mail', async () => {
    const own = Array.from({ length: 11 }, (_, index) => ({
      site: `mx:m${index}.test`,
      companyId: 'removed',
    }))
    await shareClosedPaths(world.store, ...own, { site: 'provider:yahoo', since: 9 })
    const checks = await heldMail()
    assert.deepEqual(
      checks.map(([id]) => id),
      ['held-mail:provider:yahoo', 'held-mail'],
    )
    assert.match(
      checks[1]![3]!,
      /^m0\.test refuses mail from the company a removed company: no\..* There are 6 more\.$/,
    )
    await openPaths(world.store)
  })

  test('for one provider that does not answer says nothing about port 25; for several it does', async () => {
    const advice = async (...providers: string[]) => {
      await using _ = await cannotReach(world.store, ...providers)
      const { checks } = await examine(await operation(), {})
      const found = checks.filter(({ id }) => id.startsWith('held-mail'))
      assert.deepEqual(
        found.map(({ id, state }) => [id, state]),
        providers.map((name) => [`held-mail:unreachable:provider:${name}`, 'warning']),
      )
      return found[0]!.advice!
    }
    assert.doesNotMatch(await advice('Google'), /port 25/)
    assert.match(await advice('Google', 'Yahoo'), /^Check that this machine reaches them at port 25/)
  })

  test('for sites that are busy or down for long names those closed for longest, and is no problem', async () => {
    assert.equal((await check('sites')).state, 'ok')
    const now = Date.now()
    const hour = 3_600_000
    await using _ = await reportClosed(world.store, [
      { name: 'mx.a.test', kind: 'busy', since: now - hour },
      { name: 'mx.b.test', kind: 'unreachable', since: 0 },
      { name: 'mx.c.test', kind: 'busy', since: now - 2 * hour },
      { name: 'mx.d.test', kind: 'unreachable', since: now - 3 * hour },
      // These have checks of their own, or are closed as any site is now and then.
      { name: 'mx.e.test', kind: 'path', since: 0 },
      { name: 'Big', provider: 'Big', kind: 'unreachable', since: 0 },
      { name: 'mx.f.test', kind: 'busy', since: now - 60_000 },
    ])
    const { state, found, advice, code } = await check('sites')
    assert.equal(state, 'warning')
    assert.match(
      found,
      /^4 sites take no mail, or hardly any, at present\. Those closed for longest: mx\.b\.test since 1970-01-01 00:00:00Z: no answer\. mx\.d\.test since \S+ \S+: no answer\. mx\.c\.test since \S+ \S+: no answer\.$/,
    )
    assert.match(advice!, /page Installation/)
    assert.equal(code, 'bin/postroad site list')
  })

  test('in quarantine gives a warning', async () => {
    assert.deepEqual(seen(await check('quarantine')), ['warning', '2 recipients are in quarantine.'])
  })
})

test('a pool without a usable address is a problem while mail is to leave from it', async () => {
  const sourceAddresses = [
    { address: '127.0.0.2', helo: 'a.service.test' },
    { address: '127.0.0.3', helo: 'b.service.test' },
  ]
  const change = { hostname: 'mail.example.test', setup: { ...DIRECT.setup, sourceAddresses } }
  const ofPools = async () => {
    const { checks } = await examine(await operation(change), {})
    return checks
      .filter(({ id }) => id === 'pools' || id.startsWith('pools:'))
      .map(({ id, title, state, found }) => [id, title, state, found])
  }
  const nothing = [['pools', 'Pools', 'ok', 'Every pool that mail leaves from has a usable address.']]
  const op = await operation(change)
  for (const name of ['typo', 'idle']) await createPool(op, { pool: name, addresses: ['192.0.2.77'] })
  await createPool(op, { pool: 'half', addresses: ['192.0.2.77', '127.0.0.3'] })
  assert.deepEqual(await ofPools(), nothing)
  await assignPool(await operation(change), { company: 'Beta', pool: 'half' })
  await assignPool(await operation(change), { domain: 'acme.test', pool: 'typo' })
  const found = (why: string) => [
    ['pools:typo', 'Pool typo', 'problem', `Mail of acme.test waits: ${why} 192.0.2.77.`],
  ]
  assert.deepEqual(await ofPools(), found('this machine does not have'))
  const token = await world.store.join(node('with-sources'))
  await world.store.beat(token, null, ['127.0.0.2', '127.0.0.3'])
  assert.deepEqual(await ofPools(), found('no node has'))
  await world.store.leave(token)
  await createPool(await operation(change), { pool: 'default', addresses: ['192.0.2.78'] })
  const [other] = await ofPools()
  assert.equal(other![3], 'Mail without an assigned pool waits: this machine does not have 192.0.2.78.')
  await removePool(await operation(change), { pool: 'default' })
  await assignPool(await operation(change), { domain: 'acme.test', pool: null })
  await assignPool(await operation(change), { company: 'Beta', pool: null })
  for (const pool of ['typo', 'idle', 'half']) await removePool(await operation(change), { pool })
  assert.deepEqual(await ofPools(), nothing)
})

test('a fault of the sites file is one sentence', async (t) => {
  const sites = join(temporaryDirectory(t), 'sites.toml')
  writeFileSync(sites, '[[site]]\nname = "Gogle"\nsessions = 40\n')
  const { found } = await check('sites-file', { setup: { sites } })
  assert.match(found, /line 2: .* so it needs mx or domains \(did you mean "Google"\?\)\.$/)
})

test('nodes: one that sends and one that accepts mail are needed', async () => {
  for (const { token } of await world.store.nodes()) await world.store.leave(token)
  assert.match((await check('nodes')).found, /^No node is running/)
  const token = await world.store.join({ ...node('a'), roles: ['api'] })
  assert.deepEqual(seen(await check('nodes')), ['problem', 'No node sends mail.'])
  await world.store.leave(token)
  await world.store.join({ ...node('b'), roles: ['api', 'delivery'] })
  assert.deepEqual(seen(await check('nodes')), ['ok', 'One node runs: b.'])
})
