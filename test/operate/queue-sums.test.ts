import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { pause } from '../../src/operate/pauses.ts'
import { showQueueBySite } from '../../src/operate/queue-sums.ts'
import type { Operation } from '../../src/operate/verb.ts'
import { accept, email } from '../store/samples.ts'
import { World } from './world.ts'

let world: World
let dns: FakeDns
before(async () => {
  world = await World.make()
  dns = await startDns({
    'one.test/MX': ['10 mx1.big.test'],
    'two.test/MX': ['10 mx1.big.test'],
    'gmail.com/MX': { rcode: 'SERVFAIL' },
  })
  for (const { company, domains } of [world.acme, world.beta]) {
    for (const domain of ['one.test', 'two.test', 'gmail.com']) {
      await accept(world.store, email(company, [`a@${domain}`], { domainId: domains[0].id }))
    }
  }
})
after(async () => {
  await dns.close()
  await world[Symbol.asyncDispose]()
})

async function operation(change: Partial<Operation> = {}): Promise<Operation> {
  const op = await world.operation('operator')
  const table = op.sites()
  const resolver = new Resolver({ servers: [dns.address], timeout: 300, tries: 1 })
  const setup = { ...op.setup, delivery: { kind: 'direct' } } as const
  return { ...op, hosts: () => resolver, sites: () => table, setup, ...change }
}

test('a domain with unknown servers stands for itself, not for the provider with its name', async () => {
  const op = await operation()
  const sums = async () =>
    new Map((await showQueueBySite(op, {})).map((sum) => [sum.site.name, sum] as const))
  const before = await sums()
  assert.equal(before.get('mx1.big.test')?.site.domain, null)
  assert.deepEqual(before.get('mx1.big.test')?.domains.toSorted(), ['one.test', 'two.test'])
  assert.equal(before.get('gmail.com')?.site.domain, 'gmail.com')
  assert.deepEqual([before.get('gmail.com')?.paused, before.get('gmail.com')?.pause], [false, null])

  const paused = await pause(op, { domain: before.get('gmail.com')!.site.domain! })
  assert.deepEqual([paused.domain, paused.site], ['gmail.com', undefined])
  const then = await sums()
  assert.equal(then.get('gmail.com')?.paused, true)
  assert.equal(then.get('gmail.com')?.pause?.domain, 'gmail.com')
  assert.equal(then.get('mx1.big.test')?.pause, null)
})

test('name servers are asked while no search has to wait, and an answer is used again', async () => {
  const heard: number[] = []
  const op = await operation({
    async inTurn(_company, look) {
      const before = dns.queries.length
      const found = await look()
      heard.push(dns.queries.length - before)
      return found
    },
  })
  await showQueueBySite(op, { company: 'Acme' })
  assert.deepEqual(heard, [0])
  const asked = () => dns.queries.filter((query) => query.includes('one.test')).length
  const once = asked()
  assert.ok(once > 0)
  const again = { ...op, hosts: () => new Resolver({ servers: [dns.address], timeout: 300, tries: 1 }) }
  const beta = await showQueueBySite(again, { company: 'Beta' })
  assert.ok(beta.length > 0)
  assert.equal(asked(), once)
})
