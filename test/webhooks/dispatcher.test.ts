/** What becomes of events on their way to webhooks: a real store, real HTTP, and a schedule of milliseconds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTime } from '../http/requests.ts'
import type { Received } from './receiver.ts'
import { receiving, Stage } from './stage.ts'

const idOf = ({ headers }: Received) => headers['webhook-id'] as string
const told = ({ body }: Received) => JSON.parse(body) as { type: string; data: { email_id: string } }

test('every event is sent once, events of one email in their order, and the cursor follows', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const id = await stage.webhook(receiver)
  await stage.hold()
  const emails = await stage.deliver(600)
  const received = await receiver.until(({ length }) => length >= 1_200)
  assert.equal(new Set(received.map(idOf)).size, 1_200)
  const byEmail = Map.groupBy(received.map(told), ({ data }) => data.email_id)
  assert.deepEqual([...byEmail.keys()].sort(), emails.sort())
  for (const events of byEmail.values()) {
    assert.deepEqual(
      events.map(({ type }) => type),
      ['email.sent', 'email.delivered'],
    )
  }
  const end = await stage.store.lastEventNumber()
  await stage.until(id, async ({ cursor }) => cursor === end)
  assert.equal(received.length, 1_200)
})

test('events of different recipients are sent at once, each recipient’s in order, and after events of the whole email', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const gate = Promise.withResolvers<number>()
  receiver.answer = ({ body }) => (body.includes('email.delivered') ? gate.promise : 200)
  await stage.webhook(receiver)
  await stage.hold()
  await stage.flood(1_001)
  // The event about the whole email came first, and then as many as may be under way at a time.
  const first = await receiver.until(({ length }) => length === 1 + 17)
  assert.deepEqual(
    first.map(told).map(({ type }) => type),
    ['email.sent', ...Array(17).fill('email.delivered')],
  )
  gate.resolve(200)
  const received = await receiver.until(({ length }) => length >= 1_001)
  assert.equal(new Set(received.map(idOf)).size, 1_001)
})

test('a refused event is sent again under its id, and given up after the last attempt', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  receiver.answer = ({ body }) =>
    body.includes('email.sent') ? { status: 500, body: 'x'.repeat(3_000) } : 204
  const id = await stage.webhook(receiver)
  await stage.hold()
  await stage.deliver()
  const tries = (received: Received[]) => received.filter((each) => told(each).type === 'email.sent')
  for (const count of [2, 3]) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setInterval(() => void stage.hold(), 20)
    void receiver.until((received) => tries(received).length >= count).then(() => resolve())
    await promise
    clearInterval(timer)
  }
  assert.equal(new Set(tries(receiver.received).map(idOf)).size, 1)
  await stage.attempts(id, 4)
  const failed = await stage.store.webhookAttempts({ webhookId: id, succeeded: false, limit: 9 })
  assert.deepEqual(
    failed.map(({ attempt, status, nextAt }) => [attempt, status, nextAt !== null]),
    [
      [3, 500, false],
      [2, 500, true],
      [1, 500, true],
    ],
  )
  assert.equal(failed[0]!.response, 'x'.repeat(1_024))
  assert.deepEqual(await stage.store.webhookRetries(id, Number.MAX_SAFE_INTEGER, 9), [])
})

test('406 ends it in the form dialect, and a redirect is a failure that is not followed', async (t) => {
  const stage = await Stage.make(t)
  const [refusing, elsewhere] = [await receiving(t), await receiving(t)]
  refusing.answer = () => 406
  elsewhere.answer = ({ path }) => (path === '/hook' ? { status: 302, headers: { location: '/other' } } : 200)
  const rejected = await stage.webhook(refusing, 'form', ['delivered'])
  const redirected = await stage.webhook(elsewhere, 'form', ['delivered'])
  await stage.hold()
  await stage.deliver()
  for (const [id, status, again] of [
    [rejected, 406, false],
    [redirected, 302, true],
  ] as const) {
    await stage.until(
      id,
      async () => (await stage.store.webhookAttempts({ webhookId: id, limit: 1 })).length > 0,
    )
    const all = await stage.store.webhookAttempts({ webhookId: id, limit: 9 })
    assert.deepEqual([all.at(-1)!.status, all.at(-1)!.nextAt !== null], [status, again])
  }
  assert.ok(elsewhere.received.every(({ path }) => path === '/hook'))
})

test('a hanging webhook delays no other webhook', async (t) => {
  const stage = await Stage.make(t)
  const [hanging, healthy] = [await receiving(t), await receiving(t)]
  hanging.answer = () => null
  for (let count = 0; count < 30; count++) await stage.webhook(hanging)
  await stage.webhook(healthy)
  await stage.hold()
  await stage.deliver(200)
  await healthy.until(({ length }) => length >= 400)
  assert.ok(hanging.received.length <= 256)
})

test('after a crash before the commit, the next process sends the same events under the same ids', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  await stage.webhook(receiver)
  await stage.restart({ commits: false })
  await stage.deliver(5)
  await receiver.until(({ length }) => length >= 10)
  await stage.restart()
  const received = await receiver.until(({ length }) => length >= 20)
  const first = received.slice(0, 10).map(idOf).sort()
  assert.deepEqual(received.slice(10).map(idOf).sort(), first)
  assert.equal(new Set(first).size, 10)
})

test('all events since a time, and a single event, are sent again', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const id = await stage.webhook(receiver, 'json', ['delivered'])
  await stage.hold()
  await stage.deliver(3)
  await receiver.until(({ length }) => length >= 3)
  const cursor = await stage.store.lastEventBefore(0)
  await stage.store.updateWebhook(id, { cursor })
  await stage.hold()
  const again = await receiver.until(({ length }) => length >= 6)
  assert.equal(new Set(again.map(idOf)).size, 3)
  await stage.until(
    id,
    async () => (await stage.store.webhookAttempts({ webhookId: id, limit: 9 })).length > 0,
  )
  const [one] = await stage.store.webhookAttempts({ webhookId: id, limit: 1 })
  await stage.store.replayWebhook(id, [{ number: one!.number }], Date.now())
  await stage.hold()
  const last = (await receiver.until(({ length }) => length >= 7)).at(-1)!
  assert.equal(new Set([...again, last].map(idOf)).size, 3)
})

test('a webhook that catches up while a page is read for the others misses nothing of that page', async (t) => {
  const stage = await Stage.make(t)
  const [current, late] = [await receiving(t), await receiving(t)]
  // Each gets another kind of event: a page read for the one has nothing for the other.
  await stage.webhook(current, 'json', ['delivered'])
  await stage.webhook(late, 'json', ['sent'])
  await stage.hold(({ types }) => types.includes('delivered'))
  const first = await stage.deliver()
  await current.until(({ length }) => length === 1)

  const [reads, readsLate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const [goesOn, goesOnLate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  stage.beforeTelling = async (events) => {
    const isLate = events.every(({ type }) => type === 'sent')
    const [begun, gate] = isLate ? [readsLate, goesOnLate] : [reads, goesOn]
    begun.resolve()
    await gate.promise
  }
  // The late one has read the first email, and gets its event once the second is being read for the other.
  await stage.hold()
  await readsLate.promise
  const second = await stage.deliver()
  await reads.promise
  goesOnLate.resolve()
  await late.until(({ length }) => length === 1)
  goesOn.resolve()
  await current.until(({ length }) => length === 2)
  const third = await stage.deliver()
  const isThird = (each: Received) => told(each).data.email_id === third[0]
  const received = await late.until((all) => all.some(isThird))
  assert.deepEqual(
    received.map((each) => told(each).data.email_id),
    [...first, ...second, ...third],
  )
})

test('a commit that comes too late, as the webhook was changed meanwhile, leaves the changed one alone', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const id = await stage.webhook(receiver, 'json', ['sent'])
  const [commits, goesOn, isOver] = [0, 1, 2].map(() => Promise.withResolvers<void>())
  stage.beforeCommit = async () => {
    stage.beforeCommit = async () => isOver!.resolve()
    commits!.resolve()
    await goesOn!.promise
  }
  const cursor = await stage.store.lastEventNumber()
  await stage.hold()
  await stage.deliver()
  await commits!.promise
  await stage.store.updateWebhook(id, { url: `${receiver.url}/changed`, cursor })
  await stage.hold()
  goesOn!.resolve()
  // Events that were sent but not recorded are sent again; and that is recorded.
  await inTime(isOver!.promise, 'a commit of the changed webhook')
  const [second] = await stage.deliver()
  const received = await inTime(
    receiver.until((all) => all.some((each) => told(each).data.email_id === second)),
    'an event after that',
  )
  assert.deepEqual(
    received.map(({ path }) => path),
    ['/hook', '/hook/changed', '/hook/changed'],
  )
})
