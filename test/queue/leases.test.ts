/** The leases that the scheduler hands out, and the fate of work whose lease is lost before it has begun. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveUp } from '../cluster/give-up.ts'
import { type Bench, newEmail, occupied, start, stateOf, until } from './scheduler-bench.ts'

/** How often this node beats decides how soon it notices. */
const TIMEOUT = 300

/** Another node takes this one for dead, it finds that out, and its work is due again. Returns the token that it had. */
async function loseLease({ store, membership }: Bench): Promise<number> {
  const { token } = membership.lease!
  await giveUp(store, token)
  await until(() => membership.mayBegin && membership.lease!.token !== token)
  await store.recover({ now: Date.now(), jitterMs: 0 })
  return token
}

/** Accepted in the store under a lease that the scheduler gave, and not yet handed over. */
async function committed({ scheduler, store, domain }: Bench, to: string) {
  const email = newEmail(domain.companyId, domain.id, to)
  const place = scheduler.reserve(email)
  assert.ok(place)
  const accepted = await store.accept(email, place.lease)
  assert.ok(accepted.kind === 'accepted')
  const handOver = () => {
    using _ = place
    place.begin(email, accepted.leased)
  }
  return { email, handOver }
}

async function refusedResults({ metrics }: Bench): Promise<number> {
  return (await metrics.fenced.get()).values[0]?.value ?? 0
}

test('mail taken under a lost lease is not begun: it is sent under the next one', async (t) => {
  const bench = await occupied(t, { timeoutMs: TIMEOUT })
  const { accept, deliveries, first, release, scheduler, sink, store } = bench
  const second = await accept('second@x.test')
  assert.equal(scheduler.counts.ready, 1)
  const third = await committed(bench, 'third@x.test')
  const lost = await loseLease(bench)
  third.handOver()
  release()
  await sink.until(3)
  for (const email of [first, second, third.email]) {
    await until(async () => (await stateOf(store, email)).state === 'delivered')
  }
  const begun = deliveries.filter(({ leaseToken }) => leaseToken === lost)
  assert.deepEqual(
    begun.map(({ email }) => email.id),
    [first.id],
  )
  assert.equal(sink.messages.length, 3)
  assert.equal(await refusedResults(bench), 1)
})

test('a stop gives back nothing of a lease that is lost: others may have it', async (t) => {
  const bench = await occupied(t, { timeoutMs: TIMEOUT })
  const { accept, release, scheduler } = bench
  await accept('second@x.test')
  assert.equal(scheduler.counts.ready, 1)
  const third = await committed(bench, 'third@x.test')
  await loseLease(bench)
  const stopped = scheduler.stop(10_000)
  third.handOver()
  release()
  await stopped
  // That of the first, which was under way.
  assert.equal(await refusedResults(bench), 1)
})

test('no lease is handed out while nothing may begin', async (t) => {
  const bench = await start(t, { begun: false })
  const { accept, domain, errors, faults, membership, right, scheduler, store } = bench
  const email = newEmail(domain.companyId, domain.id, 'to@x.test')
  const handsOut = () => {
    using place = scheduler.reserve(email)
    return place !== null
  }
  assert.equal(handsOut(), false, 'before the start')
  await scheduler.start()
  assert.equal(handsOut(), true)

  faults.failing = true
  const first = await accept('first@x.test')
  await until(() => errors.length > 0)
  assert.equal(handsOut(), false, 'while results cannot be recorded')
  faults.failing = false
  await until(async () => (await stateOf(store, first)).state === 'delivered')
  await until(handsOut)

  right.end()
  assert.equal(handsOut(), false, 'without the right to send')
  right.grant(membership.lease!.token, Number.POSITIVE_INFINITY)
  assert.equal(handsOut(), true)

  const stopped = scheduler.stop(1_000)
  assert.equal(handsOut(), false, 'during the stop')
  await stopped
  assert.equal(handsOut(), false, 'after the stop')
})
