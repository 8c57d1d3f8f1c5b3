/** What receivers look up about the sender of a domain's mail: with a DNS server that the test writes. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { bimiFault } from '../../src/accounts/bimi.ts'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { checkSender, type SenderCheck } from '../../src/operate/sender-checks.ts'
import type { Operation, Setup } from '../../src/operate/verb.ts'
import { node } from '../store/samples.ts'
import { freshDatabase, withoutPostgres } from '../support/postgres.ts'
import { CheckedDomains } from './checked-domains.ts'

const HELO = 'mail.service.test'
const PTR = '1.2.0.192.in-addr.arpa/PTR'

let rig: CheckedDomains
let serial = 0
before(async () => {
  rig = await CheckedDomains.start({ hostname: HELO })
})
after(() => rig[Symbol.asyncDispose]())
beforeEach(() => rig.clear())

/** `setup`: of the service, which sends directly. */
async function checks(setup: Partial<Setup> = {}, name = `s${serial++}.example`): Promise<SenderCheck[]> {
  const domain = await rig.service.domain(rig.company, name)
  const op = await rig.operation()
  return await checkSender(
    { ...op, setup: { ...op.setup, delivery: { kind: 'direct' }, ...setup } },
    { domain: domain.id },
  )
}

const seen = (all: readonly SenderCheck[]) =>
  all.map(({ type, name, value, found, state }) => `${type} ${name}: ${value}, ${found.join(' ')}, ${state}`)

test('the name in EHLO and its address lead to each other', async () => {
  rig.dns.zone[`${HELO}/A`] = ['192.0.2.1']
  rig.dns.zone[PTR] = [HELO]
  const all = await checks()
  assert.deepEqual(seen(all), [
    `A ${HELO}: 192.0.2.1, 192.0.2.1, right`,
    `PTR 192.0.2.1: ${HELO}, ${HELO}, right`,
  ])
  assert.ok(all.every(({ advice }) => advice === null))
})

test('a missing, different or unknown value stands beside the expected one', async () => {
  const [missing, ...others] = await checks()
  assert.deepEqual(others, [])
  assert.equal(seen([missing!])[0], `A ${HELO}: the public address of this service, , missing`)
  assert.match(missing!.advice!, /^Add an address record for mail\.service\.test/)

  rig.dns.zone[`${HELO}/A`] = ['192.0.2.1']
  rig.dns.zone[PTR] = ['host-1.provider.test']
  const [, other] = await checks()
  assert.equal(seen([other!])[0], `PTR 192.0.2.1: ${HELO}, host-1.provider.test, different`)
  assert.match(other!.advice!, /^Ask the provider of the address to set its reverse DNS \(PTR\) to mail\./)

  delete rig.dns.zone[PTR]
  assert.equal((await checks())[1]!.state, 'missing')
  rig.dns.zone[PTR] = { rcode: 'SERVFAIL' }
  assert.equal((await checks())[1]!.state, 'unknown')
})

test('where several nodes send, their addresses are asked for, not those of this machine', {
  skip: withoutPostgres(),
}, async (t) => {
  const database = parseDatabase(await freshDatabase(t))
  await using nodes = await CheckedDomains.start({ hostname: HELO, database, secretKey: randomBytes(32) })
  const { store } = nodes.service
  const [here] = await store.nodes()
  const domain = await nodes.service.domain(nodes.company, 'nodes.example')
  const op = await nodes.operation()
  const asked = async (change: Partial<Operation> = {}) => {
    const setup: Setup = { ...op.setup, delivery: { kind: 'direct' } }
    const [check, ...others] = await checkSender({ ...op, setup, ...change }, { domain: domain.id })
    assert.deepEqual(others, [])
    return check!
  }
  const deliveries = { token: here!.token, owed: async () => [] }
  assert.equal((await asked({ deliveries })).value, 'the public address of this service')
  await store.join({ ...node('api-1'), roles: ['api'] })
  assert.equal((await asked({ deliveries })).value, 'the public address of this service')
  await store.join(node('zz-mail-2'))
  const wanted = `the public address of each node that sends (${here!.name} and zz-mail-2)`
  const { value, advice } = await asked({ deliveries })
  assert.equal(value, wanted)
  assert.equal(advice, `Add ${wanted} to the address records of ${HELO}, the name of this service in EHLO.`)
  assert.equal((await asked()).value, wanted, 'the command line sends nothing')
})

test('every configured address of the pool of the domain is looked up with its own name', async () => {
  const sourceAddresses = [
    { address: '192.0.2.1', helo: 'a.service.test' },
    { address: '192.0.2.2', helo: 'b.service.test' },
  ]
  rig.dns.zone['a.service.test/A'] = ['192.0.2.9']
  rig.dns.zone['b.service.test/A'] = ['192.0.2.2']
  rig.dns.zone['2.2.0.192.in-addr.arpa/PTR'] = ['b.service.test']
  assert.deepEqual(seen(await checks({ sourceAddresses })).toSorted(), [
    'A a.service.test: 192.0.2.1, 192.0.2.9, different',
    'A b.service.test: 192.0.2.2, 192.0.2.2, right',
    'PTR 192.0.2.1: a.service.test, , missing',
    'PTR 192.0.2.2: b.service.test, b.service.test, right',
  ])
})

test('mail that a relay sends, or that is only captured, has no source here', async () => {
  rig.dns.zone[`${HELO}/A`] = ['192.0.2.1']
  assert.deepEqual(await checks({ delivery: { kind: 'capture' } }), [])
})

test('a BIMI record is judged where there is one', async () => {
  const capture = { delivery: { kind: 'capture' } } as const
  const name = `s${serial++}.example`
  rig.dns.zone[`default._bimi.${name}/TXT`] = ['v=BIMI1; l=https://logo.test/l.svg']
  const [without] = await checks(capture, name)
  assert.deepEqual([without!.kind, without!.state], ['bimi', 'different'])
  assert.match(without!.advice!, /p=quarantine or p=reject/)
  assert.match(without!.value, /^v=BIMI1; l=https:/)

  rig.dns.zone['_dmarc.above.example/TXT'] = ['v=DMARC1; p=reject']
  rig.dns.zone['default._bimi.news.above.example/TXT'] = ['v=BIMI1; l=https://logo.test/l.svg']
  const [right] = await checks(capture, 'news.above.example')
  assert.deepEqual([right!.state, right!.advice], ['right', null])
  assert.deepEqual(right!.found, ['v=BIMI1; l=https://logo.test/l.svg'])
})

test('the faults of a BIMI record', () => {
  const fault = (...records: string[]) => bimiFault(records, 'reject')
  assert.match(fault('v=BIMI1; l=http://x.test/l.svg')!, /must be an https/)
  assert.match(fault('v=BIMI1; a=https://x.test/c.pem')!, /no logo/)
  assert.match(fault('v=BIMI1; l=https://x.test/l.svg; a=c.pem')!, /certificate/)
  assert.match(fault('v=BIMI1; l=', 'v=BIMI1; l=')!, /2 BIMI records/)
  assert.equal(fault('v=BIMI1; l=;'), null, 'the domain takes no part')
  assert.equal(fault('v=BIMI1; l=https://x.test/l.svg; a=https://x.test/c.pem'), null)
})
