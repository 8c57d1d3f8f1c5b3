/** How much mail the scheduler takes into memory, whose, and in what portions it leaves. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Company, NO_LIMITS } from '../../src/accounts/account.ts'
import { LiveAccounts } from '../../src/accounts/live-accounts.ts'
import { Intake } from '../../src/intake/intake.ts'
import { type Reason, Refusal } from '../../src/intake/refusal.ts'
import type { Submission } from '../../src/intake/submission.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { acme, apiKey, suppress, to } from '../store/samples.ts'
import { newEmail, occupied, start, until } from './scheduler-bench.ts'

for (const [what, limits, most] of [
  ['octets', { maxBytes: 100_000 }, 10],
  ['deliveries', { maxDeliveries: 10 }, 10],
] as const) {
  test(`waiting deliveries in memory are bounded: ${what}`, async (t) => {
    const { accept, faults, scheduler, sink, store, release } = await occupied(t, { limits })
    for (let n = 0; n < 50; n++) await accept(`to${n}@x.test`, { size: 10_000 })
    const held = () => scheduler.counts.ready + scheduler.counts.inSession
    assert.ok(held() <= most, `${held()} held`)
    const { claims } = faults
    // What was given no lease is due: a claim must leave it where it is.
    scheduler.waiting(Date.now())
    await until(() => faults.claims > claims)
    assert.ok(held() > 2, `${held()} held`)
    assert.ok(held() <= most, `${held()} held`)
    assert.equal((await store.counts(Date.now())).sending, held())
    release()
    await sink.until(51)
  })
}

/** Mail of one company waits in the store before the start; none of it gets through before `release` is called. */
async function crowded(t: TestContext, maxDeliveries: number) {
  const held = Promise.withResolvers<void>()
  const bench = await start(t, {
    begun: false,
    limits: { maxDeliveries },
    script: async ({ step, recipient }) => {
      if (step === 'rcpt' && recipient !== 'to@newcomer.test') await held.promise
      return undefined
    },
  })
  const { domain, scheduler, store } = bench
  for (let n = 0; n < 60; n++) {
    await store.accept(newEmail(domain.companyId, domain.id, `to${n}@x.test`), null)
  }
  await scheduler.start()
  return { ...bench, release: held.resolve }
}

test('mail that waits in the store is claimed as far as there is room', async (t) => {
  const { faults, scheduler, sink, store, release } = await crowded(t, 30)
  await until(() => faults.claims >= 2)
  const { ready, inSession } = scheduler.counts
  assert.ok(ready > 4 && ready <= 30, `${ready} ready`)
  assert.equal((await store.counts(Date.now())).sending, ready + inSession)
  release()
  await sink.until(60)
})

test('when the first messages of many companies fill the memory, nothing more is claimed until some have left', async (t) => {
  const limits = { maxBytes: 100_000 }
  const { accept, faults, scheduler, sink, store, release } = await occupied(t, { limits })
  const held = () => scheduler.counts.ready + scheduler.counts.inSession
  /** How many were held at each claim. */
  const claims: number[] = []
  faults.onClaim = () => claims.push(held())
  for (let n = 0; n < 12; n++) {
    const { id } = await acme(store, `Company ${n}`)
    await accept(`to${n}@x.test`, { companyId: id, size: 60_000 })
  }
  // That of the company that came first, and 240,000 octets of others: twice the limit is as far as it goes.
  assert.equal(held(), 5)
  release()
  await sink.until(13)
  assert.ok(Math.max(...claims) < 5, claims.join())
})

test('no more room is promised than there is', async (t) => {
  const { domain, scheduler } = await start(t, { limits: { maxDeliveries: 10 } })
  const email = newEmail(domain.companyId, domain.id, 'to@x.test')
  for (let round = 0; round < 2; round++) {
    using places = new DisposableStack()
    const had = Array.from({ length: 40 }, () => places.use(scheduler.reserve(email)))
    assert.equal(had.filter((place) => place !== null).length, 10)
    // A place is given back once.
    const [first] = had
    first![Symbol.dispose]()
    first![Symbol.dispose]()
    assert.ok(places.use(scheduler.reserve(email)))
    assert.equal(scheduler.reserve(email), null)
  }
})

