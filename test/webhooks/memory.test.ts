/** What waits for webhooks takes a bounded part of the memory, however large the emails are, and everybody has a share. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewEmail } from '../../src/store/store.ts'
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
