import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SourcePool } from '../../src/accounts/account.ts'
import { warmUpDay } from '../../src/accounts/warm-up-day.ts'
import { DAY_MS } from '../../src/common/utc-day.ts'
import { type Path, pathOf } from '../../src/delivery/path/path.ts'
import { untriedOf } from '../../src/email/codec.ts'
import { type ReturnReason, returnRecord } from '../../src/queue/attempt.ts'
import { RetrySchedule } from '../../src/queue/retry-schedule.ts'
import { WarmUp } from '../../src/queue/warm-up.ts'
import { openStore } from '../../src/store/open.ts'
import type { ClaimedEmail, WarmUpCount } from '../../src/store/store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { to } from '../store/samples.ts'
import { pathTo, readyFor } from './paths.ts'

function pathFrom(address: string, site: string): Path {
  const source = { name: address, helo: 'mail.acme.test', addresses: { ipv4: address, ipv6: null } }
  return pathOf({ ...pathTo(site), source })
}

test('an address in warm-up sends no more to a site than on its day, over a restart, and more on the next day', async (t) => {
  const path = join(temporaryDirectory(t), 'a.db')
  const store = await openStore({ engine: 'sqlite', path }, { exclusive: false })
  t.after(() => store.close())
  const now = Date.now()
  const pool: SourcePool = {
    ...{ name: 'news', addresses: ['192.0.2.1', '192.0.2.2'], createdAt: now },
    warming: { '192.0.2.1': now },
  }
  const pools = [pool]
  const opened = async () => {
    const warmUp = new WarmUp({ store, pools: () => pools, schedule: [2, 3] })
    await warmUp.start()
    return warmUp
  }
  const [fresh, other] = [pathFrom('192.0.2.1', 'x.test'), pathFrom('192.0.2.1', 'y.test')]
  const first = await opened()
  for (let n = 0; n < 2; n++) {
    assert.equal(first.closedFor(fresh, now, now), null)
    first.begun(fresh, now)
  }
  assert.deepEqual(first.progress(fresh, now), { day: 1, messages: 2, limit: 2 })
  assert.equal(first.progress(pathFrom('192.0.2.2', 'x.test'), now), null)
  const waits = first.closedFor(fresh, now, now)!
  assert.equal(warmUpDay(now, waits.dueAt), 2)
  assert.match(waits.message, /192\.0\.2\.1 is warming up and may send 2 messages to x\.test today/)
  assert.equal(first.allows(other, now), true, 'each site has a limit of its own')
  assert.equal(first.allows(pathFrom('192.0.2.2', 'x.test'), now), true, 'a warm address has none')
  await first.stop()

  const second = await opened()
  assert.equal(second.allows(fresh, now), false)
  const tomorrow = now + DAY_MS
  for (let n = 0; n < 3; n++) {
    assert.equal(second.allows(fresh, tomorrow), true)
    second.begun(fresh, tomorrow)
  }
  assert.equal(second.allows(fresh, tomorrow), false)
  assert.equal(second.allows(fresh, now + 2 * DAY_MS), true, 'the schedule is over')
  await second.stop()
})

