/** When events are sent again and when they are given up: by a clock that the test sets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WEBHOOK_SCHEDULE } from '../../src/events/webhooks/schedule.ts'
import { signingSecrets } from '../../src/events/webhooks/secrets.ts'
import { receiving, Stage } from './stage.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOON = Date.parse('2026-03-01T12:00:00Z')

/** As the documents of both services have it. */
const DOCUMENTED = {
  json: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
  form: [10 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR],
}

for (const dialect of ['json', 'form'] as const) {
  test(`a refused event is sent again at the times of the ${dialect} dialect, and not after the last`, async (t) => {
    const stage = await Stage.make(t, { schedule: WEBHOOK_SCHEDULE })
    const receiver = await receiving(t)
    receiver.answer = () => 503
    stage.now = NOON
    const id = await stage.webhook(receiver, dialect, ['delivered'])
    await stage.hold()
    await stage.deliver()
    const waits: number[] = []
    for (let tries = 1; ; tries++) {
      const last = (await stage.attempts(id, tries)).at(-1)!
      assert.equal(last.attempt, tries)
      assert.equal(last.at, stage.now)
      if (last.nextAt === null) break
      waits.push(last.nextAt - stage.now)
      stage.now = last.nextAt
    }
    assert.deepEqual(waits, DOCUMENTED[dialect])
    assert.deepEqual(await stage.store.webhookRetries(id, Number.MAX_SAFE_INTEGER, 9), [])
    assert.equal(receiver.received.length, 8)
  })
}

test('a receiver has 15 seconds, and 1 KB of its answer is read', async (t) => {
  const stage = await Stage.make(t, { timeoutMs: 100 })
  const receiver = await receiving(t)
  receiver.answer = () => null
  const id = await stage.webhook(receiver, 'json', ['delivered'])
  await stage.hold()
  await stage.deliver()
  const [first] = await stage.attempts(id, 1)
  assert.deepEqual([first!.status, first!.succeeded, first!.attempt], [null, false, 1])
  assert.match(first!.error!, /^127\.0\.0\.1:\d+ did not answer within 0\.1 seconds$/)
  assert.notEqual(first!.nextAt, null)
  assert.deepEqual([stage.asked[0]!.timeoutMs, stage.asked[0]!.maxOctets], [15_000, 1_024])
})

test('after five days of nothing but failures it is disabled, and once enabled by hand it gets new events', async (t) => {
  const stage = await Stage.make(t, { schedule: WEBHOOK_SCHEDULE })
  const receiver = await receiving(t)
  receiver.answer = () => 500
  stage.now = NOON
  const id = await stage.webhook(receiver, 'json', ['delivered'])
  await stage.hold()
  await stage.deliver()
  await stage.attempts(id, 1)
  const failing = await stage.until(id, ({ failingSince }) => failingSince !== null)
  assert.equal(failing.failingSince, NOON)
  assert.equal(failing.status, 'enabled')

  stage.now = NOON + 5 * DAY - 1
  await stage.attempts(id, 2)
  assert.equal((await stage.store.webhooks({ id }))[0]!.status, 'enabled')
  stage.now = NOON + 5 * DAY + 10 * MINUTE
  await stage.attempts(id, 3)
  const disabled = await stage.until(id, ({ status }) => status === 'disabled')
  assert.equal(disabled.disabledAt, stage.now)
  assert.match(disabled.disabledReason!, /five days/)
  assert.deepEqual(await stage.store.takeWebhooks(stage.token), [])
  const { events } = await stage.store.entriesAfter(0, { types: ['webhook.disabled'] }, 10)
  const [event] = events
  assert.deepEqual([events.length, event!.companyId, event!.at], [1, stage.companyId, stage.now])
  const { host } = new URL(receiver.url)
  assert.deepEqual(event!.detail, { webhookId: id, host, message: disabled.disabledReason })

  const told = receiver.received.length
  await stage.deliver()
  receiver.answer = () => 200
  const cursor = await stage.store.lastEventNumber()
  await stage.store.updateWebhook(id, {
    ...{ status: 'enabled', cursor, failingSince: null, disabledAt: null, disabledReason: null },
  })
  await stage.hold()
  const [email] = await stage.deliver()
  const received = await receiver.until(({ length }) => length > told)
  assert.ok(received[told]!.body.includes(email!))
  await stage.until(id, (webhook) => webhook.failingSince === null && webhook.cursor > cursor)
})

test('one that succeeds now and then is not disabled', async (t) => {
  const stage = await Stage.make(t, { schedule: WEBHOOK_SCHEDULE })
  const receiver = await receiving(t)
  stage.now = NOON
  const id = await stage.webhook(receiver, 'json', ['delivered'])
  receiver.answer = () => 500
  await stage.hold()
  await stage.deliver()
  await stage.attempts(id, 1)
  receiver.answer = () => 200
  await stage.deliver()
  await stage.until(id, ({ failingSince }) => failingSince === null)
  stage.now = NOON + 6 * DAY
  receiver.answer = () => 500
  await stage.deliver()
  const { status, failingSince } = await stage.until(id, (webhook) => webhook.failingSince !== null)
  assert.deepEqual([status, failingSince], ['enabled', stage.now])
})

test('the secret before the newest signs too for a day', () => {
  assert.deepEqual(signingSecrets('new', 'old', NOON, NOON + DAY - 1), ['new', 'old'])
  assert.deepEqual(signingSecrets('new', 'old', NOON, NOON + DAY), ['new'])
  assert.deepEqual(signingSecrets('new', null, null, NOON), ['new'])
})
