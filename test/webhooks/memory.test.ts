/** Waiting webhook events take a bounded part of the memory, however large the emails are, and every webhook gets a share. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NewEmail } from '../../src/store/store.ts'
import { inTime } from '../http/requests.ts'
import type { Received } from './receiver.ts'
import { receiving, Stage } from './stage.ts'

const MEBIBYTE = 1024 ** 2
/** Octets that all webhooks may hold, and that one may hold. Each may exceed its bound by one email. */
const ALL = 48 * MEBIBYTE
const ONE = 8 * MEBIBYTE
/** Octets of an event of a large email. */
const LARGE = MEBIBYTE / 2

/** Makes an email large with a thousand recipients that have long names. */
const large = ({ content }: NewEmail): Partial<NewEmail> => {
  const name = 'n'.repeat(LARGE / 1_000)
  return { content: { ...content, to: Array.from({ length: 1_000 }, (_, n) => `${name} <r${n}@x.test>`) } }
}
const idOf = ({ headers }: Received) => headers['webhook-id'] as string

test('events of large emails count by their octets, and events of other webhooks are still sent', async (t) => {
  const stage = await Stage.make(t)
  const [hanging, own, other] = [await receiving(t), await receiving(t), await receiving(t)]
  const gate = Promise.withResolvers<number>()
  hanging.answer = () => gate.promise
  const flooded: string[] = []
  for (let count = 0; count < 8; count++) flooded.push(await stage.webhook(hanging))
  await stage.deliver(20, large)
  await stage.hold()
  // The hanging webhooks fill their share.
  await hanging.until(({ length }) => length >= 8 * 2)
  await stage.webhook(own, 'json', ['sent'])
  const another = await stage.company('Other')
  await stage.webhook(other, 'json', [], another)
  await stage.hold()
  await stage.deliver(1)
  await stage.deliver(1, large, another)
  await own.until(({ length }) => length === 1)
  await other.until(({ length }) => length === 2)
  assert.ok(stage.mostOctets > 4 * LARGE, 'nothing was held')
  assert.ok(stage.mostOctets <= ALL + LARGE, `${stage.mostOctets} octets were held`)
  assert.ok(hanging.received.length <= (8 * ONE) / LARGE)
  assert.ok(stage.mostTold <= 10 * 1.1 * LARGE, `${stage.mostTold} octets were read at a time`)
  gate.resolve(200)
  const received = await hanging.until(({ length }) => length >= 8 * 42)
  assert.equal(new Set(received.map(idOf)).size, 8 * 42)
  for (const id of flooded) await stage.until(id, async ({ cursor }) => cursor >= 40)
  assert.ok(stage.mostOctets <= ALL + LARGE, `${stage.mostOctets} octets were held`)
})

test('a single webhook holds no more than its share of new and of replayed events', async (t) => {
  for (const again of [false, true]) {
    const stage = await Stage.make(t, { timeoutMs: 600_000 })
    const hanging = await receiving(t)
    const gate = Promise.withResolvers<number>()
    hanging.answer = () => gate.promise
    if (again) await stage.deliver(20, large)
    const id = await stage.webhook(hanging)
    if (!again) await stage.deliver(20, large)
    for (let number = 1; again && number <= 40; number++) {
      await stage.store.replayWebhook(id, [{ number }], Date.now())
    }
    await stage.hold()
    await hanging.until(({ length }) => length >= 14)
    let before = -1
    for (let still = 0; still < 200; await nextTurn()) {
      still = stage.octets === before ? still + 1 : 0
      before = stage.octets
    }
    assert.ok(stage.octets > ONE / 2, 'nothing is held')
    assert.ok(stage.octets <= ONE + 2 * LARGE, `${stage.octets} octets are held`)
    gate.resolve(200)
    const received = await hanging.until(({ length }) => length >= 40)
    assert.equal(new Set(received.map(idOf)).size, 40)
  }
})

test('hanging webhooks leave room for a new webhook of their company, and of another company', async (t) => {
  // The long timeout keeps the webhooks hanging until the end of the test.
  const stage = await Stage.make(t, { timeoutMs: 600_000 })
  const hanging = await receiving(t)
  hanging.answer = () => null
  for (let count = 0; count < 40; count++) await stage.webhook(hanging)
  await stage.hold()
  await stage.deliver(40)
  // Wait until the hanging webhooks have filled their company's share.
  let before = -1
  for (let still = 0; still < 50; await nextTurn()) {
    still = hanging.received.length === before && before >= 100 ? still + 1 : 0
    before = hanging.received.length
  }
  const [own, other] = [await receiving(t), await receiving(t)]
  await stage.webhook(own)
  const another = await stage.company('Other')
  await stage.webhook(other, 'json', [], another)
  await stage.hold()
  await stage.deliver(10)
  await stage.deliver(10, () => ({}), another)
  const told = [own, other].map((receiver) => receiver.until(({ length }) => length >= 20))
  await inTime(Promise.all(told), 'the new webhooks to get their events')
  assert.ok(hanging.received.length <= 180, `${hanging.received.length} requests hang`)
})

test('a webhook that is down holds no events between its attempts, and gets every event when it is up again', async (t) => {
  const stage = await Stage.make(t, { schedule: { json: Array(50).fill(1), form: [1], longestPause: 5 } })
  const receiver = await receiving(t)
  receiver.answer = () => 500
  const id = await stage.webhook(receiver, 'json', ['sent', 'delivered'])
  await stage.deliver(30, large)
  await stage.hold()
  await stage.attempts(id, 24)
  assert.ok(stage.octets <= 2 * LARGE, `${stage.octets} octets are held`)
  receiver.answer = () => 200
  const failed = receiver.received.length
  await stage.until(id, async ({ cursor }) => {
    await stage.hold()
    const waiting = await stage.store.webhookRetries(id, Number.MAX_SAFE_INTEGER, 1)
    return cursor >= 60 && waiting.length === 0
  })
  assert.ok(receiver.received.length >= failed)
  assert.equal(new Set(receiver.received.map(idOf)).size, 60)
})

test('a webhook with a hundred thousand waiting events does not delay others, of its company or of another', async (t) => {
  const stage = await Stage.make(t)
  const [flooded, own, other] = [await receiving(t), await receiving(t), await receiving(t)]
  const another = await stage.company('Other')
  await stage.flood(100_000)
  // From the beginning of the log, the whole flood is waiting.
  await stage.store.updateWebhook(await stage.webhook(flooded), { cursor: 0 })
  await stage.webhook(own, 'json', ['delivered'])
  await stage.webhook(other, 'json', ['delivered'], another)
  await stage.hold()
  await flooded.until(({ length }) => length >= 200)
  await stage.deliver(1)
  await stage.deliver(1, () => ({}), another)
  await Promise.all([own.until(({ length }) => length === 1), other.until(({ length }) => length === 1)])
  // Only a small part of the flood was sent before the other events.
  assert.ok(flooded.received.length < 20_000, `${flooded.received.length} of the flood came first`)
})
