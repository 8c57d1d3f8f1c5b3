/**
 * 10: two companies, one dead destination (direct delivery).
 *
 * A company queues hundreds of messages to a destination that accepts connections and then says nothing. Another company's message to a
 * destination that works arrives while all of those still wait, and so does the first company's own. No mail waits for that of another,
 * however many companies have nothing but such destinations.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import type { ShownLane } from '../../support/relayed-service.ts'
import { type Script, startSink } from '../../support/sink.ts'

const STUCK = 400

test('a destination that hangs delays no other mail', async (t) => {
  await using alive = await startSink()
  await using dead = await startSink({ host: '127.0.0.2', port: alive.port, script: () => ({ hang: true }) })
  const dns = await startDns({
    'alive.test/MX': ['10 mx.alive.test'],
    'mx.alive.test/A': ['127.0.0.1'],
    'dead.test/MX': ['10 mx.dead.test'],
    'mx.dead.test/A': ['127.0.0.2'],
  })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(alive.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
  })
  const busy = await installation.addTenant('busy.test')
  const calm = await installation.addTenant('calm.test')
  const service = await installation.serve()
  const busyApi = new ApiClient(service.url, busy.token)
  const calmApi = new ApiClient(service.url, calm.token)

  for (let sent = 0; sent < STUCK; sent += 50) {
    const some = Array.from({ length: 50 }, (_, n) =>
      busyApi.accepted({
        from: 'a@busy.test',
        to: `n${sent + n}@dead.test`,
        subject: 'stuck',
        text: 'stuck',
      }),
    )
    await Promise.all(some)
  }
  await dead.when(() => dead.connections > 0, 'a connection to the dead destination')

  const calmId = await calmApi.accepted({
    from: 'a@calm.test',
    to: 'you@alive.test',
    subject: 'calm',
    text: 'calm',
  })
  const arrived = await alive.next()
  assert.deepEqual(arrived.recipients, ['you@alive.test'])
  assert.equal(arrived.sender.split('@')[1], 'calm.test')
  await calmApi.lastEvent(calmId, 'delivered')

  await busyApi.accepted({ from: 'a@busy.test', to: 'me@alive.test', subject: 'mine', text: 'mine' })
  assert.deepEqual((await alive.next()).recipients, ['me@alive.test'])

  // All that while the dead destination still had every one of its messages outstanding.
  assert.equal(dead.messages.length, 0)
  const lanes = await installation.command<ShownLane[]>('queue')
  const lane = lanes.find(({ domain }) => domain === 'dead.test')!
  assert.equal(lane.waiting + lane.sending, STUCK)
})

test('companies that together could hold every session delay no other company', async (t) => {
  await using alive = await startSink()
  await using dead = await startSink({ host: '127.0.0.2', port: alive.port, script: () => ({ hang: true }) })
  const deadDomains = Array.from({ length: 12 }, (_, n) => `dead${n}.test`)
  const dns = await startDns({
    'alive.test/MX': ['10 mx.alive.test'],
    'mx.alive.test/A': ['127.0.0.1'],
    ...Object.fromEntries(
      deadDomains.flatMap((domain) => [
        [`${domain}/MX`, [`10 mx.${domain}`]],
        [`mx.${domain}/A`, ['127.0.0.2']],
      ]),
    ),
  })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(alive.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    // Few sessions, so that few messages could take them all: 3 companies x 12 domains x 4 a site.
    POSTROAD_CONCURRENCY: '20',
    POSTROAD_SITE_CONCURRENCY: '4',
  })
  const noisy = [
    await installation.addTenant('noisy1.test'),
    await installation.addTenant('noisy2.test'),
    await installation.addTenant('noisy3.test'),
  ]
  const calm = await installation.addTenant('calm.test')
  const service = await installation.serve()
  await Promise.all(
    noisy.map(async ({ token, domain }) => {
      const api = new ApiClient(service.url, token)
      for (const to of deadDomains) {
        const some = Array.from({ length: 10 }, (_, n) =>
          api.accepted({ from: `a@${domain}`, to: `n${n}@${to}`, subject: 'stuck', text: 'stuck' }),
        )
        await Promise.all(some)
      }
    }),
  )
  await dead.when(() => dead.connections >= 15, 'most sessions stuck at dead destinations')

  const calmApi = new ApiClient(service.url, calm.token)
  const id = await calmApi.accepted({
    from: 'a@calm.test',
    to: 'you@alive.test',
    subject: 'calm',
    text: 'calm',
  })
  assert.deepEqual((await alive.next()).recipients, ['you@alive.test'])
  await calmApi.lastEvent(id, 'delivered')
  assert.equal(dead.messages.length, 0)
})

for (const [what, step] of [
  ['say nothing', 'connect'],
  ['never answer a message', 'dot'],
] as const) {
  test(`more companies than sessions, all with destinations that ${what}, delay no other company`, async (t) => {
    await using alive = await startSink()
    const script: Script = (moment) => (moment.step === step ? { hang: true } : undefined)
    await using dead = await startSink({ host: '127.0.0.2', port: alive.port, script })
    const dns = await startDns({
      'alive.test/MX': ['10 mx.alive.test'],
      'mx.alive.test/A': ['127.0.0.1'],
      'dead.test/MX': ['10 mx.dead.test'],
      'mx.dead.test/A': ['127.0.0.2'],
    })
    t.after(() => dns.close())
    await using installation = new Installation({
      POSTROAD_DELIVERY: 'direct',
      POSTROAD_DNS_SERVERS: dns.address,
      POSTROAD_SMTP_PORT: String(alive.port),
      POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
      POSTROAD_CONCURRENCY: '4',
      POSTROAD_DELIVERY_THREADS: '2',
    })
    const noisy = []
    for (let n = 0; n < 6; n++) noisy.push(await installation.addTenant(`noisy${n}.test`))
    const calm = await installation.addTenant('calm.test')
    const service = await installation.serve()
    const email = (from: string, to: string) => ({ from, to, subject: 'Hello', text: 'Hello' })
    for (const { token, domain } of noisy)
      await new ApiClient(service.url, token).accepted(email(`a@${domain}`, 'n@dead.test'))
    await dead.when(() => dead.open === 4, 'every session stuck')
    const api = new ApiClient(service.url, calm.token)
    const id = await api.accepted(email('a@calm.test', 'you@alive.test'))
    assert.deepEqual((await alive.next()).recipients, ['you@alive.test'])
    assert.ok(dead.open >= 1, 'others are stuck')
    await api.lastEvent(id, 'delivered')
    const lanes = await installation.command<ShownLane[]>('queue')
    assert.equal(lanes.filter(({ domain }) => domain === 'dead.test').length, 6)
  })
}

test('domains with silent name servers delay no other mail, not even of their own company', async (t) => {
  await using alive = await startSink()
  const silent = Array.from({ length: 20 }, (_, n) => `silent${n}.test`)
  const dns = await startDns({
    'alive.test/MX': ['10 mx.alive.test'],
    'mx.alive.test/A': ['127.0.0.1'],
    ...Object.fromEntries(silent.map((domain) => [`${domain}/MX`, { silent: true }])),
  })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(alive.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    // Fewer than there are silent domains: none of them is to wait in a session.
    POSTROAD_CONCURRENCY: '4',
  })
  const busy = await installation.addTenant('busy.test')
  const calm = await installation.addTenant('calm.test')
  const service = await installation.serve()
  const busyApi = new ApiClient(service.url, busy.token)
  const calmApi = new ApiClient(service.url, calm.token)
  const email = (from: string, to: string) => ({ from, to, subject: 'Hello', text: 'Hello' })
  const stuck = await Promise.all(silent.map((to) => busyApi.accepted(email('a@busy.test', `n@${to}`))))
  await calmApi.accepted(email('a@calm.test', 'you@alive.test'))
  await busyApi.accepted(email('a@busy.test', 'me@alive.test'))
  const arrived = [await alive.next(), await alive.next()].flatMap(({ recipients }) => recipients)
  assert.deepEqual(arrived.sort(), ['me@alive.test', 'you@alive.test'])
  const silentQuestions = dns.queries.filter((query) => query.includes('silent'))
  assert.ok(silentQuestions.length >= silent.length, 'they were asked for before')
  const { body } = await busyApi.read(stuck[0]!)
  assert.notEqual(body.last_event, 'delivery_delayed', 'and there is no answer yet')
  await busyApi.lastEvent(stuck[0]!, 'delivery_delayed')
})
