/** How mail to an address would leave: DNS and mail servers of the test answer. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { activateDomain, suspendDomain } from '../../src/operate/domains.ts'
import { type ExplainRequest, explain, rehearseDelivery } from '../../src/operate/explain.ts'
import { pause, resume } from '../../src/operate/pauses.ts'
import { setRoute } from '../../src/operate/routes.ts'
import { explanationJson, headlineOf } from '../../src/operate/shapes/explanation.ts'
import type { Operation, Setup } from '../../src/operate/verb.ts'
import { node, suppress } from '../store/samples.ts'
import { startSocks } from '../support/outgoing-proxies.ts'
import { startSink } from '../support/sink.ts'
import { openPaths, shareClosedPaths } from './closed-paths.ts'
import { type CallerName, World } from './world.ts'

let world: World
let dns: FakeDns

before(async () => {
  world = await World.make()
  dns = await startDns({})
  const op = await world.operation('operator')
  await activateDomain(op, { domain: 'acme.test' })
})
after(async () => {
  await dns.close()
  await world[Symbol.asyncDispose]()
})
beforeEach(() => {
  dns.zone = {
    'example.net/MX': ['20 mx2.example.net', '10 mx1.example.net'],
    'mx1.example.net/A': ['192.0.2.1'],
    'mx1.example.net/AAAA': ['2001:db8::1'],
    'mx2.example.net/A': ['192.0.2.2'],
  }
})

type Change = Partial<Omit<Operation, 'setup'>> & { setup?: Partial<Setup> }

async function operation({ setup, ...change }: Change = {}, caller: CallerName = 'operator') {
  const op = await world.operation(caller)
  const resolver = new Resolver({ servers: [dns.address], timeout: 300, tries: 1 })
  const direct = { delivery: { kind: 'direct' } } as const
  return { ...op, hosts: () => resolver, ...change, setup: { ...op.setup, ...direct, ...setup } }
}

async function explained(request: ExplainRequest, change: Change = {}) {
  return explanationJson(await explain(await operation(change), request))
}

const JANE = 'Jane@Example.net'

test('a site that has closed its door is the problem, for the senders that it concerns', async () => {
  const { path } = await explain(await operation(), { address: JANE, from: 'acme.test' })
  const token = await world.store.join(node('a'))
  const closed = { since: 0, reason: '554 listed', nextTryAt: 60_000, list: null }
  const concerning = {
    kind: 'path' as const,
    brief: 'x refuses',
    metBy: null,
    companyId: null,
    company: null,
  }
  const report = async (sendingDomain: string | null) => {
    const site = {
      ...{ key: path.site.key, name: 'mx1.example.net', provider: null, hosts: [], sources: [] },
      limits: {} as never,
      lowered: { sessions: null, messagesPerMinute: null },
      used: { sessions: 0, messagesLastMinute: 0, messagesLastHour: 0 },
      closed: { ...closed, ...concerning, sendingDomain, recipientDomain: null },
    }
    const op = await operation()
    await world.store.reportSites({ node: token, at: op.now(), sites: [site] })
  }
  await report('other.test')
  assert.equal((await explained({ address: JANE, from: 'acme.test' })).problem, null)
  await report(null)
  const { problem, deliverable } = await explained({ address: JANE, from: 'acme.test' })
  assert.equal(deliverable, false)
  assert.match(problem!, /has taken no mail from this service since 1970.*: 554 listed\. The next try/)
  await world.store.leave(token)
})

test('a company reads the words of a server only if its own mail met them', async () => {
  const { path } = await explain(await operation(), { address: JANE, from: 'acme.test' })
  const companyId = world.acme.company.id
  const token = await world.store.join(node('a'))
  const closure = (reason: string, metBy: string, whose: string | null) => ({
    ...{
      since: 0,
      kind: 'path' as const,
      reason,
      brief: 'mx1 refuses mail (554)',
      nextTryAt: 60_000,
      list: null,
      metBy,
    },
    ...{ companyId: whose, company: whose, sendingDomain: null, recipientDomain: null },
  })
  const problemWith = async (closed: ReturnType<typeof closure>, ...others: ReturnType<typeof closure>[]) => {
    const site = {
      ...{ key: path.site.key, name: 'mx1.example.net', provider: null, hosts: [], sources: [] },
      limits: {} as never,
      lowered: { sessions: null, messagesPerMinute: null },
      used: { sessions: 0, messagesLastMinute: 0, messagesLastHour: 0 },
    }
    const { store } = world
    await store.reportSites({
      node: token,
      at: (await operation()).now(),
      sites: [{ ...site, closed, others }],
    })
    const asMember = await operation({}, 'reader')
    return (await explain(asMember, { address: JANE, from: 'acme.test' })).obstacle?.problem ?? ''
  }
  assert.match(await problemWith(closure('to jane', 'other', null)), /: mx1 refuses mail \(554\)\. The next/)
  assert.match(await problemWith(closure('to jane', companyId, null)), /: to jane\. The next/)
  assert.equal(await problemWith(closure('to jane', 'other', 'other')), '')
  const own = closure('to us', companyId, companyId)
  assert.match(await problemWith(closure('to jane', 'other', 'other'), own), /: to us\. The next/)
  await world.store.leave(token)
})

test('limits in force, and the warm-up of the address; mail leaves from another address when its path is closed or its cap is used up', async () => {
  const ownAddresses = [
    { address: '192.0.2.81', helo: 'one.service.test' },
    { address: '192.0.2.82', helo: 'two.service.test' },
  ]
  const change = { setup: { sourceAddresses: ownAddresses, warmUp: [50, 100] } }
  const request = { address: JANE, from: 'acme.test' }
  const token = await world.store.join({ ...node('a'), sources: ownAddresses.map(({ address }) => address) })
  const { path } = await explain(await operation(change), request)
  const [first, other] =
    path.source.name === '192.0.2.81' ? ['192.0.2.81', '192.0.2.82'] : ['192.0.2.82', '192.0.2.81']
  const none = { sessions: null, messagesPerMinute: null }
  const used = { sessions: 0, messagesLastMinute: 0, messagesLastHour: 0 }
  const closed = {
    ...{
      since: 0,
      kind: 'path' as const,
      reason: '554 listed',
      brief: 'it refuses',
      nextTryAt: 60_000,
      list: null,
    },
    ...{ metBy: null, companyId: null, company: null, sendingDomain: null, recipientDomain: null },
    source: first!,
  }
  const report = async (sources: object[], closure: typeof closed | null) => {
    const site = {
      ...{ key: path.site.key, name: 'mx1.example.net', provider: null, hosts: [] },
      ...{ limits: {} as never, lowered: none, used, closed: closure },
      sources: sources.map((each) => ({ helo: 'x', lowered: none, used, closed: null, ...each })) as never,
    }
    const op = await operation()
    await world.store.reportSites({ node: token, at: op.now(), sites: [site] })
  }
  const lowered = { sessions: 2, messagesPerMinute: 7 }
  await report([{ name: first, lowered, warmUp: { day: 1, messages: 12, limit: 50 } }], null)
  const warming = await explained(request, change)
  assert.deepEqual(warming.site.lowered, { sessions: 2, messages_per_minute: 7 })
  assert.deepEqual(
    [warming.source.address, warming.source.warm_up],
    [first, { day: 1, messages: 12, limit: 50, used_up: false }],
  )
  await report([{ name: first, warmUp: { day: 1, messages: 50, limit: 50 } }], null)
  assert.equal((await explained(request, change)).source.address, other)
  await report([{ name: first }, { name: other, warmUp: { day: 1, messages: 50, limit: 50 } }], closed)
  const shut = await explained(request, change)
  assert.match(shut.problem!, /has taken no mail from this service since 1970-01-01 00:00:00Z: 554 listed/)
  assert.deepEqual([shut.source.address, shut.site.closed!.reason], [first, '554 listed'])
  await report([{ name: first }], closed)
  const open = await explained(request, change)
  assert.deepEqual([open.source.address, open.problem, open.site.closed], [other, null, null])
  const only = { setup: { sourceAddresses: ownAddresses.slice(0, 1), warmUp: [50, 100] } }
  await report([{ name: '192.0.2.81', warmUp: { day: 1, messages: 50, limit: 50 } }], null)
  assert.match(
    (await explained(request, only)).problem!,
    /^The source address 192\.0\.2\.81 is warming up, and has sent .* the 50 messages of today/,
  )
  await world.store.leave(token)
})

test('a company reads how much leaves from an address only if no other company sends from it', async () => {
  const sourceAddresses = [{ address: '192.0.2.91', helo: 'one.service.test' }]
  const change = { setup: { sourceAddresses, warmUp: [50, 100] } }
  const request = { address: JANE, from: 'acme.test' }
  const token = await world.store.join({ ...node('a'), sources: ['192.0.2.91'] })
  const { path } = await explain(await operation(change), request)
  const none = { sessions: null, messagesPerMinute: null }
  const used = { sessions: 0, messagesLastMinute: 0, messagesLastHour: 0 }
  const report = async (messages: number) => {
    const source = {
      ...{ name: '192.0.2.91', helo: 'x', used, closed: null },
      lowered: { sessions: 2, messagesPerMinute: 7 },
      warmUp: { day: 1, messages, limit: 50 },
    }
    const site = {
      ...{ key: path.site.key, name: 'mx1.example.net', provider: null, hosts: [] },
      ...{ limits: {} as never, lowered: none, used, closed: null, sources: [source] },
    }
    await world.store.reportSites({ node: token, at: (await operation()).now(), sites: [site] })
  }
  const read = async (caller: CallerName, poolUsers: readonly string[]) => {
    const op = await operation(change, caller)
    const own = { name: 'own', addresses: ['192.0.2.91'], warming: {}, createdAt: 0 }
    const companies = op.accounts.companies.map((each) =>
      poolUsers.includes(each.id) ? { ...each, pool: 'own' } : each,
    )
    const accounts = { ...op.accounts, companies, pools: [own] }
    const { site, source, problem } = explanationJson(await explain({ ...op, accounts }, request))
    const { sessions, messages_per_minute: aMinute } = site.limits
    return { limits: [sessions, aMinute], lowered: site.lowered, warmUp: source.warm_up, problem }
  }
  const [own, other] = [world.acme.company.id, world.beta.company.id]
  const whole = { messages: 12, lowered: { sessions: 2, messages_per_minute: 7 } }
  const masked = { messages: null, lowered: { sessions: null, messages_per_minute: null } }
  await report(12)
  for (const [caller, users, { messages, lowered }] of [
    ['reader', [own, other], masked],
    ['operator', [own, other], whole],
    ['reader', [own], whole],
  ] as const) {
    const seen = await read(caller, users)
    assert.deepEqual(seen.warmUp, { day: 1, messages, limit: 50, used_up: false })
    assert.deepEqual(seen.lowered, lowered)
    if (lowered === masked.lowered) assert.deepEqual(seen.limits, [2, 7], 'the limits in force')
  }
  await report(50)
  const over = await read('reader', [own, other])
  assert.deepEqual(over.warmUp, { day: 1, messages: null, limit: 50, used_up: true })
  assert.match(over.problem!, /is warming up, and has sent/)
  await world.store.leave(token)
})

describe('a source address that no node has', () => {
  const [HERE, ABSENT] = ['192.0.2.71', '192.0.2.77']
  const sourceAddresses = [
    { address: HERE, helo: 'one.service.test' },
    { address: ABSENT, helo: 'nine.service.test' },
  ]
  const change = { setup: { sourceAddresses } }
  const request = { address: JANE, from: 'acme.test' }
  const far = { name: 'far', addresses: [ABSENT], warming: {}, createdAt: 0 }

  const explainedIn = async (pool: string | null, caller: CallerName = 'operator') => {
    const op = await operation(change, caller)
    const companies = op.accounts.companies.map((each) => (pool === null ? each : { ...each, pool }))
    const accounts = { ...op.accounts, companies, pools: pool === null ? [] : [far] }
    return explanationJson(await explain({ ...op, accounts }, request))
  }

  test('is not what mail leaves from, and hides no closure of the others', async () => {
    const token = await world.store.join({ ...node('a'), sources: [HERE] })
    assert.deepEqual((await explainedIn(null)).source.name, HERE)
    const { path } = await explain(await operation(change), request)
    await shareClosedPaths(world.store, { site: path.site.key, source: HERE })
    const { problem, source } = await explainedIn(null)
    assert.equal(source.name, HERE)
    assert.match(
      problem!,
      /has taken no mail from this service since 1970-01-01 00:00:00Z: no\. The next try/,
    )
    await openPaths(world.store)
    await world.store.leave(token)
  })

  test('is the problem where the mail may leave from no other', async () => {
    const token = await world.store.join({ ...node('a'), sources: [HERE] })
    const { problem, deliverable, source } = await explainedIn('far')
    assert.deepEqual([problem, deliverable], [`No mail can leave: no node has ${ABSENT}.`, false])
    assert.deepEqual([source.address, source.missing], [null, `no node has ${ABSENT}`])
    await world.store.leave(token)
  })

  test('is looked for on the machine while no node runs', async () => {
    const { problem } = await explainedIn('far')
    assert.equal(problem, `No mail can leave: this machine does not have ${ABSENT}.`)
  })

  test('is named by a try on another machine, which says nothing about the server', async () => {
    const token = await world.store.join({ ...node('a'), sources: [HERE, ABSENT] })
    const op = await operation(change)
    const { explanation, tried } = await rehearseDelivery(op, request)
    assert.equal(explanation.obstacle, null)
    assert.deepEqual([tried.accepted, tried.server], [false, null])
    assert.match(
      tried.message,
      /^This machine does not have the address 192\.0\.2\.7[17], so it cannot ask the server from there$/,
    )
    await world.store.leave(token)
  })
})

test('direct mail: the servers in their order, with addresses, TLS, source and limits', async () => {
  const { suppressions, pauses, last, ...way } = await explained({ address: JANE, from: 'acme.test' })
  assert.deepEqual(way, {
    address: 'Jane@example.net',
    domain: 'example.net',
    deliverable: true,
    problem: null,
    permanent: null,
    route: 'direct',
    site: {
      name: 'mx1.example.net +1',
      provider: null,
      limits: {
        sessions: 20,
        messages_per_session: 100,
        messages_per_minute: null,
        messages_per_hour: null,
        recipients_per_transaction: 100,
        tls: 'opportunistic',
        envelope_behind_dot: true,
        size: null,
        back_off_ms: null,
      },
      lowered: { sessions: null, messages_per_minute: null },
      closed: null,
    },
    hosts: [
      {
        name: 'mx1.example.net',
        preference: 10,
        addresses: ['2001:db8::1', '192.0.2.1'],
        tls: { demand: 'opportunistic', source: 'default' },
        problem: null,
      },
      {
        name: 'mx2.example.net',
        preference: 20,
        addresses: ['192.0.2.2'],
        tls: { demand: 'opportunistic', source: 'default' },
        problem: null,
      },
    ],
    policy: { kind: null, mode: null, source: null, fetched_at: null, expires_at: null, problem: null },
    source: {
      name: 'default',
      address: null,
      helo: 'mail.service.test',
      proxy: null,
      missing: null,
      warm_up: null,
    },
    tried: null,
  })
  assert.deepEqual([suppressions, pauses, last], [[], [], []])
})

test('the policies of the domain about its servers: MTA-STS, and DANE before it', async () => {
  const { store } = await world.operation('operator')
  const now = Date.now()
  const expiresAt = now + 86_400_000
  const kept = { domain: 'signed.test', id: '1', fetchedAt: now, expiresAt }
  await store.keepMtaStsPolicy({ ...kept, mode: 'enforce', mx: ['mx1.signed.test'] }, 'signed.test')
  dns.zone = {
    'signed.test/MX': ['10 mx1.signed.test', '20 mx2.signed.test'],
    'mx1.signed.test/A': ['192.0.2.1'],
    'mx2.signed.test/A': ['192.0.2.2'],
  }
  const byPolicy = await explained({ address: 'jane@signed.test' })
  assert.deepEqual(byPolicy.policy, {
    kind: 'mta-sts',
    mode: 'enforce',
    source: 'https://mta-sts.signed.test/.well-known/mta-sts.txt',
    fetched_at: new Date(now).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
    problem: null,
  })
  assert.deepEqual(
    byPolicy.hosts.map(({ addresses, tls, problem }) => [addresses.length, tls, problem]),
    [
      [1, { demand: 'verified', source: 'mta-sts' }, null],
      // The policy does not name this server, so that it gets no mail.
      [
        0,
        { demand: 'verified', source: 'mta-sts' },
        'mx2.signed.test is not among the mail servers that the MTA-STS policy of signed.test names',
      ],
    ],
  )
  dns.zone = {
    'signed.test/MX': { values: ['10 mx1.signed.test'], secure: true },
    'mx1.signed.test/A': { values: ['192.0.2.1'], secure: true },
    '_25._tcp.mx1.signed.test/TLSA': { values: [`3 1 1 ${'ab'.repeat(32)}`], secure: true },
  }
  const proven = await explained({ address: 'jane@signed.test' })
  assert.deepEqual(proven.policy, {
    kind: 'dane',
    mode: null,
    source: 'TLSA records of mx1.signed.test',
    fetched_at: null,
    expires_at: null,
    problem: null,
  })
  assert.deepEqual(proven.hosts[0]!.tls, { demand: 'verified', source: 'dane' })
})

test('a policy that is not known is no missing policy', async () => {
  const policyOf = async (domain: string) => (await explained({ address: `jane@${domain}` })).policy
  const unknown = (problem: string) => ({
    ...{ kind: null, mode: null, source: null, fetched_at: null, expires_at: null },
    problem,
  })
  dns.zone = {
    'sts.test/MX': ['10 mx.sts.test'],
    'mx.sts.test/A': ['192.0.2.1'],
    '_mta-sts.sts.test/TXT': ['v=STSv1; id=1'],
  }
  assert.deepEqual(
    await policyOf('sts.test'),
    unknown(
      'sts.test publishes MTA-STS, but its policy cannot be fetched: mta-sts.sts.test has no address in DNS',
    ),
  )
  for (const [domain, rcode] of [
    ['broken.test', 'SERVFAIL'],
    ['refused.test', 'REFUSED'],
  ] as const) {
    dns.zone = {
      [`${domain}/MX`]: ['10 mx.test'],
      'mx.test/A': ['192.0.2.1'],
      [`_mta-sts.${domain}/TXT`]: { rcode },
    }
    const lookup = `DNS: the TXT lookup of _mta-sts.${domain} failed (${rcode})`
    assert.deepEqual(await policyOf(domain), unknown(`unknown: ${lookup}`))
  }
  dns.zone = { 'dark.test/MX': { rcode: 'SERVFAIL' }, '_mta-sts.dark.test/TXT': { absentFor: 1 } }
  assert.deepEqual(
    await policyOf('dark.test'),
    unknown('unknown: DNS: the MX lookup of dark.test failed (SERVFAIL)'),
  )
  dns.zone = {
    'tlsa.test/MX': { values: ['10 mx1.tlsa.test'], secure: true },
    'mx1.tlsa.test/A': { values: ['192.0.2.1'], secure: true },
    '_25._tcp.mx1.tlsa.test/TLSA': { rcode: 'SERVFAIL' },
  }
  const { problem, kind } = await policyOf('tlsa.test')
  assert.equal(kind, null)
  assert.match(problem!, /^unknown: DNS: the TLSA lookup of _25\._tcp\.mx1\.tlsa\.test failed \(SERVFAIL\)/)
})

test('a provider is named with the limits of its block', async () => {
  dns.zone = {
    'example.net/MX': ['10 aspmx.l.google.com'],
    'aspmx.l.google.com/A': ['192.0.2.1'],
  }
  const { site } = await explained({ address: JANE })
  assert.equal(site.name, site.provider)
  assert.match(site.provider!, /google/i)
})

describe('an obstacle', () => {
  const problem = async (address: string, change: Change = {}) => {
    const { deliverable, problem, permanent } = await explained({ address, from: 'acme.test' }, change)
    assert.equal(deliverable, problem === null)
    assert.equal(deliverable, permanent === null)
    return problem
  }

  test('in DNS', async () => {
    assert.equal(await problem('a@nowhere.example'), 'DNS: the domain nowhere.example does not exist.')
    dns.zone['null.example/MX'] = ['0 .']
    assert.equal(await problem('a@null.example'), 'The domain null.example does not accept mail (null MX).')
    dns.zone['broken.example/MX'] = { rcode: 'SERVFAIL' }
    assert.equal(await problem('a@broken.example'), 'DNS: the MX lookup of broken.example failed (SERVFAIL).')
    dns.zone['bare.example/MX'] = ['10 mx.bare.example']
    assert.equal(
      await problem('a@bare.example'),
      'DNS: mx.bare.example, a mail server of bare.example, has no address: DNS has no address of it.',
    )
  })

  test('lets the mail bounce, or wait', async () => {
    dns.zone['null.example/MX'] = ['0 .']
    dns.zone['broken.example/MX'] = { rcode: 'SERVFAIL' }
    dns.zone['bare.example/MX'] = ['10 mx.bare.example']
    dns.zone['mixed.example/MX'] = ['10 mx.bare.example', '20 mx.broken.example']
    dns.zone['mx.broken.example/A'] = { rcode: 'SERVFAIL' }
    dns.zone['mx.broken.example/AAAA'] = { rcode: 'SERVFAIL' }
    await pause(await operation(), { company: 'Acme', domain: 'paused.example' })
    dns.zone['paused.example/MX'] = ['10 mx1.example.net']
    const { id } = world.acme.company
    await suppress(world.store, id, 'never@example.net', '550 5.1.1 no such user', 1)
    for (const [address, permanent, ending] of [
      ['a@nowhere.example', true, 'would bounce now.'],
      ['a@null.example', true, 'would bounce now.'],
      ['a@bare.example', true, 'would bounce now.'],
      ['a@broken.example', false, 'would wait.'],
      // A server that may take the mail later outweighs one that will not.
      ['a@mixed.example', false, 'would wait.'],
      ['a@paused.example', false, 'would wait.'],
      ['never@example.net', true, 'would not leave now.'],
      [JANE.toLowerCase(), null, 'would leave now.'],
    ] as const) {
      const explanation = await explain(await operation(), { address, from: 'acme.test' })
      assert.equal(explanationJson(explanation).permanent, permanent, address)
      assert.equal(headlineOf(explanation), `Mail to ${address} ${ending}`)
    }
    await resume(await operation(), { company: 'Acme', domain: 'paused.example' })
  })

  test('an address that may not be connected to', async () => {
    dns.zone['mx1.example.net/A'] = ['10.0.0.1']
    dns.zone['mx1.example.net/AAAA'] = []
    dns.zone['mx2.example.net/A'] = ['127.0.0.1']
    const setup = { allowPrivateNetworks: false }
    assert.match((await problem(JANE, { setup }))!, /10\.0\.0\.1 is not a public address/)
  })

  test('a company does not learn the addresses of the network around the service, nor which names have some', async () => {
    dns.zone = {
      'db.corp.example/A': ['10.1.2.3'],
      'empty.corp.example/TXT': ['x'],
      'named.example/MX': ['10 vault.corp.example'],
      'vault.corp.example/A': ['10.9.9.9'],
      'guessed.example/MX': ['10 nothing.corp.example'],
    }
    const setup = { allowPrivateNetworks: false }
    const problem = async (domain: string) => {
      const op = await operation({ setup }, 'reader')
      const shown = explanationJson(await explain(op, { address: `a@${domain}` }))
      assert.doesNotMatch(JSON.stringify(shown), /10\.\d+\.\d+\.\d+/)
      return shown.problem
    }
    const bare = (domain: string) => `DNS: ${domain} has no mail server (MX) and no public address.`
    const host = (name: string, of: string) => `DNS: ${name}, a mail server of ${of}, has no public address.`
    assert.equal(await problem('db.corp.example'), bare('db.corp.example'))
    assert.equal(await problem('empty.corp.example'), bare('empty.corp.example'))
    assert.equal(await problem('named.example'), host('vault.corp.example', 'named.example'))
    assert.equal(await problem('guessed.example'), host('nothing.corp.example', 'guessed.example'))
  })

  test('a suppression, of the company that sends', async () => {
    const { id } = world.acme.company
    await suppress(world.store, id, 'gone@example.net', '550 5.1.1 no such user', 1)
    assert.match((await problem('GONE@example.net'))!, /^The address is suppressed \(\w+\): 550 5\.1\.1/)
    const other = await explained({ address: 'gone@example.net' })
    assert.deepEqual([other.deliverable, other.suppressions.length], [true, 1])
  })

  test('a pause', async () => {
    await pause(await operation(), { company: 'Acme', domain: 'example.net' })
    assert.match((await problem(JANE))!, /^An operator has paused mail of Acme to example\.net, since /)
    assert.equal((await explained({ address: JANE })).deliverable, true)
    const until = Date.UTC(2999, 0, 1)
    await pause(await operation(), { company: 'Acme', domain: 'example.net', until, reason: 'they move' })
    assert.match((await problem(JANE))!, /, since \S+ \S+, until 2999-01-01 00:00:00Z: they move\.$/)
    await resume(await operation(), { company: 'Acme', domain: 'example.net' })
  })

  test('a sending domain that may not send', async () => {
    await suspendDomain(await operation(), { domain: 'acme.test' })
    assert.match((await problem(JANE))!, /^Mail from acme\.test is not accepted: sending was suspended/)
    await activateDomain(await operation(), { domain: 'acme.test' })
  })
})

test('relays: of the service, and of a sending domain, without their credentials', async () => {
  await setRoute(await operation(), {
    domain: 'other.acme.test',
    url: 'smtps://me:secret@127.0.0.1:465?tls=required',
  })
  const own = await explained({ address: JANE, from: 'other.acme.test' })
  assert.equal(own.route, 'smtps://127.0.0.1:465?tls=required')
  assert.deepEqual(own.hosts, [
    {
      name: '127.0.0.1',
      preference: null,
      addresses: ['127.0.0.1'],
      tls: { demand: 'required', source: 'route' },
      problem: null,
    },
  ])
  assert.doesNotMatch(JSON.stringify(own), /secret/)
  const captured = await explained(
    { address: JANE, from: 'acme.test' },
    { setup: { delivery: { kind: 'capture' } } },
  )
  assert.deepEqual([captured.route, captured.site.name, captured.hosts], ['capture', 'capture', []])
})

test('the latest results at the domain are of the same company', async () => {
  const email = await world.email(world.acme, {})
  const { address } = email.recipients[0]!
  const { last } = await explained({ address, from: 'acme.test' })
  const { state, status } = last.find(({ email_id }) => email_id === email.id)!
  assert.deepEqual([state, status], ['waiting', 'accepted'])
  const op = await operation({}, 'foreign')
  assert.deepEqual((await explain(op, { address })).last, [])
})

test('a latest result that changes while it is read has the status of its state', async (t) => {
  const email = await world.email(world.acme, {})
  const { store } = world
  const { readRecipients } = store
  t.after(() => Object.assign(store, { readRecipients }))
  store.readRecipients = async (id, range) => {
    const read = await readRecipients.call(store, id, range)
    if (id === email.id) await store.cancel(id, Date.now())
    return read
  }
  const { last } = await explained({ address: email.recipients[0]!.address, from: 'acme.test' })
  const { state, status } = last.find(({ email_id }) => email_id === email.id)!
  assert.deepEqual([state, status], ['canceled', 'canceled'])
})

describe('a try', () => {
  const tried = async (port: number, from?: string, setup: Partial<Setup> = {}) => {
    const op = await operation({ setup: { smtpPort: port, ...setup } })
    return (await rehearseDelivery(op, { address: JANE, from })).tried
  }

  beforeEach(() => {
    dns.zone = { 'example.net/MX': ['10 mx.example.net'], 'mx.example.net/A': ['127.0.0.1'] }
  })

  test('goes up to RCPT and hands over nothing', async (t) => {
    const sink = await startSink()
    t.after(() => sink.close())
    const { accepted, server, dialogue } = await tried(sink.port, 'acme.test')
    assert.deepEqual([accepted, server], [true, `mx.example.net [127.0.0.1]:${sink.port}`])
    assert.match(dialogue, /> MAIL FROM:<postmaster@acme\.test>/)
    assert.match(dialogue, /> RCPT TO:<Jane@example\.net>/)
    assert.match(dialogue, /> RSET/)
    assert.doesNotMatch(dialogue, /DATA|BDAT/)
    assert.deepEqual(sink.messages, [])
  })

  test('reports a refusal in the words of the server', async (t) => {
    const sink = await startSink({
      script: ({ step }) => (step === 'rcpt' ? { reply: '550 5.1.1 no such user' } : undefined),
    })
    t.after(() => sink.close())
    const { accepted, message, permanent } = await tried(sink.port)
    assert.deepEqual([accepted, message, permanent], [false, '550 5.1.1 no such user', true])
  })

  test('tells a refusal of the recipient from one of this service, for which the mail waits', async (t) => {
    const sink = await startSink({
      script: ({ step }) =>
        step === 'rcpt' ? { reply: '554 5.7.1 blocked using zen.spamhaus.org' } : undefined,
    })
    t.after(() => sink.close())
    const op = await operation({ setup: { smtpPort: sink.port } })
    const { explanation } = await rehearseDelivery(op, { address: JANE })
    assert.match(explanation.obstacle!.problem, /does not accept it: 554/)
    assert.match(headlineOf(explanation), / would wait\.$/)
  })

  test('asks nobody where mail ends without a server, and then says nothing against the mail', async () => {
    for (const [address, change, headline] of [
      ['delivered@resend.dev', {}, /would end in the simulator now\.$/],
      [JANE, { setup: { delivery: { kind: 'capture' } } }, /would be captured now/],
    ] as const) {
      const { explanation, tried } = await rehearseDelivery(await operation(change), { address })
      assert.match(headlineOf(explanation), headline)
      assert.equal(explanation.obstacle, null)
      const { accepted, server, permanent, dialogue } = tried
      assert.deepEqual([accepted, server, permanent, dialogue], [false, null, null, ''])
      assert.match(tried.message, /no server/)
    }
  })

  test('goes through the proxy of the source address', async () => {
    await using sink = await startSink()
    await using proxy = await startSocks({ from: '127.0.35.7' })
    const way = {
      protocol: 'socks5',
      host: '127.0.0.1',
      port: proxy.port,
      user: null,
      password: null,
    } as const
    const source = { address: '127.0.35.7', helo: 'mail2.service.test', proxy: way }
    const setup = { sourceAddresses: [source] }
    const { accepted, dialogue } = await tried(sink.port, undefined, setup)
    assert.equal(accepted, true, dialogue)
    assert.equal(proxy.requests.length, 1)
    const explanation = await explained({ address: JANE }, { setup })
    assert.deepEqual(explanation.source, {
      name: '127.0.35.7',
      address: '127.0.35.7',
      helo: 'mail2.service.test',
      proxy: `socks5://127.0.0.1:${proxy.port}`,
      missing: null,
      warm_up: null,
    })
  })

  test('reports why no server was reached', async () => {
    const sink = await startSink()
    await sink.close()
    const { accepted, server, message, permanent } = await tried(sink.port)
    assert.deepEqual([accepted, server, permanent], [false, null, false])
    assert.match(message, /mx\.example\.net \[127\.0\.0\.1\]/)
  })
})