test('mail that waits for the next day is never given up, the oldest goes first, and later trouble counts from then on', async (t) => {
  const path = join(temporaryDirectory(t), 'a.db')
  const store = await openStore({ engine: 'sqlite', path }, { exclusive: false })
  t.after(() => store.close())
  const start = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const pools: SourcePool[] = [
    { ...{ name: 'news', addresses: ['192.0.2.1'], createdAt: start }, warming: { '192.0.2.1': start } },
  ]
  const warmUp = new WarmUp({ store, pools: () => pools, schedule: [1, 2] })
  await warmUp.start()
  const fresh = pathFrom('192.0.2.1', 'x.test')
  const noon = start + DAY_MS / 2
  warmUp.begun(fresh, noon)
  const [old, young] = [noon - 10 * DAY_MS, noon].map((acceptedAt) => {
    return warmUp.closedFor(fresh, acceptedAt, noon)!
  }) as [ReturnReason, ReturnReason]
  assert.ok(old.dueAt < young.dueAt, `${old.dueAt} < ${young.dueAt}`)
  assert.equal(warmUpDay(start, old.dueAt), 2)

  // It has waited for longer than the whole schedule, and met trouble before.
  const schedule = new RetrySchedule([60_000])
  const recipient = { ...untriedOf(to('to@x.test'), 0), postponedSince: noon - 9 * DAY_MS }
  const email = { id: 'e', companyId: 'c', domainId: 'd', giveUpAt: null } as ClaimedEmail
  const ready = readyFor('c', fresh, { email, recipients: [recipient] })
  const { decision } = returnRecord(ready, old, schedule, noon).recipients[0]!
  assert.equal(decision.change?.state, 'waiting')
  assert.equal(decision.change?.dueAt, old.dueAt)
  assert.ok(decision.change!.postponedSince! >= noon)

  // On the next day, mail that is accepted then leaves the number of the day to mail that has waited.
  const midnight = start + DAY_MS
  const late = warmUp.closedFor(fresh, midnight + 1, midnight + 1)!
  assert.equal(late.dueAt, midnight + 10 * 60_000)
  assert.match(late.message, /older mail to x\.test goes first/)
  assert.ok(young.dueAt < late.dueAt)
  assert.equal(warmUp.closedFor(fresh, noon, midnight + 1), null)
  assert.equal(warmUp.closedFor(fresh, midnight + 1, late.dueAt), null)
  const other = pathFrom('192.0.2.1', 'y.test')
  assert.equal(warmUp.closedFor(other, midnight + 1, midnight + 1), null, 'nothing waits for it')
  await warmUp.stop()
})

test('an address that moves to another node sends no more than on its day', async (t) => {
  const path = join(temporaryDirectory(t), 'a.db')
  const store = await openStore({ engine: 'sqlite', path }, { exclusive: false })
  t.after(() => store.close())
  const now = Date.now()
  const pools: SourcePool[] = [
    { ...{ name: 'news', addresses: ['192.0.2.1'], createdAt: now }, warming: { '192.0.2.1': now } },
  ]
  const nodes = [1, 2].map(() => new WarmUp({ store, pools: () => pools, schedule: [3] }))
  for (const node of nodes) await node.start()
  const [one, two] = nodes as [WarmUp, WarmUp]
  const fresh = pathFrom('192.0.2.1', 'x.test')
  for (let n = 0; n < 2; n++) one.begun(fresh, now)
  await one.stop()
  two.begun(fresh, now)
  await two.stop()
  assert.equal(two.allows(fresh, now), false)
})

test('messages of one day are never counted for the next, whether they are unwritten at midnight or fail to be written', async () => {
  const now = Date.now()
  const pools: SourcePool[] = [
    { ...{ name: 'news', addresses: ['192.0.2.1'], createdAt: now }, warming: { '192.0.2.1': now } },
  ]
  const written: [day: number, messages: number[]][] = []
  let fail: ((error: Error) => void) | null = null
  const started = async (fails: boolean) => {
    const countWarmUp = async (day: number, counts: readonly WarmUpCount[]) => {
      if (fails && fail === null) await new Promise<void>((_, reject) => (fail = reject))
      written.push([day, counts.map(({ messages }) => messages)])
    }
    const store = { warmUpCounts: async () => [], countWarmUp }
    const warmUp = new WarmUp({ store, pools: () => pools, schedule: [5, 5] })
    await warmUp.start()
    return warmUp
  }
  const path = pathFrom('192.0.2.1', 'x.test')
  const tomorrow = now + DAY_MS
  const day = Math.floor(tomorrow / DAY_MS)
  const idle = await started(false)
  for (let n = 0; n < 2; n++) idle.begun(path, now)
  idle.begun(path, tomorrow)
  await idle.stop()
  assert.deepEqual(written.splice(0), [[day, [1]]])

  const failing = await started(true)
  for (let n = 0; n < 2; n++) failing.begun(path, now)
  const stopped = failing.stop()
  while (fail === null) await new Promise(setImmediate)
  failing.begun(path, tomorrow)
  ;(fail as (error: Error) => void)(new Error('disk full'))
  await stopped
  await failing.stop()
  assert.deepEqual(written, [[day, [1]]])
})
