/** What waits for webhooks takes a bounded part of the memory, however large the emails are, and everybody has a share. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NewEmail } from '../../src/store/store.ts'
import { inTime } from '../http/requests.ts'
import type { Received } from './receiver.ts'
import { receiving, Stage } from './stage.ts'

const MEBIBYTE = 1024 ** 2
/** What all may hold, what one may, and an email more. */
const ALL = 48 * MEBIBYTE
const ONE = 8 * MEBIBYTE
/** What each event of a large email tells. */
const LARGE = MEBIBYTE / 2

/** To a thousand people with long names. */
const large = ({ content }: NewEmail): Partial<NewEmail> => {
  const name = 'n'.repeat(LARGE / 1_000)
  return { content: { ...content, to: Array.from({ length: 1_000 }, (_, n) => `${name} <r${n}@x.test>`) } }
}
const idOf = ({ headers }: Received) => headers['webhook-id'] as string

test('events of large emails are held by their octets, and those of others come through', async (t) => {
  const stage = await Stage.make(t)
  const [hanging, own, other] = [await receiving(t), await receiving(t), await receiving(t)]
  const gate = Promise.withResolvers<number>()
  hanging.answer = () => gate.promise
  const flooded: string[] = []
  for (let count = 0; count < 8; count++) flooded.push(await stage.webhook(hanging))
  await stage.deliver(20, large)
  await stage.hold()
  // As many as may be are under way: each has at most what one may hold.
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

test('one alone holds no more than its part, of what is new and of what is told again', async (t) => {
  for (const again of [false, true]) {
    const stage = await Stage.make(t, { timeoutMs: 600_000 })
    const hanging = await receiving(t)
    const gate = Promise.withResolvers<number>()
    hanging.answer = () => gate.promise
    if (again) await stage.deliver(20, large)
    const id = await stage.webhook(hanging)
    if (!again) await stage.deliver(20, large)
    for (let number = 1; again && number <= 40; number++) {
      await stage.store.retellWebhook(id, [{ number }], Date.now())
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

test('a new webhook has a place beside others of its company that hang, and one of another company too', async (t) => {
  // Those that hang do so to the end.
  const stage = await Stage.make(t, { timeoutMs: 600_000 })
  const hanging = await receiving(t)
  hanging.answer = () => null
  for (let count = 0; count < 40; count++) await stage.webhook(hanging)
  await stage.hold()
  await stage.deliver(40)
  // They have all that the others leave them: an even part of what one company may have.
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
  await inTime(Promise.all(told), 'the new webhooks to be told')
  assert.ok(hanging.received.length <= 180, `${hanging.received.length} requests hang`)
})

test('one that is down holds nothing while it rests, and is told everything when it is up', async (t) => {
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

test('who has a hundred thousand events waiting keeps none of another waiting, in his company or outside', async (t) => {
  const stage = await Stage.make(t)
  const [flooded, own, other] = [await receiving(t), await receiving(t), await receiving(t)]
  const another = await stage.company('Other')
  await stage.flood(100_000)
  // Whoever begins at the log's beginning has all of it waiting.
  await stage.store.updateWebhook(await stage.webhook(flooded), { cursor: 0 })
  await stage.webhook(own, 'json', ['delivered'])
  await stage.webhook(other, 'json', ['delivered'], another)
  await stage.hold()
  await flooded.until(({ length }) => length >= 200)
  await stage.deliver(1)
  await stage.deliver(1, () => ({}), another)
  await Promise.all([own.until(({ length }) => length === 1), other.until(({ length }) => length === 1)])
  // It is a small part of the flood that was told meanwhile: nobody waited for its end.
  assert.ok(flooded.received.length < 20_000, `${flooded.received.length} of the flood came first`)
})
