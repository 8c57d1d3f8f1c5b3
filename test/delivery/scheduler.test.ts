/** The scheduler between a real store and a real SMTP server; faults of the store are put in between. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { SendingDomain } from '../../src/accounts/account.ts'
import { newDomain } from '../../src/accounts/new-domain.ts'
import { Seal } from '../../src/accounts/seal.ts'
import type { Delivery } from '../../src/delivery/delivery.ts'
import { Membership } from '../../src/delivery/membership.ts'
import type { ReadyLimits } from '../../src/delivery/ready-queues.ts'
import { RetrySchedule } from '../../src/delivery/retry-schedule.ts'
import { RouteCourier } from '../../src/delivery/route-courier.ts'
import { Scheduler } from '../../src/delivery/scheduler.ts'
import { SendingRight } from '../../src/delivery/sending-right.ts'
import { SigningKeys } from '../../src/delivery/signing-keys.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { createLogger } from '../../src/log.ts'
import { LoopMonitor } from '../../src/loop-monitor.ts'
import { Boundaries } from '../../src/mail/compose/boundary.ts'
import { Metrics } from '../../src/metrics.ts'
import { openStore } from '../../src/store/open.ts'
import { type NewEmail, type NodeDescription, type Store, StoreUnavailable } from '../../src/store/store.ts'
import { type Script, type Sink, startSink } from '../support/sink.ts'

const LIMITS: ReadyLimits = {
  concurrency: 4,
  siteConcurrency: 4,
  maxDeliveries: 100,
  maxBytes: 1_000_000,
  maxLargeBytes: 1_000_000,
  maxPerLane: 100,
}

/** Fails the next records, then works again. */
class FaultyRecords {
  failing = false
  /** What the scheduler was last told to cancel. */
  cancelsRead: string[] = []
  /** Suppressions it was told of so far, and pauses it was last told of. */
  readonly read = { added: 0, pauses: 0 }
  failed = Promise.withResolvers<void>()
  /** So often the next questions for pauses fail. */
  unread = 0

  wrap(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (name === 'cancelRequests') {
          return async () => {
            this.cancelsRead = await target.cancelRequests()
            return this.cancelsRead
          }
        }
        if (name === 'suppressionsSince') {
          return async (cursor: string | null) => {
            const told = await target.suppressionsSince(cursor)
            setImmediate(() => {
              this.read.added += told.added.length
            })
            return told
          }
        }
        if (name === 'pauses') {
          return async () => {
            if (this.unread > 0) {
              this.unread -= 1
              throw new StoreUnavailable('the database is away')
            }
            const pauses = await target.pauses()
            setImmediate(() => {
              this.read.pauses = pauses.length
            })
            return pauses
          }
        }
        if (name !== 'record') return value.bind(target)
        return (...args: unknown[]) => {
          if (!this.failing) return value.apply(target, args)
          this.failed.resolve()
          return Promise.reject(new StoreUnavailable('the disk is full'))
        }
      },
    })
  }
}

interface Bench {
  store: Store
  scheduler: Scheduler
  membership: Membership
  sink: Sink
  faults: FaultyRecords
  domain: SendingDomain
  deliveries: Delivery[]
  /** What was logged as an error. */
  errors: string[]
  /** Accepts a message as intake does, under a lease when there is room. */
  accept(to: string, change?: Partial<NewEmail>): Promise<NewEmail>
}

