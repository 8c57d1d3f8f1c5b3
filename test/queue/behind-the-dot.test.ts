/** The queue begins the next delivery behind the final dot of the one before, over a link that is worth it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NewEmail, Store } from '../../src/store/store.ts'
import { type BenchOptions, start, stateOf, until } from './scheduler-bench.ts'

/** Milliseconds there and back. */
const FAR_MS = 20

/** One session with a server far away. */
function startFar(t: TestContext, options: BenchOptions = {}) {
  return start(t, { ...options, link: FAR_MS, limits: { siteConcurrency: 1, ...options.limits } })
}

async function dialogueOf(store: Store, { id }: NewEmail): Promise<string> {
  return (await store.readHistory(id))!.attempts.map(({ dialogue }) => dialogue).join('\n')
}

/** Whether the delivery began behind the one before. */
async function wasBehind(store: Store, email: NewEmail): Promise<boolean> {
  return /behind the message before/.test(await dialogueOf(store, email))
}

async function delivered(store: Store, email: NewEmail): Promise<void> {
  await until(async () => (await stateOf(store, email)).state === 'delivered')
}

/** Waits in memory while the first one is under way. */
async function acceptAll(accept: (to: string) => Promise<NewEmail>, count: number): Promise<NewEmail[]> {
  const emails: NewEmail[] = []
  for (let at = 0; at < count; at++) emails.push(await accept(`to${at}@x.test`))
  return emails
}

test('messages follow each other on the one session, each is sent and recorded once', async (t) => {
  const waiting = Promise.withResolvers<void>()
  const { accept, sink, store, deliveries } = await startFar(t, {
    script: async ({ step, transaction }) => {
      if (step === 'mail' && transaction === 1) await waiting.promise
      return undefined
    },
  })
  const emails = await acceptAll(accept, 10)
  waiting.resolve()
  for (const email of emails) await delivered(store, email)
  assert.equal(sink.connections, 1)
  assert.equal(sink.messages.length, 10)
  assert.deepEqual(
    deliveries.map(({ email }) => email.id),
    emails.map(({ id }) => id),
  )
  const behind = await Promise.all(emails.map((email) => wasBehind(store, email)))
  // The first one shows how fast the server answers a dot, so the second one is the first to be followed.
  assert.deepEqual(behind.slice(0, 2), [false, false])
  assert.ok(behind.includes(true))
})

test('a message that is refused at its dot leaves the next one alone, whatever the answer', async (t) => {
  const refusals = ['550 5.7.1 spam', '451 4.3.0 later', '552 5.3.4 too big']
  const { accept, sink, store } = await startFar(t, {
    script: ({ step, transaction }) => {
      if (step !== 'dot' || transaction % 2 === 1) return undefined
      const reply = refusals.shift()
      return reply === undefined ? undefined : { reply }
    },
  })
  const emails = await acceptAll(accept, 8)
  for (const email of emails) {
    await until(async () => /^(delivered|bounced)$/.test((await stateOf(store, email)).state))
  }
  const states = await Promise.all(emails.map(async (email) => (await stateOf(store, email)).state))
  assert.equal(states.filter((state) => state === 'bounced').length, 2)
  assert.equal(sink.messages.length, 6)
  assert.equal(sink.refused.length, 3)
})

for (const [name, reaction] of [
  ['421', { reply: '421 4.3.2 closing', close: true }],
  ['a hang-up', { close: true }],
] as const) {
  test(`${name} at the dot: the next one is sent once, with its first attempt`, async (t) => {
    let ended = false
    const { accept, sink, store } = await startFar(t, {
      waits: [600_000],
      script: ({ step, transaction }) => {
        if (step !== 'dot' || transaction !== 4 || ended) return undefined
        ended = true
        return reaction
      },
    })
    const emails = await acceptAll(accept, 8)
    const [lost] = emails.splice(3, 1)
    for (const email of emails) {
      await delivered(store, email)
      assert.equal((await stateOf(store, email)).attempts, 1)
      assert.equal(
        sink.messages.filter(({ recipients }) => recipients[0] === email.recipients[0]!.address).length,
        1,
      )
    }
    assert.deepEqual(await stateOf(store, lost!), { state: 'waiting', attempts: 1 })
    assert.equal(sink.connections, 2)
    assert.match(await dialogueOf(store, emails[3]!), /behind the message before.*\n(.*\n)*.*opening another/)
  })
}

