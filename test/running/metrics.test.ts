/** The figures an operator watches, compared with what was done: each sample by its name and labels. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { SeverableWay } from '../../harness/severable.ts'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { parseDelivery } from '../../src/config/parse/delivery.ts'
import { Gate } from '../nodes/fleet.ts'
import { ApiClient } from '../support/api-client.ts'
import { freshDatabase, withoutPostgres } from '../support/postgres.ts'
import { type Service, startService } from '../support/service.ts'
import { startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'

const SOON = () => new Date(Date.now() + 600_000).toISOString()

/** Samples whose name begins so, by what follows it: labels, or nothing. */
async function samples({ url }: Service, name: string): Promise<Record<string, number>> {
  const page = await (await fetch(`${url}/metrics`)).text()
  const lines = page.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(name.length, end), Number(line.slice(end + 1))]
    }),
  )
}

async function clientOf(service: Service): Promise<ApiClient> {
  const { key } = await service.tenant('mail.test')
  return new ApiClient(service.url, key.token)
}

const to = (address: string) => ({ from: 'a@mail.test', to: address, subject: 's', text: 't' })

test('each accepted email is counted once, and refused emails are not counted', async () => {
  await using service = await startService({ metrics: 'same' })
  const api = await clientOf(service)
  const accepted = () => samples(service, 'postroad_emails_accepted_total')
  assert.deepEqual(await accepted(), { '': 0 })
  await api.accepted(to('one@x.test'))
  await api.accepted({ ...to('two@x.test'), scheduled_at: SOON() })
  const again = { 'Idempotency-Key': 'again' }
  for (let times = 0; times < 2; times++)
    assert.equal((await api.send(to('three@x.test'), again)).status, 200)
  assert.equal((await api.sendForm('mail.test', Object.entries(to('four@x.test')))).status, 200)
  assert.deepEqual(await accepted(), { '': 4 })

  assert.equal((await api.send({ ...to('five@x.test'), from: 'a@other.test' })).status, 403)
  assert.equal((await api.send(to('six@x.test'), { 'Idempotency-Key': 'again' })).status, 409)
  assert.deepEqual(await accepted(), { '': 4 })
  const refused = await samples(service, 'postroad_submissions_refused_total')
  assert.deepEqual(refused, { '{reason="domain_unknown"}': 1, '{reason="idempotency_conflict"}': 1 })
})

test('attempts are counted by how they ended, each recipient for itself', async () => {
  await using service = await startService({ metrics: 'same', retrySchedule: [3_600_000] })
  const api = await clientOf(service)
  const ends: [name: string, count: number, lastEvent: string][] = [
    ['delivered', 1, 'delivered'],
    ['complained', 2, 'complained'],
    ['bounced', 4, 'bounced'],
    ['delayed', 5, 'delivery_delayed'],
    ['suppressed', 6, 'suppressed'],
  ]
  for (const [name, count, lastEvent] of ends) {
    const addresses = Array.from({ length: count }, (_, number) => `${name}+${number}@simulator.test`)
    const id = await api.accepted({ ...to(''), to: addresses })
    await api.lastEvent(id, lastEvent)
  }
  assert.deepEqual(await samples(service, 'postroad_recipient_outcomes_total'), {
    '{verdict="delivered"}': 3,
    '{verdict="bounced"}': 4,
    '{verdict="deferred"}': 5,
    '{verdict="suppressed"}': 6,
  })
})

test('the gauges show waiting, ready and running deliveries', async () => {
  const gate = new Gate()
  gate.close()
  await using sink = await startSink({
    script: async ({ step }) => {
      if (step === 'mail') await gate.pass()
      return undefined
    },
  })
  await using service = await startService({
    metrics: 'same',
    delivery: parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`),
    siteConcurrency: 2,
  })
  const api = await clientOf(service)
  const gauges = async () => ({
    ready: (await samples(service, 'postroad_ready_deliveries'))[''],
    inSession: (await samples(service, 'postroad_deliveries_in_session'))[''],
    halted: (await samples(service, 'postroad_delivery_halted'))[''],
    recipients: await samples(service, 'postroad_recipients'),
  })
  const recipients = (waiting: number, leased: number, due = 0) => ({
    '{state="waiting"}': waiting,
    '{state="sending"}': leased,
    '{state="quarantined"}': 0,
    '{state="due"}': due,
  })
  assert.deepEqual(await gauges(), { ready: 0, inSession: 0, halted: 0, recipients: recipients(0, 0) })

  for (let number = 0; number < 5; number++) await api.accepted(to(`n${number}@x.test`))
  for (let number = 0; number < 4; number++) {
    await api.accepted({ ...to(`later${number}@x.test`), scheduled_at: SOON() })
  }
  await until(() => gate.waiting === 2, 'both sessions to begin')
  assert.deepEqual(await gauges(), { ready: 3, inSession: 2, halted: 0, recipients: recipients(4, 5) })

  gate.open()
  await sink.until(5)
  await until(
    async () => (await gauges()).recipients['{state="sending"}'] === 0,
    'all results to be recorded',
  )
  assert.deepEqual(await gauges(), { ready: 0, inSession: 0, halted: 0, recipients: recipients(4, 0) })
})

test('while the database is away recipients have no figure, not even zero, and delivery counts as halted', {
  skip: withoutPostgres(),
}, async (t) => {
  const database = new URL(await freshDatabase(t))
  await using way = await SeverableWay.to(database.hostname, Number(database.port))
  database.hostname = '127.0.0.1'
  database.port = String(way.port)
  await using service = await startService({
    metrics: 'same',
    database: parseDatabase(database.href),
    secretKey: randomBytes(32),
    nodeTimeout: 3_000,
  })
  const api = await clientOf(service)
  await api.accepted({ ...to('to@x.test'), scheduled_at: SOON() })
  const recipients = () => samples(service, 'postroad_recipients')
  const halted = async () => (await samples(service, 'postroad_delivery_halted'))['']
  const counted = await recipients()
  assert.equal(counted['{state="waiting"}'], 1)
  await until(async () => (await halted()) === 0, 'delivery to be possible')

  way.severByReset()
  await until(async () => (await halted()) === 1, 'delivery to halt')
  assert.deepEqual(await recipients(), {})
  // The rest of the page is all the more wanted.
  assert.deepEqual(await samples(service, 'postroad_emails_accepted_total'), { '': 1 })

  way.mend()
  await until(async () => (await halted()) === 0, 'delivery to go on')
  await until(async () => (await recipients())['{state="waiting"}'] === 1, 'the figures to come back')
  assert.deepEqual(await recipients(), counted)
})