async function start(
  t: TestContext,
  options: { script?: Script; limits?: Partial<ReadyLimits>; begun?: false } = {},
) {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-scheduler-'))
  const sink = await startSink(options.script === undefined ? {} : { script: options.script })
  const store = await openStore(
    { engine: 'sqlite', path: join(directory, 'postroad.db') },
    { exclusive: true },
  )
  const seal = new Seal(randomBytes(32))
  const company = { id: randomUUIDv7(), name: 'Acme', createdAt: Date.now() }
  await store.addCompany(company)
  const fresh = await newDomain({ companyId: company.id, name: 'acme.test', seal, ed25519: false })
  const domain: SendingDomain = { ...fresh, sending: 'active' }
  await store.addDomain(domain)
  const faults = new FaultyRecords()
  const deliveries: Delivery[] = []
  const right = new SendingRight()
  const errors: string[] = []
  const log = { info: () => {}, warn: () => {}, error: (_: object, message: string) => errors.push(message) }
  const metrics = new Metrics()
  const node: NodeDescription = {
    name: 'here',
    roles: ['api', 'delivery'],
    timeoutMs: 30_000,
    since: Date.now(),
  }
  const membership = new Membership({ store: faults.wrap(store), node, right, metrics, log })
  await membership.start()
  const courier = new RouteCourier({
    right,
    route: {
      kind: 'relay',
      host: '127.0.0.1',
      port: sink.port,
      implicitTls: false,
      tls: 'off',
      user: null,
      password: null,
      auth: null,
    },
    resolver: new Resolver(),
    hostname: 'postroad.test',
    smtpPort: 25,
    allowPrivateNetworks: true,
    retrySchedule: [120_000],
    boundaries: new Boundaries(Buffer.alloc(32)),
    log: () => {},
  })
  const scheduler = new Scheduler({
    store: faults.wrap(store),
    membership,
    courier: {
      deliver: (delivery) => {
        deliveries.push(delivery)
        return courier.deliver(delivery)
      },
      close: (ms) => courier.close(ms),
    },
    isolated: courier,
    domain: (id) => (id === domain.id ? domain : undefined),
    signingKeys: new SigningKeys(seal),
    retrySchedule: new RetrySchedule([1, 1, 1]),
    siteOf: () => 'relay',
    limits: { ...LIMITS, ...options.limits },
    monitor: new LoopMonitor(metrics.registry, createLogger('silent')),
    metrics,
    log,
  })
  const bench: Bench = {
    store,
    scheduler,
    membership,
    sink,
    faults,
    domain,
    deliveries,
    errors,
    accept: async (to, change) => {
      const email = { ...newEmail(company.id, domain.id, to), ...change }
      const lease = scheduler.lease(email)
      const accepted = await store.accept(email, lease)
      assert.equal(accepted.kind, 'accepted')
      if (lease === null) scheduler.waiting(email.dueAt)
      else scheduler.accepted(email, accepted.leased, lease)
      return email
    },
  }
  t.after(async () => {
    await scheduler.stop(1_000)
    await membership.leave()
    await store.close()
    await sink.close()
    rmSync(directory, { recursive: true, force: true })
  })
  await scheduler.start()
  return bench
}

function newEmail(companyId: string, domainId: string, to: string): NewEmail {
  const id = randomUUIDv7()
  const now = Date.now()
  return {
    id,
    companyId,
    domainId,
    keyId: randomUUIDv7(),
    sender: 'a@acme.test',
    content: {
      from: 'a@acme.test',
      to: [to],
      cc: [],
      replyTo: [],
      subject: 'Hello',
      text: 'It works.',
      headers: [],
      attachments: [],
      messageId: `<${id}@acme.test>`,
      date: now,
    },
    raw: null,
    bcc: [],
    tags: [],
    variables: {},
    individual: false,
    testMode: false,
    createdAt: now,
    dueAt: now,
    scheduled: false,
    size: 500,
    recipients: [{ address: to, domain: to.slice(to.indexOf('@') + 1), kind: 'to', variables: null }],
    idempotency: null,
  }
}

async function stateOf(store: Store, { id }: NewEmail): Promise<{ state: string; attempts: number }> {
  const { state, attempts } = (await store.readHistory(id))!.recipients[0]!
  return { state, attempts }
}

/** Looks again after every turn of the event loop; the test's own time limit ends it. */
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}

test('while results cannot be recorded nothing new is sent; afterwards all of it is, each once', async (t) => {
  const { accept, sink, faults, scheduler, store } = await start(t)
  faults.failing = true
  const first = await accept('first@x.test')
  await sink.until(1)
  await faults.failed.promise
  await until(() => scheduler.counts.paused)
  const later = [await accept('second@x.test'), await accept('third@x.test')]
  assert.equal(scheduler.counts.underWay, 0)
  assert.equal(sink.messages.length, 1)
  faults.failing = false
  await sink.until(3)
  for (const email of [first, ...later]) {
    await until(async () => (await stateOf(store, email)).state === 'delivered')
  }
  assert.equal(sink.messages.length, 3)
  assert.equal(scheduler.counts.paused, false)
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
  assert.equal(scheduler.lease({ ...email, size: 1024 * 1024 }), null)
  const html = 'word '.repeat(300_000)
  const { id } = await accept('to@x.test', { content: { ...email.content, html }, size: html.length })
  await sink.until(1)
  assert.deepEqual(
    deliveries.map(({ emailId }) => emailId),
    [id],
  )
})

