/** A webhook is changed, taken by another node or sent all over again while its events are sent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Received, Receiver } from './receiver.ts'
import { receiving, Stage } from './stage.ts'

const idOf = ({ headers }: Received) => headers['webhook-id'] as string

/** It answers no request until the gate is opened with a status. */
function gated(receiver: Receiver): PromiseWithResolvers<number> {
  const gate = Promise.withResolvers<number>()
  receiver.answer = () => gate.promise
  return gate
}

test('one that is removed while events are sent leaves nothing behind, and takes nothing from the others', async (t) => {
  const stage = await Stage.make(t)
  const [removed, kept] = [await receiving(t), await receiving(t)]
  const gate = gated(removed)
  const id = await stage.webhook(removed)
  await stage.webhook(kept)
  await stage.hold()
  await stage.deliver(40)
  await removed.until(({ length }) => length === 16)
  await stage.store.removeWebhook(id)
  await stage.hold()
  gate.resolve(500)
  await stage.deliver(40)
  await kept.until(({ length }) => length >= 160)
  assert.equal(removed.received.length, 16)
  assert.deepEqual(await stage.store.webhookAttempts({ webhookId: id, limit: 9 }), [])
  await stage.untilIdle()
})

test('one that is disabled while events are sent gets no more, and after it is enabled gets new events', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const gate = gated(receiver)
  const id = await stage.webhook(receiver)
  await stage.hold()
  await stage.deliver(40)
  await receiver.until(({ length }) => length === 16)
  await stage.store.updateWebhook(id, { status: 'disabled', disabledAt: 5, disabledReason: 'why' })
  await stage.hold()
  gate.resolve(200)
  await stage.untilIdle()
  assert.deepEqual(await stage.store.webhookAttempts({ webhookId: id, limit: 9 }), [])
  const cursor = await stage.store.lastEventNumber()
  await stage.store.updateWebhook(id, { status: 'enabled', cursor, disabledAt: null, disabledReason: null })
  await stage.hold()
  const [email] = await stage.deliver()
  const received = await receiver.until(({ length }) => length === 18)
  assert.ok(received.slice(16).every(({ body }) => body.includes(email!)))
})

test('two nodes that both hold it send the same events under the same ids, and one of them writes', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const gate = gated(receiver)
  const id = await stage.webhook(receiver)
  await stage.hold()
  await stage.deliver(40)
  await receiver.until(({ length }) => length === 16)
  // The first does not know that it is out of service: its requests go on.
  const other = await stage.beside(t)
  await stage.store.leave(stage.token)
  receiver.answer = () => 200
  await other.hold()
  await receiver.until(({ length }) => length === 16 + 80)
  const end = await stage.store.lastEventNumber()
  await stage.until(id, ({ cursor }) => cursor === end)
  // The first now learns that its requests failed: that must have no effect.
  gate.resolve(500)
  await stage.untilIdle()
  const attempts = await stage.store.webhookAttempts({ webhookId: id, limit: 1_000 })
  assert.ok(attempts.every(({ succeeded }) => succeeded))
  assert.deepEqual(await stage.store.webhookRetries(id, Number.MAX_SAFE_INTEGER, 9), [])
  assert.equal((await stage.store.webhooks({ id }))[0]!.cursor, end)
  const ids = receiver.received.map(idOf)
  assert.equal(new Set(ids.slice(16)).size, 80)
  assert.equal(new Set(ids).size, 80)
})

for (const [what, together] of [
  ['the events of many emails come before the next of each', 80],
  ['those of each email come together', 1],
] as const) {
  test(`one that fails while more events are read for it misses none once it works again: ${what}`, async (t) => {
    const schedule = { json: Array(50).fill(1), form: [1], longestPause: 5 }
    const stage = await Stage.make(t, { schedule })
    const receiver = await receiving(t)
    receiver.answer = () => 500
    const id = await stage.webhook(receiver)
    // More than is read at a time, and more at a time than is begun.
    for (let count = 0; count < 80; count += together) {
      await stage.deliver(together, ({ content }) => ({
        content: { ...content, to: [`${'n'.repeat(20_000)} <a@x.test>`] },
      }))
    }
    const gate = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    let reads = 0
    stage.beforeTelling = async () => {
      reads += 1
      if (reads !== 2) return
      second.resolve()
      await gate.promise
    }
    await stage.hold()
    await second.promise
    // The events read first are sent meanwhile, and fail.
    await stage.attempts(id, 5)
    await stage.untilIdle()
    receiver.answer = () => 200
    gate.resolve()
    await stage.until(id, async ({ cursor }) => {
      await stage.hold()
      const waiting = await stage.store.webhookRetries(id, Number.MAX_SAFE_INTEGER, 1)
      return cursor >= 160 && waiting.length === 0
    })
    assert.equal(new Set(receiver.received.map(idOf)).size, 160)
  })
}

test('a long past is sent again within the limit of one webhook, and continues from where it was', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const id = await stage.webhook(receiver)
  await stage.flood(5_000)
  await stage.store.updateWebhook(id, { cursor: 0 })
  const end = await stage.store.lastEventNumber()
  await stage.hold()
  await receiver.until(({ length }) => length >= 2_000)
  await stage.restart()
  const { cursor } = (await stage.store.webhooks({ id }))[0]!
  assert.ok(cursor >= 1_500, `it would begin again at ${cursor}`)
  const received = await receiver.until((all) => new Set(all.map(idOf)).size === end)
  await stage.until(id, async (webhook) => webhook.cursor === end)
  assert.ok(received.length <= end + 500, `${received.length - end} were told twice`)
  assert.ok(stage.mostOctets <= 9 * 1024 ** 2, `${stage.mostOctets} octets were held`)
  assert.deepEqual(await stage.store.webhookRetries(id, Number.MAX_SAFE_INTEGER, 9), [])
})