test('when all places are taken, mail of a company that has none is claimed and sent all the same', async (t) => {
  const { accept, scheduler, sink, store, release } = await crowded(t, 4)
  await until(() => scheduler.counts.ready >= 4)
  const newcomer = await acme(store, 'Newcomer')
  await accept('to@newcomer.test', { companyId: newcomer.id, scheduledAt: 1 })
  const message = await sink.messageFor('to@newcomer.test')
  assert.deepEqual(message.recipients, ['to@newcomer.test'])
  assert.equal(sink.messages.length, 1)
  release()
  await sink.until(61)
})

for (const scheduled of [false, true]) {
  const how = scheduled ? 'claimed' : 'handed over by intake'
  test(`250 recipients of one site leave in transactions of 100 at most: ${how}`, async (t) => {
    const { accept, sink } = await start(t)
    const addresses = Array.from({ length: 250 }, (_, n) => `to${n}@x.test`)
    await accept(addresses[0]!, {
      scheduledAt: scheduled ? 1 : null,
      recipients: addresses.map((address) => to(address)),
    })
    await sink.when(() => sink.messages.flatMap(({ recipients }) => recipients).length === 250, '250 copies')
    const sizes = sink.messages.map(({ recipients }) => recipients.length).sort((a, b) => b - a)
    assert.deepEqual(sizes, [100, 100, 50])
    assert.equal(new Set(sink.messages.flatMap(({ recipients }) => recipients)).size, 250)
  })
}

/** The bench's company sends through intake. */
async function withIntake(t: TestContext) {
  const bench = await start(t, { limits: { maxDeliveries: 4 } })
  const { domain, faults, metrics, scheduler, store } = bench
  const company: Company = { id: domain.companyId, name: 'Acme', createdAt: 0, limits: NO_LIMITS }
  const key = { ...apiKey(company), networks: [], expiresAt: null }
  await store.addKey(key)
  const accounts = new LiveAccounts({ source: store, onFault: assert.fail, onLook: () => {} })
  await accounts.refresh()
  const intake = new Intake({
    store: faults.wrap(store),
    accounts,
    handover: scheduler,
    deriveText: () => '',
    limits: { maxMessageSize: 1_000_000, maxRecipients: 100 },
    metrics,
  })
  const principal = {
    keyId: key.id,
    companyId: company.id,
    scopes: new Set(key.scopes),
    domainId: null,
    address: '127.0.0.1',
  }
  const submit = (change: Partial<Submission> = {}) =>
    intake.submit(principal, {
      from: 'a@acme.test',
      to: ['to@x.test'],
      cc: [],
      bcc: [],
      replyTo: [],
      subject: 'Hello',
      text: 'It works.',
      headers: [],
      attachments: [],
      tags: [],
      variables: {},
      testMode: false,
      ...change,
    })
  return { ...bench, submit }
}

test('promised room is free again, whatever the outcome of the mail', async (t) => {
  const { domain, faults, scheduler, sink, store, submit } = await withIntake(t)
  const once = (fingerprint: string) => ({ idempotency: { key: 'once', fingerprint } })
  const refused = (code: Reason['code']) => (error: unknown) => {
    return error instanceof Refusal && error.reason.code === code
  }
  await suppress(store, domain.companyId, 'gone@x.test', 'asked to', Date.now())
  const first = await submit(once('a'))
  await sink.until(1)

  let sent = 1
  const ends: Record<string, () => Promise<unknown>> = {
    delivered: async () => {
      await submit()
      await sink.until(++sent)
    },
    'sent again under its key': async () => assert.deepEqual(await submit(once('a')), first),
    'another under the same key': () => assert.rejects(submit(once('b')), refused('idempotency_conflict')),
    'the store takes nothing': async () => {
      faults.refusing = new StoreUnavailable('the disk is full')
      await assert.rejects(submit(), refused('unavailable'))
    },
    'the store fails': async () => {
      faults.refusing = new Error('unheard of')
      await assert.rejects(submit(), /unheard of/)
    },
    'suppressed, all of it': () => submit({ to: ['gone@x.test'] }),
  }
  for (const [what, end] of Object.entries(ends)) {
    // Three times as often as there are places.
    for (let n = 0; n < 12; n++) await end()
    faults.refusing = null
    using place = scheduler.reserve(newEmail(domain.companyId, domain.id, 'to@x.test'))
    assert.ok(place, what)
  }
  assert.equal(sink.messages.length, sent)
})