test('mail accepted by another process is found', async (t) => {
  const { sink, store, domain } = await start(t)
  await store.accept(newEmail(domain.companyId, domain.id, 'other@x.test'), null)
  await sink.until(1)
})

test('a stop gives back what has not begun, untried', async (t) => {
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
  assert.notEqual((await stateOf(store, first!)).state, 'leased')
})

test('what is committed while the scheduler stops is given back as well', async (t) => {
  const { scheduler, store, membership, domain, sink } = await start(t)
  const email = newEmail(domain.companyId, domain.id, 'late@x.test')
  const lease = scheduler.lease(email)!
  const accepted = await store.accept(email, lease)
  assert.ok(accepted.kind === 'accepted')
  await scheduler.stop(1_000)
  scheduler.accepted(email, accepted.leased, lease)
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

/** One session, in use until `release` is called; what is accepted meanwhile waits in memory. */
async function occupied(t: TestContext) {
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const bench = await start(t, {
    limits: { concurrency: 1, siteConcurrency: 1 },
    script: async ({ step }) => {
      if (step !== 'mail') return undefined
      begun.resolve()
      await held.promise
      return undefined
    },
  })
  const first = await bench.accept('first@x.test')
  await begun.promise
  return { ...bench, first, release: held.resolve }
}

test('a recipient suppressed while it waits in memory for a session is not sent to', async (t) => {
  const { accept, faults, sink, store, domain, release } = await occupied(t)
  const both = await accept('second@x.test', {
    recipients: ['Gone@x.test', 'there@x.test'].map((address) => {
      return { address, domain: 'x.test', kind: 'to', variables: null }
    }),
  })
  await store.addSuppression(domain.companyId, 'gone@X.test'.toLowerCase(), 'asked to', Date.now())
  await until(() => faults.read.added > 0)
  release()
  const recipients = async () => (await store.readHistory(both.id))!.recipients
  await until(async () =>
    (await recipients()).every(({ state }) => state !== 'leased' && state !== 'waiting'),
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

test('a recipient that one delivery finds unknown is not asked for by another that waits in memory', async (t) => {
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

test('what is paused while it waits in memory goes back untried, and leaves when it is resumed', async (t) => {
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
  await store.resume({ companyId: domain.companyId, domain: 'y.test' })
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
  await until(async () => (await store.counts(Date.now())).leased === 0)
  await accept('third@z.test')
  assert.deepEqual([scheduler.counts.ready, scheduler.counts.underWay], [0, 0])
  assert.deepEqual(await store.counts(Date.now() + 1_000), { waiting: 2, leased: 0, quarantined: 0, due: 2 })
  await store.resume({ companyId: null, domain: null })
  await sink.until(3)
})

test('a pause is read until it can be, and an outage is told once, however long it lasts', async (t) => {
  const { errors, faults, store } = await start(t)
  for (const since of [1, 2]) {
    faults.unread = 2
    await store.pause({ companyId: null, domain: `y${since}.test`, since })
    await until(() => faults.read.pauses === since)
    assert.equal(errors.filter((message) => /to be stopped/.test(message)).length, since)
  }
})

test('a pause outlives what else is stopped after it, for which all stops are read again', async (t) => {
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

test('what others may have taken over is not begun', async (t) => {
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

test('what waits in memory for a session can be canceled', async (t) => {
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
  assert.deepEqual(await store.cancel(second.id, Date.now()), { canceled: 0, underWay: 1 })
  await until(() => faults.cancelsRead.includes(second.id))
  held.resolve()
  await until(async () => (await stateOf(store, second)).state === 'canceled')
  await until(async () => (await stateOf(store, first)).state === 'delivered')
  assert.equal((await stateOf(store, second)).attempts, 0)
  assert.equal(sink.messages.length, 1)
})
