/** An event about a whole email that is sent once for each recipient: each part succeeds and fails by itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { email } from '../store/samples.ts'
import type { Received } from './receiver.ts'
import { receiving, Stage } from './stage.ts'

/** More than an endpoint holds at a time. */
const RECIPIENTS = 520
const told = ({ body }: Received) => {
  return JSON.parse(body)['event-data'] as { id: string; event: string; recipient: string }
}
const accepted = (received: Received[]) => received.map(told).filter(({ event }) => event === 'accepted')
const addresses = (received: Received[]) => new Set(accepted(received).map(({ recipient }) => recipient))

async function send(stage: Stage): Promise<void> {
  const recipients = Array.from({ length: RECIPIENTS }, (_, n) => `r${n}@x.test`)
  await stage.store.accept(email({ id: stage.companyId }, recipients), null)
}

test('each recipient is sent once, and a refused part is sent again alone', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const refused = new Set(['r7@x.test', 'r500@x.test', 'r519@x.test'])
  receiver.answer = (received) => (refused.delete(told(received).recipient) ? 500 : 200)
  const id = await stage.webhook(receiver, 'form', ['sent'])
  await stage.hold()
  await send(stage)
  await receiver.until((received) => addresses(received).size === RECIPIENTS)
  await stage.until(id, async () => {
    await stage.hold()
    return receiver.received.length === RECIPIENTS + 3
  })
  await stage.untilIdle()
  const all = accepted(receiver.received)
  assert.equal(new Set(all.map(({ id }) => id)).size, RECIPIENTS)
  const again = [...Map.groupBy(all, ({ recipient }) => recipient)].filter(([, times]) => times.length > 1)
  assert.deepEqual(again.map(([recipient]) => recipient).sort(), ['r500@x.test', 'r519@x.test', 'r7@x.test'])
  const end = await stage.store.lastEventNumber()
  await stage.until(id, ({ cursor }) => cursor === end)
  // The result of the last retry is written after the receiver has it.
  await stage.until(
    id,
    async () => (await stage.store.webhookRetries(id, Number.MAX_SAFE_INTEGER, 9)).length === 0,
  )
  const failed = await stage.store.webhookAttempts({ webhookId: id, succeeded: false, limit: 9 })
  assert.deepEqual(failed.map(({ part }) => part).sort(), [500, 519, 7])
  assert.deepEqual(
    failed.map(({ part, recipient }) => recipient === `r${part}@x.test`),
    [true, true, true],
  )
  // Of the successful attempts only the newest are kept.
  const { number } = failed[0]!
  const ofOne = await stage.store.webhookAttempts({ webhookId: id, number, part: 7, limit: 9 })
  assert.deepEqual([...new Set(ofOne.map(({ part }) => part))], [7])
  assert.ok(ofOne.some(({ succeeded }) => !succeeded))
})

test('an endpoint that is down for a while misses no recipient', async (t) => {
  const stage = await Stage.make(t, { schedule: { json: [1], form: Array(20).fill(1), longestPause: 5 } })
  const receiver = await receiving(t)
  let refusals = 60
  receiver.answer = () => (refusals-- > 0 ? 503 : 200)
  const taken = new Set<string>()
  const id = await stage.webhook(receiver, 'form', ['sent'])
  const answer = receiver.answer
  receiver.answer = (received) => {
    const status = answer(received)
    if (status === 200) taken.add(told(received).recipient)
    return status
  }
  await send(stage)
  await stage.until(id, async () => {
    await stage.hold()
    return taken.size === RECIPIENTS
  })
  const end = await stage.store.lastEventNumber()
  await stage.until(id, async ({ cursor }) => {
    await stage.hold()
    return cursor === end
  })
})

test('after a restart in the midst of the parts the rest is sent', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const gate = Promise.withResolvers<number>()
  let answers = 0
  receiver.answer = () => (++answers > 100 ? gate.promise : 200)
  const id = await stage.webhook(receiver, 'form', ['sent'])
  await stage.hold()
  await send(stage)
  await receiver.until(({ length }) => length > 100)
  await stage.restart()
  gate.resolve(200)
  const received = await receiver.until((all) => addresses(all).size === RECIPIENTS)
  const all = accepted(received)
  const ids = new Map(all.map(({ recipient, id }) => [recipient, id]))
  assert.ok(
    all.every(({ recipient, id }) => ids.get(recipient) === id),
    'what is told twice has the same id',
  )
  const end = await stage.store.lastEventNumber()
  await stage.until(id, async ({ cursor }) => {
    await stage.hold()
    return cursor === end
  })
})
