/** Policies from a real DNS server and a real HTTPS server, kept in a real store. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { selfSigned } from '../../../harness/certificate.ts'
import { startDns, type Zone } from '../../../harness/dns.ts'
import { PolicyDirectory } from '../../../src/delivery/mta-sts/policy-directory.ts'
import { policyFailure } from '../../../src/delivery/route/tls-sessions.ts'
import { hostLookup } from '../../../src/dns/host-lookup.ts'
import { Resolver } from '../../../src/dns/resolver.ts'
import { Outgoing } from '../../../src/network/outgoing.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'

const right = selfSigned(['mta-sts.x.test'])
const before = getCACertificates()
setDefaultCACertificates([...before, right.cert])
after(() => setDefaultCACertificates(before))

const DAY = 86_400_000

interface Answer {
  status?: number
  type?: string
  location?: string
  body?: string
}

const ENFORCE = 'version: STSv1\nmode: enforce\nmx: mx.x.test\nmax_age: 604800\n'

async function newStore(t: TestContext): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), 'policies-'))
  const store = await openStore({ engine: 'sqlite', path: join(directory, 'x.db') }, { exclusive: true })
  t.after(async () => {
    await store.close()
    rmSync(directory, { recursive: true })
  })
  return store
}

async function startPolicies(
  t: TestContext,
  {
    certificate = right as ServerOptions,
    store = null as Store | null,
    patience = 10_000,
    announced = true,
  } = {},
) {
  const zone: Zone = { 'mta-sts.x.test/A': ['127.0.0.1'] }
  if (announced) zone['_mta-sts.x.test/TXT'] = { values: ['v=STSv1; id=one'], ttl: 0 }
  const kept = store ?? (await newStore(t))
  const dns = await startDns(zone)
  const requests: string[] = []
  const answer: Answer = { body: ENFORCE }
  const held: (() => void)[] = []
  const server = createServer(certificate, (request, response) => {
    requests.push(`${request.headers.host?.replace(/:\d+$/, '')}${request.url}`)
    const { status = 200, type = 'text/plain', location, body } = answer
    const headers = { 'content-type': type, ...(location && { location }) }
    if (body === undefined) held.push(() => response.writeHead(200, headers).end(ENFORCE))
    else response.writeHead(status, headers).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clock = { now: 1_000 * DAY }
  const failures: Error[] = []
  const resolver = new Resolver({ servers: [dns.address], timeout: 300, tries: 1, now: () => clock.now })
  const outgoing = new Outgoing({
    guard: () => null,
    resolve: hostLookup(resolver, { hostsFile: false }),
    connections: 4,
  })
  const policies = new PolicyDirectory({
    resolver,
    ask: outgoing.ask,
    store: kept,
    now: () => clock.now,
    patience,
    port: (server.address() as AddressInfo).port,
    onFailure: (_, error) => failures.push(error),
  })
  t.after(async () => {
    await outgoing.close()
    server.closeAllConnections()
    server.close()
    await dns.close()
  })
  return { policies, zone: dns.zone, store: kept, requests, answer, clock, failures, held }
}

test('a policy is fetched once, kept in the store, and found there by another node', async (t) => {
  const { policies, store, requests, clock } = await startPolicies(t)
  const [one, two] = await Promise.all([policies.find('x.test'), policies.find('x.test')])
  assert.equal(one?.mode, 'enforce')
  assert.deepEqual(two, one)
  assert.deepEqual(requests, ['mta-sts.x.test/.well-known/mta-sts.txt'])
  assert.deepEqual(await store.mtaStsPolicy('x.test', clock.now), {
    domain: 'x.test',
    id: 'one',
    mode: 'enforce',
    mx: ['mx.x.test'],
    fetchedAt: clock.now,
    expiresAt: clock.now + 7 * DAY,
  })
  const other = await startPolicies(t, { store })
  assert.deepEqual(await other.policies.find('x.test'), one)
  assert.deepEqual(other.requests, [])
})

test('a policy that the store refused to keep counts, and is kept once the store takes it', async (t) => {
  const store = await newStore(t)
  let refusals = 2
  const refusing = Object.assign(Object.create(store), {
    keepMtaStsPolicy: async (...kept: Parameters<Store['keepMtaStsPolicy']>) => {
      if (refusals-- > 0) throw new Error('disk full')
      await store.keepMtaStsPolicy(...kept)
    },
  }) as Store
  const { policies, requests, clock, failures } = await startPolicies(t, { store: refusing })
  for (let times = 0; times < 2; times++) {
    assert.equal((await policies.find('x.test'))?.mode, 'enforce')
    assert.equal(await store.mtaStsPolicy('x.test', clock.now), null)
  }
  assert.equal((await policies.find('x.test'))?.mode, 'enforce')
  assert.equal((await store.mtaStsPolicy('x.test', clock.now))?.mode, 'enforce')
  assert.equal(refusals, -1)
  await policies.find('x.test')
  assert.equal(refusals, -1, 'it is kept once')
  assert.equal(requests.length, 1)
  assert.deepEqual(failures, [], 'the domain has done nothing wrong')
})

test('a domain that announces no policy has none, and its policy host is not contacted', async (t) => {
  const { policies, requests } = await startPolicies(t, { announced: false })
  assert.equal(await policies.find('x.test'), null)
  assert.deepEqual(requests, [])
})

test('a stored policy survives a blocked look-up, a removed record and a failing policy host', async (t) => {
  const { policies, zone, answer, clock, failures } = await startPolicies(t)
  const kept = await policies.find('x.test')
  for (const blocked of [{ rcode: 'SERVFAIL' }, { silent: true }, { absentFor: 1 }] as const) {
    clock.now += 10_000
    zone['_mta-sts.x.test/TXT'] = blocked
    assert.deepEqual(await policies.find('x.test'), kept)
  }
  clock.now += 10_000
  zone['_mta-sts.x.test/TXT'] = { values: ['v=STSv1; id=two'], ttl: 0 }
  answer.status = 500
  assert.deepEqual(await policies.find('x.test'), kept)
  assert.equal(failures.length, 1)
  clock.now = kept!.expiresAt
  assert.equal(await policies.find('x.test'), null)
})

test('an unknown policy has its reason: no answer of DNS, or none of the policy host', async (t) => {
  const { policies, zone, answer, clock } = await startPolicies(t)
  const none = { policy: null, fault: null }
  zone['_mta-sts.x.test/TXT'] = { rcode: 'SERVFAIL' }
  const message = 'DNS: the TXT lookup of _mta-sts.x.test failed (SERVFAIL)'
  assert.deepEqual(await policies.ask('x.test'), { policy: null, fault: { at: 'lookup', message } })
  clock.now += 60_000
  zone['_mta-sts.x.test/TXT'] = { absentFor: 1 }
  assert.deepEqual(await policies.ask('x.test'), none)
  clock.now += 60_000
  zone['_mta-sts.x.test/TXT'] = { values: ['v=STSv1; id=one'], ttl: 0 }
  answer.status = 500
  for (let times = 0; times < 2; times++) {
    const { policy, fault } = await policies.ask('x.test')
    assert.deepEqual([policy, fault?.at], [null, 'fetch'])
    assert.match(fault!.message, /^mta-sts\.x\.test:\d+ answered with status 500$/)
  }
  clock.now += 300_000
  answer.status = 200
  const { policy, fault } = await policies.ask('x.test')
  assert.deepEqual([policy?.mode, fault], ['enforce', null])
  clock.now += 2 * DAY
  answer.status = 500
  assert.deepEqual(await policies.ask('x.test'), { policy, fault: null }, 'it is still the present one')
})

test('a new ID brings the new policy, and a failed fetch is not repeated for five minutes', async (t) => {
  const { policies, zone, answer, clock, requests } = await startPolicies(t)
  await policies.find('x.test')
  clock.now += 10_000
  zone['_mta-sts.x.test/TXT'] = { values: ['v=STSv1; id=two'], ttl: 0 }
  answer.status = 404
  for (let times = 0; times < 3; times++) assert.equal((await policies.find('x.test'))?.mode, 'enforce')
  assert.equal(requests.length, 2)
  clock.now += 300_000
  Object.assign(answer, { status: 200, body: 'version: STSv1\nmode: none\nmax_age: 86400\n' })
  assert.equal((await policies.find('x.test'))?.mode, 'none')
})

test('a policy is fetched again after a day, while mail uses the stored one', async (t) => {
  const { policies, answer, clock, held } = await startPolicies(t)
  const kept = await policies.find('x.test')
  clock.now += DAY
  delete answer.body
  assert.deepEqual(await policies.find('x.test'), kept)
  await waitFor(() => held.length === 1)
  held[0]!()
  await waitFor(async () => (await policies.find('x.test'))?.expiresAt === clock.now + 7 * DAY)
})

test('mail does not wait for a policy host that does not answer; the policy counts once it has arrived', async (t) => {
  const { policies, answer, held } = await startPolicies(t, { patience: 20 })
  delete answer.body
  assert.equal(await policies.find('x.test'), null)
  await waitFor(() => held.length === 1)
  held[0]!()
  await waitFor(async () => (await policies.find('x.test'))?.mode === 'enforce')
})

const REFUSED: Record<
  string,
  { answer?: Answer; certificate?: ServerOptions; reason: RegExp; result: string }
> = {
  'a redirect': {
    answer: { status: 302, location: 'https://mta-sts.x.test/', body: '' },
    reason: /status 302/,
    result: 'sts-policy-fetch-error',
  },
  'a page of HTML': {
    answer: { type: 'text/html', body: ENFORCE },
    reason: /plain text/,
    result: 'sts-policy-invalid',
  },
  'a file that is too long': {
    answer: { body: `${ENFORCE}${'x: y\n'.repeat(14_000)}` },
    reason: /longer than 64 KiB/,
    result: 'sts-policy-invalid',
  },
  'a file that is no policy': {
    answer: { body: 'mode: enforce' },
    reason: /not valid/,
    result: 'sts-policy-invalid',
  },
  'a certificate of nobody we trust': {
    certificate: selfSigned(['mta-sts.x.test']),
    reason: /self-signed/,
    result: 'sts-webpki-invalid',
  },
}

test('the name of a domain is no reason for a failure', () => {
  const domain = 'giftcertificates.test'
  const { failure } = policyFailure(domain, new Error(`mta-sts.${domain} answered with status 404`))
  assert.equal(failure?.result, 'sts-policy-fetch-error')
})

for (const [what, { answer: changes, certificate, reason, result }] of Object.entries(REFUSED)) {
  test(`${what} is not a policy`, async (t) => {
    const { policies, answer, failures } = await startPolicies(t, certificate && { certificate })
    Object.assign(answer, changes)
    assert.equal(await policies.find('x.test'), null)
    assert.match(failures.map(({ message }) => message).join(), reason)
    assert.deepEqual(
      failures.map((error) => policyFailure('x.test', error).failure?.result),
      [result],
    )
  })
}

async function waitFor(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}
