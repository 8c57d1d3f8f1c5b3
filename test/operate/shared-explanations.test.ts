/** The parts that the explanations of a service share: their turns, the answers of DNS, and policies that are not kept. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { selfSigned } from '../../harness/certificate.ts'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { hostLookup } from '../../src/dns/host-lookup.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { Outgoing } from '../../src/network/outgoing.ts'
import { explain } from '../../src/operate/explain.ts'
import { SharedExplanations } from '../../src/operate/shared-explanations.ts'
import { PolicyHost, policyFor } from '../support/policy-host.ts'
import { World } from './world.ts'

const HOST = '127.0.77.1'
const certificate = selfSigned(['mta-sts.x.test'])
const trusted = getCACertificates()

let world: World
let dns: FakeDns
let outgoing: Outgoing
let shared: SharedExplanations
before(async () => {
  setDefaultCACertificates([...trusted, certificate.cert])
  world = await World.make()
  dns = await startDns({
    'x.test/MX': ['10 mx.x.test'],
    'mx.x.test/A': ['192.0.2.1'],
    '_mta-sts.x.test/TXT': ['v=STSv1; id=one'],
    'mta-sts.x.test/A': [HOST],
  })
  const resolver = new Resolver({ servers: [dns.address], timeout: 2_000, tries: 1 })
  outgoing = new Outgoing({
    guard: () => null,
    resolve: hostLookup(resolver, { hostsFile: false }),
    connections: 4,
  })
  shared = new SharedExplanations({ resolver, ask: outgoing.ask, store: world.store })
})
after(async () => {
  setDefaultCACertificates(trusted)
  await outgoing.close()
  await dns.close()
  await world[Symbol.asyncDispose]()
})

/** A reader of the company asks about a domain. */
async function explained(domain: string) {
  const op = await world.operation('reader')
  const direct = { ...op.setup, delivery: { kind: 'direct' as const } }
  return await explain({ ...op, explanations: shared, setup: direct }, { address: `jane@${domain}` })
}

test('a policy is shown, and not kept', async () => {
  await using _host = await PolicyHost.start(HOST, certificate, { 'x.test': policyFor('mx.x.test') })
  const { path, hosts } = await explained('x.test')
  assert.equal(path.site.mtaSts?.mode, 'enforce')
  assert.deepEqual(
    hosts.map(({ name, tls }) => [name, tls.tls]),
    [['mx.x.test', 'verified']],
  )
  assert.equal(await world.store.mtaStsPolicy('x.test', Date.now()), null)
})

test('an answer of DNS, and a policy, serve the next explanation', async () => {
  const asked = dns.queries.length
  // The host of the policy has gone.
  const { path } = await explained('x.test')
  assert.equal(path.site.mtaSts?.mode, 'enforce')
  assert.deepEqual(dns.queries.slice(asked), [])
})

test('a company has two explanations at a time, and those of another one wait for none of them', async () => {
  const ends: (() => void)[] = []
  const busy = Array.from({ length: 10 }, () =>
    shared.inTurn('another company', () => new Promise<void>((resolve) => ends.push(resolve))),
  )
  const { hosts } = await explained('x.test')
  assert.equal(hosts.length, 1)
  assert.equal(ends.length, 2)
  for (const [n, each] of busy.entries()) {
    ends[n]!()
    await each
  }
})
