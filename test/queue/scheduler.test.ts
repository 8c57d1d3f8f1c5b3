/** The scheduler between a real store and a real SMTP server; faults of the store are put in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Path } from '../../src/delivery/path/path.ts'
import { dueAfter } from '../../src/queue/attempt.ts'
import { suppress, suppression, to } from '../store/samples.ts'
import { newEmail, occupied, start, stateOf, until } from './scheduler-bench.ts'

test('while results cannot be recorded nothing new is sent; afterwards all of it is, each once', async (t) => {
  const { accept, sink, faults, scheduler, store } = await start(t)
  faults.failing = true
  const first = await accept('first@x.test')
  await sink.until(1)
  await faults.failed.promise
  await until(() => scheduler.counts.halted)
  const later = [await accept('second@x.test'), await accept('third@x.test')]
  assert.equal(scheduler.counts.inSession, 0)
  assert.equal(sink.messages.length, 1)
  faults.failing = false
  await sink.until(3)
  for (const email of [first, ...later]) {
    await until(async () => (await stateOf(store, email)).state === 'delivered')
  }
  assert.equal(sink.messages.length, 3)
  assert.equal(scheduler.counts.halted, false)
})

test('more than fits into memory is delivered all the same', async (t) => {
  const { accept, sink } = await start(t, {
    limits: { maxDeliveries: 4, concurrency: 2, siteConcurrency: 2 },
  })
  for (let i = 0; i < 60; i++) await accept(`to${i}@x${i % 7}.test`)
  const messages = await sink.until(60)
  assert.equal(new Set(messages.flatMap(({ recipients }) => recipients)).size, 60)
})

test('a large message does not wait in memory: it is read back when there is room', async (t) => {
  const { accept, deliveries, scheduler, sink } = await start(t)
  const email = newEmail('', '', 'to@x.test')
  assert.equal(scheduler.reserve({ ...email, size: 1024 * 1024 }), null)
  const html = 'word '.repeat(300_000)
  const { id } = await accept('to@x.test', { content: { ...email.content, html }, size: html.length })
  await sink.until(1)
  assert.deepEqual(
    deliveries.map(({ email }) => email.id),
    [id],
  )
})

test('mail accepted by another process is found', async (t) => {
  const { sink, store, domain } = await start(t)
  await store.accept(newEmail(domain.companyId, domain.id, 'other@x.test'), null)
  await sink.until(1)
})

test('a stop gives back untried the deliveries that have not begun', async (t) => {
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const { accept, scheduler, store } = await start(t, {
    limits: { concurrency: 1, siteConcurrency: 1 },
    script: async ({ step }) => {
      if (step !== 'mail') return undefined
      begun.resolve()
      await held.promise
      return undefined
    },
  })
  const [first, second] = [await accept('first@x.test'), await accept('second@x.test')]
  await begun.promise
  const stopped = scheduler.stop(10_000)
  held.resolve()
  await stopped
  assert.deepEqual(await stateOf(store, second!), { state: 'waiting', attempts: 0 })
  const [recipient] = (await store.readHistory(second!.id))!.recipients
  assert.equal(recipient!.lastMessage, null, 'a stop is no answer')
  assert.notEqual((await stateOf(store, first!)).state, 'sending')
})

test('mail committed while the scheduler stops is given back as well', async (t) => {
  const { scheduler, store, membership, domain, sink } = await start(t)
  const email = newEmail(domain.companyId, domain.id, 'late@x.test')
  using place = scheduler.reserve(email)!
  const accepted = await store.accept(email, place.lease)
  assert.ok(accepted.kind === 'accepted')
  await scheduler.stop(1_000)
  place.begin(email, accepted.leased)
  await until(async () => (await stateOf(store, email)).state === 'waiting')
  assert.ok(membership.lease)
  assert.deepEqual(sink.messages, [])
})

test('after a lost answer only the same server may be asked', async (t) => {
  let lost = false
  const { accept, sink, deliveries } = await start(t, {
    script: ({ step }) => {
      if (step !== 'dot' || lost) return undefined
      lost = true
      return { close: true }
    },
  })
  await accept('to@x.test')
  await until(() => deliveries.length === 2)
  assert.equal(deliveries[0]!.preferredOnly, false)
  assert.equal(deliveries[1]!.preferredOnly, true)
  assert.match(deliveries[1]!.preferredServer!, new RegExp(`:${sink.port}$`))
})

test('mail of a suspended domain is held untried, and leaves when the domain is active again', async (t) => {
  const { accept, sink, store, domain, scheduler } = await start(t)
  domain.sending = 'suspended'
  const email = await accept('to@x.test')
  await until(async () => (await stateOf(store, email)).state === 'waiting')
  assert.equal((await stateOf(store, email)).attempts, 0)
  domain.sending = 'active'
  scheduler.domainsChanged()
  await sink.until(1)
})

test('mail that is being given back while its domain becomes active is sent all the same', async (t) => {
  const { accept, faults, sink, domain, scheduler } = await start(t)
  domain.sending = 'suspended'
  faults.failing = true
  await accept('to@x.test')
  await faults.failed.promise
  domain.sending = 'active'
  scheduler.domainsChanged()
  faults.failing = false
  await sink.until(1)
})

test('mail that is being given back for a closed path while the path opens again is sent all the same', async (t) => {
  const tried = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  let closed = true
  const { accept, faults, sink, store, scheduler } = await start(t, {
    waits: [600_000],
    script: async ({ step }) => {
      if (step !== 'mail') return undefined
      if (closed) return { reply: '530 5.7.0 Authentication required' }
      tried.resolve()
      await answer.promise
      return undefined
    },
  })
  const first = await accept('first@x.test')
  await until(async () => (await stateOf(store, first)).state === 'waiting')
  closed = false
  await store.retry({ companyId: null, domains: null, emailId: first.id, now: Date.now() })
  scheduler.waiting(Date.now())
  await tried.promise

  const asked = Promise.withResolvers<void>()
  const write = Promise.withResolvers<void>()
  faults.onRecord = async ({ emailId }) => {
    if (emailId === first.id) return
    asked.resolve()
    await write.promise
  }
  await accept('second@x.test')
  await asked.promise
  answer.resolve()
  await until(async () => (await stateOf(store, first)).state === 'delivered')
  assert.deepEqual([...scheduler.counts.closed], [])
  write.resolve()
  await sink.until(2)
})

test('a recipient suppressed while it waits in memory for a session is not sent to', async (t) => {
  const { accept, faults, sink, store, domain, release } = await occupied(t)
  const both = await accept('second@x.test', {
    recipients: [to('Gone@x.test'), to('there@x.test')],
  })
  await suppress(store, domain.companyId, 'gone@X.test'.toLowerCase(), 'asked to', Date.now())
  await until(() => faults.read.added > 0)
  release()
  const recipients = async () => (await store.readHistory(both.id))!.recipients
  await until(async () =>
    (await recipients()).every(({ state }) => state !== 'sending' && state !== 'waiting'),
  )
  assert.deepEqual(
    (await recipients()).map(({ state, attempts }) => [state, attempts]),
    [
      ['suppressed', 0],
      ['delivered', 1],
    ],
  )
  assert.deepEqual(
    sink.messages.map((message) => message.recipients),
    [['first@x.test'], ['there@x.test']],
  )
})

test('a suppression for other mail to its recipient costs waiting mail one round trip to the store', async (t) => {
  const { accept, faults, metrics, sink, store, domain, release } = await occupied(t)
  const waits = await accept('there@x.test')
  const entry = suppression({ id: domain.companyId }, 'there@x.test', { type: 'manual', domainId: 'other' })
  await store.addSuppressions([entry])
  await until(() => faults.read.added > 0)
  const delays: number[] = []
  faults.onRecord = async (attempt) => {
    const dueAt = dueAfter(attempt)
    if (dueAt !== null) delays.push(Math.max(0, dueAt - Date.now()))
  }
  release()
  await until(async () => (await stateOf(store, waits)).state === 'delivered')
  assert.deepEqual(delays, [0])
  assert.equal((await metrics.givenBack.get()).values[0]!.value, 1)
  assert.equal(sink.messages.length, 2)
})

test('"too many sessions" closes no path that had several at the time, although the others have ended since', async (t) => {
  const together = Promise.withResolvers<void>()
  const alone = Promise.withResolvers<void>()
  const { accept, faults, scheduler, sink } = await start(t, {
    script: async ({ step, session }) => {
      if (step !== 'mail') return undefined
      if (session === 3) together.resolve()
      await together.promise
      if (session !== 3) return undefined
      await alone.promise
      return { reply: '421 4.7.0 Error: too many connections from 127.0.0.1', close: true }
    },
  })
  const closed = Promise.withResolvers<unknown[]>()
  for (const to of ['a@x.test', 'b@x.test', 'c@x.test']) await accept(to)
  await sink.until(2)
  await until(() => scheduler.counts.inSession === 1)
  faults.onRecord = async () => closed.resolve([...scheduler.counts.closed])
  alone.resolve()
  assert.deepEqual(await closed.promise, [])
})

test('a recipient that one delivery finds unknown is not tried by another that waits in memory', async (t) => {
  const told = Promise.withResolvers<void>()
  const { accept, faults, sink, store } = await start(t, {
    limits: { concurrency: 1, siteConcurrency: 1 },
    script: async ({ step, recipient }) => {
      if (step === 'rcpt' && recipient === 'gone@x.test') return { reply: '550 5.1.1 no such user' }
      if (step === 'rcpt') await told.promise
      return undefined
    },
  })
  const [first, second, third] = [
    await accept('gone@x.test'),
    await accept('to@y.test'),
    await accept('gone@x.test'),
  ]
  await until(() => faults.read.added === 1)
  told.resolve()
  await until(async () => (await stateOf(store, third)).state === 'suppressed')
  assert.deepEqual(await stateOf(store, third), { state: 'suppressed', attempts: 0 })
  assert.deepEqual(await stateOf(store, first), { state: 'bounced', attempts: 1 })
  await until(async () => (await stateOf(store, second)).state === 'delivered')
  assert.equal(sink.messages.length, 1)
})

test('mail paused while it waits in memory goes back untried, and is sent when it is resumed', async (t) => {
  const { accept, faults, sink, store, domain, first, release } = await occupied(t)
  const second = await accept('second@y.test')
  const third = await accept('third@z.test')
  await store.pause({ companyId: domain.companyId, domain: 'y.test', since: Date.now() })
  await until(() => faults.read.pauses === 1)
  release()
  await until(async () => (await stateOf(store, third)).state === 'delivered')
  await until(async () => (await stateOf(store, first)).state === 'delivered')
  await until(async () => (await stateOf(store, second)).state === 'waiting')
  const later = await accept('later@y.test')
  assert.deepEqual(await stateOf(store, later), { state: 'waiting', attempts: 0 })
  assert.deepEqual(await stateOf(store, second), { state: 'waiting', attempts: 0 })
  assert.equal(sink.messages.length, 2)
  await store.resume({ companyId: domain.companyId, domain: 'y.test' }, Date.now())
  await sink.until(4)
  await until(async () => (await stateOf(store, second)).state === 'delivered')
  assert.equal((await stateOf(store, second)).attempts, 1)
})

test('while everything is paused nothing is begun, and nothing is lost', async (t) => {
  const { accept, faults, sink, store, scheduler, release } = await occupied(t)
  await accept('second@y.test')
  await store.pause({ companyId: null, domain: null, since: Date.now() })
  await until(() => faults.read.pauses === 1)
  release()
  await until(async () => (await store.counts(Date.now())).sending === 0)
  await accept('third@z.test')
  assert.deepEqual([scheduler.counts.ready, scheduler.counts.inSession], [0, 0])
  assert.deepEqual(await store.counts(Date.now() + 1_000), { waiting: 2, sending: 0, quarantined: 0, due: 2 })
  await store.resume({ companyId: null, domain: null }, Date.now())
  await sink.until(3)
})

test('mail held for a paused site leaves when its domain is active again after the pause', async (t) => {
  const { accept, deliveries, domain, faults, scheduler, sink, store } = await start(t)
  await accept('first@x.test')
  await sink.until(1)
  const { site } = deliveries[0]!.path as Path
  const scope = { companyId: null, domain: null, site: { key: site.key, name: site.name } }
  await store.pause({ ...scope, since: Date.now() })
  await until(() => faults.read.pauses === 1)
  const held = await accept('held@x.test')
  await until(async () => (await stateOf(store, held)).state === 'waiting')
  domain.sending = 'suspended'
  await store.resume(scope, Date.now())
  await until(() => faults.read.pauses === 0)
  const suspended = await accept('suspended@x.test')
  await until(async () => (await stateOf(store, suspended)).state === 'waiting')
  assert.equal(sink.messages.length, 1)
  domain.sending = 'active'
  scheduler.domainsChanged()
  await sink.until(3)
})

test('a clock that is ahead for a moment ends no pause', async (t) => {
  const { accept, domain, faults, sink, store } = await start(t)
  const scope = { companyId: domain.companyId, domain: 'y.test' }
  const now = Date.now
  await store.pause({ ...scope, since: now(), until: now() + 600_000 })
  await until(() => faults.read.pauses === 1)
  const paused = await accept('paused@y.test')
  await until(async () => (await stateOf(store, paused)).state === 'waiting')
  t.after(() => {
    Date.now = now
  })
  Date.now = () => now() + 3_600_000
  const { claims } = faults
  await store.pause({ companyId: null, domain: 'z.test', since: now() })
  await until(() => faults.read.pauses === 2 && faults.claims > claims)
  assert.deepEqual(await stateOf(store, paused), { state: 'waiting', attempts: 0 })
  assert.deepEqual(sink.messages, [])
  Date.now = now
  await store.resume(scope, now())
  await until(async () => (await stateOf(store, paused)).state === 'delivered')
})

test('reading a pause is repeated until it succeeds, and an outage is logged once, however long it lasts', async (t) => {
  const { errors, faults, store } = await start(t)
  for (const since of [1, 2]) {
    faults.unread = 2
    await store.pause({ companyId: null, domain: `y${since}.test`, since })
    await until(() => faults.read.pauses === since)
    assert.equal(
      errors.filter((message) => /Cannot read pauses, cancellations and suppressions/.test(message)).length,
      since,
    )
  }
})

test('a pause survives later stops, after which all stops are read again', async (t) => {
  const { accept, faults, sink, store, domain, first, release } = await occupied(t)
  const second = await accept('second@x.test')
  await store.pause({ companyId: domain.companyId, domain: 'y.test', since: Date.now() })
  await until(() => faults.read.pauses === 1)
  faults.read.pauses = 0
  await store.cancel(second.id, Date.now())
  await until(() => faults.cancelsRead.includes(second.id) && faults.read.pauses === 1)
  release()
  await until(async () => (await stateOf(store, second)).state === 'canceled')
  const paused = await accept('paused@y.test')
  const free = await accept('free@z.test')
  await until(async () => (await stateOf(store, free)).state === 'delivered')
  assert.deepEqual(await stateOf(store, paused), { state: 'waiting', attempts: 0 })
  assert.deepEqual(
    sink.messages.map((message) => message.recipients),
    [['first@x.test'], ['free@z.test']],
  )
  assert.equal((await stateOf(store, first)).state, 'delivered')
})

test('mail that other nodes may have taken over is not begun', async (t) => {
  const { accept, membership, sink, store, release, first } = await occupied(t)
  const second = await accept('second@x.test')
  const { token } = membership.lease!
  await store.giveUp(token, 0)
  await membership.leave()
  await store.recover({ now: Date.now() + 3_600_000, jitterMs: 0 })
  release()
  await until(async () => (await stateOf(store, first)).state === 'waiting')
  assert.deepEqual(await stateOf(store, second), { state: 'waiting', attempts: 0 })
  assert.deepEqual(sink.messages, [])
})

test('mail that waits in memory for a session can be canceled', async (t) => {
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const { accept, faults, sink, store } = await start(t, {
    limits: { concurrency: 1, siteConcurrency: 1 },
    script: async ({ step }) => {
      if (step !== 'mail') return undefined
      begun.resolve()
      await held.promise
      return undefined
    },
  })
  const first = await accept('first@x.test')
  const second = await accept('second@x.test')
  await begun.promise
  assert.deepEqual(await store.cancel(second.id, Date.now()), { canceled: 0, sending: 1 })
  await until(() => faults.cancelsRead.includes(second.id))
  held.resolve()
  await until(async () => (await stateOf(store, second)).state === 'canceled')
  await until(async () => (await stateOf(store, first)).state === 'delivered')
  assert.equal((await stateOf(store, second)).attempts, 0)
  assert.equal(sink.messages.length, 1)
})

test('mail past the deadline of its sender fails without an attempt, however it came to wait', async (t) => {
  const { accept, sink, store } = await start(t)
  const late = await accept('late@x.test', { giveUpAt: Date.now() - 1 })
  await until(async () => (await stateOf(store, late)).state === 'failed')
  const inTime = await accept('in-time@x.test', { giveUpAt: Date.now() + 600_000 })
  await until(async () => (await stateOf(store, inTime)).state === 'delivered')
  assert.deepEqual(
    sink.messages.flatMap(({ recipients }) => recipients),
    ['in-time@x.test'],
  )
})