test('a pause and a cancellation also stop messages that would begin behind a dot', async (t) => {
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const { accept, faults, sink, store, domain } = await startFar(t, {
    script: async ({ step, transaction }) => {
      if (step !== 'mail' || transaction !== 3) return undefined
      reached.resolve()
      await held.promise
      return undefined
    },
  })
  const emails = await acceptAll(accept, 3)
  await reached.promise
  // The envelope of the third has been sent, behind the dot of the second.
  const canceled = await accept('canceled@x.test')
  const paused = await accept('paused@y.test')
  const last = await accept('last@x.test')
  await store.cancel(canceled.id, Date.now())
  await until(() => faults.cancelsRead.includes(canceled.id))
  await store.pause({ companyId: domain.companyId, domain: 'y.test', since: Date.now() })
  await until(() => faults.read.pauses === 1)
  held.resolve()
  for (const email of [...emails, last]) await delivered(store, email)
  await until(async () => (await stateOf(store, canceled)).state === 'canceled')
  await until(async () => (await stateOf(store, paused)).state === 'waiting')
  assert.equal((await stateOf(store, paused)).attempts, 0)
  assert.equal(sink.messages.length, 4)
  assert.equal(await wasBehind(store, last), true)
})

test('a stop lets the message and the envelope behind it finish, and gives the others back untried', async (t) => {
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const { accept, scheduler, sink, store, deliveries } = await startFar(t, {
    script: async ({ step, transaction }) => {
      if (step !== 'dot' || transaction !== 3) return undefined
      reached.resolve()
      await held.promise
      return undefined
    },
  })
  const emails = await acceptAll(accept, 6)
  await reached.promise
  await until(() => deliveries.length === 4)
  const stopped = scheduler.stop(30_000)
  held.resolve()
  await stopped
  assert.equal(sink.messages.length, 4)
  for (const email of emails.slice(0, 4)) assert.equal((await stateOf(store, email)).state, 'delivered')
  for (const email of emails.slice(4)) {
    assert.deepEqual(await stateOf(store, email), { state: 'waiting', attempts: 0 })
  }
})

test('a stop that times out at an unanswered dot gives the envelope behind it back untried', async (t) => {
  const reached = Promise.withResolvers<void>()
  const { accept, scheduler, sink, store, deliveries } = await startFar(t, {
    waits: [600_000],
    script: ({ step, transaction }) => {
      if (step !== 'dot' || transaction !== 3) return undefined
      reached.resolve()
      return { hang: true }
    },
  })
  const emails = await acceptAll(accept, 4)
  await reached.promise
  await until(() => deliveries.length === 4)
  await scheduler.stop(50)
  assert.deepEqual(await stateOf(store, emails[2]!), { state: 'waiting', attempts: 1 })
  assert.deepEqual(await stateOf(store, emails[3]!), { state: 'waiting', attempts: 0 })
  assert.equal(sink.connections, 1)
})

test('while results cannot be recorded nothing begins behind a dot', async (t) => {
  const { accept, faults, scheduler, sink, store } = await startFar(t)
  const [first, second] = await acceptAll(accept, 2)
  await delivered(store, first!)
  await delivered(store, second!)
  faults.failing = true
  const third = await accept('third@x.test')
  await faults.failed.promise
  await until(() => scheduler.counts.halted)
  const later = await acceptAll(accept, 3)
  assert.equal(sink.messages.length, 3)
  faults.failing = false
  for (const email of [third, ...later]) await delivered(store, email)
  assert.equal(sink.messages.length, 6)
})
