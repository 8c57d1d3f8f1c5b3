/**
 * 38: two nodes that deliver directly (PostgreSQL).
 *
 * A provider tells one node that it sends too many messages, so that node sends more slowly. The other node, which starts later, keeps to
 * that rate from its first message on, and its mail to others does not wait. Another provider blocks the service’s address. One node meets
 * that, and the other one does not ask. When the operator asks for a try, the nodes together make one, and all mail leaves, once each.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { parseDatabase } from '../../../src/config/parse/database.ts'
import { openStore } from '../../../src/store/open.ts'
import { Fleet, Gate } from '../../nodes/fleet.ts'
import { withoutPostgres } from '../../support/postgres.ts'
import type { ShownEmail } from '../../support/relayed-service.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'

const [SLOW, BLOCKING, SOURCE] = ['127.0.38.1', '127.0.38.2', '127.0.38.3']
const CLOSED = 'postroad_paths_closed{kind="path"}'

test('a lowered rate and a closed path hold for all nodes', { skip: withoutPostgres() }, async (t) => {
  const zone: Record<string, string[]> = {}
  for (const [domain, address] of [
    ['slow.test', SLOW],
    ['other.test', '127.0.0.1'],
    ['blocking.test', BLOCKING],
  ] as const) {
    zone[`${domain}/MX`] = [`10 mx.${domain}`]
    zone[`mx.${domain}/A`] = [address]
  }
  const dns = await startDns(zone)
  t.after(() => dns.close())
  await using fleet = await Fleet.start({
    settings: ({ port }) => ({
      POSTROAD_DELIVERY: 'direct',
      POSTROAD_DNS_SERVERS: dns.address,
      POSTROAD_SMTP_PORT: String(port),
      POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
      // No try comes by itself while the test runs.
      POSTROAD_RETRY_SCHEDULE: '10h,10h',
    }),
  })
  const { installation } = fleet
  const { port } = fleet.sink
  // One message is taken, and the next one is too many.
  let asking = 0
  await using slow = await startSink({
    host: SLOW,
    port,
    script: ({ step }) =>
      step === 'mail' && ++asking === 2 ? { reply: '450 4.7.1 Too many messages, slow down' } : undefined,
  })
  let isBlocked = true
  const gate = new Gate()
  await using blocking = await startSink({
    host: BLOCKING,
    port,
    script: async ({ step }) => {
      if (step !== 'connect') return undefined
      if (isBlocked) return { reply: '554 5.7.1 Your address is blocked', close: true }
      await gate.pass()
      return undefined
    },
  })

  // Both have the address: where the system chooses one, a block of it says nothing about the other node.
  const node = (name: string) =>
    fleet.node(name, 'api,delivery', { POSTROAD_SOURCE_ADDRESSES: `${SOURCE}=${name}.test` })
  const first = await node('first')
  await fleet.send(first, 1, 'slow.test')
  await slow.until(1)
  await fleet.send(first, 1, 'slow.test')
  const store = await openStore(parseDatabase(fleet.database), { exclusive: false })
  t.after(() => store.close())
  const rate = await until(async () => {
    const rates = (await store.sharedPaths()).map(({ state }) => state.messagesPerMinute)
    return rates.find((each) => each !== null) ?? undefined
  }, 'the lowered rate')
  assert.ok(rate <= 10, `${rate} messages a minute`)
  const second = await node('second')
  const startedAt = performance.now()
  await fleet.send(second, 10, 'slow.test')
  for (let n = 0; n < 3; n++) await fleet.arrived(await fleet.send(second, 1, 'other.test'))
  const allowed = 1 + Math.ceil(((performance.now() - startedAt) * rate) / 60_000)
  const bySecond = slow.messages.filter(({ helo }) => helo === 'second.test').length
  assert.ok(bySecond <= allowed, `${bySecond} messages at ${rate} a minute`)

  const sent = await fleet.send(first, 2, 'blocking.test')
  for (const each of [first, second])
    await until(async () => (await each.metric(CLOSED)) === 1, 'the closed path')
  const asked = blocking.connections
  for (const [address, id] of await fleet.send(second, 5, 'blocking.test')) {
    sent.set(address, id)
    await second.api.lastEvent(id, 'delivery_delayed')
  }
  assert.equal(blocking.connections, asked, 'it has not asked')
  const last = await installation.command<ShownEmail>('email', 'show', [...sent.values()].at(-1)!)
  assert.equal(last.recipients[0]!.attempts, 0)
  assert.match(last.recipients[0]!.message!, /Your address is blocked/)

  isBlocked = false
  gate.close()
  await installation.command('queue', 'retry', '--site', 'mx.blocking.test')
  await until(() => gate.waiting > 0, 'a try')
  for (const each of [first, second])
    for (const [address, id] of await fleet.send(each, 2, 'blocking.test')) sent.set(address, id)
  assert.equal(blocking.connections, asked + 1, 'one try of all nodes')
  gate.open()
  await blocking.until(sent.size)
  const arrived = blocking.messages.flatMap(({ recipients }) => recipients)
  assert.deepEqual(arrived.toSorted(), [...sent.keys()].toSorted())
})
