import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SourcePool } from '../../src/accounts/account.ts'
import { warmUpDay } from '../../src/accounts/warm-up-day.ts'
import { DAY_MS } from '../../src/common/utc-day.ts'
import { type Path, pathOf } from '../../src/delivery/path/path.ts'
import { untriedOf } from '../../src/email/codec.ts'
import { type GiveBackReason, giveBackRecord } from '../../src/queue/attempt.ts'
import { NodeShares } from '../../src/queue/node-shares.ts'
import { RetrySchedule } from '../../src/queue/retry-schedule.ts'
import { WarmUp, type WarmUpParts } from '../../src/queue/warm-up.ts'
import type { ClaimedEmail } from '../../src/store/store.ts'
import { openedSqlite } from '../store/opened.ts'
import { to } from '../store/samples.ts'
import { nodes, pathTo, readyFor } from './paths.ts'

function pathFrom(address: string, site: string): Path {
  const source = { name: address, helo: 'mail.acme.test', addresses: { ipv4: address, ipv6: null } }
  return pathOf({ ...pathTo(site), source })
}

/** A node that delivers. */
async function startNode(
  store: WarmUpParts['store'],
  {
    warming = Date.now(),
    schedule,
    addresses = ['192.0.2.1'],
    tokens = [1],
    remembered,
  }: {
    warming?: number
    schedule: number[]
    addresses?: string[]
    tokens?: number[]
    remembered?: number
  },
) {
  const pools: SourcePool[] = [
    { name: 'news', addresses, createdAt: warming, warming: { '192.0.2.1': warming } },
  ]
  const answers: ((paths: readonly string[]) => void)[] = []
  const free = (paths: readonly string[]) => {
    for (const answer of answers.splice(0)) answer(paths)
  }
  const shares = new NodeShares()
  shares.set(nodes(...tokens), tokens[0]!)
  const warmUp = new WarmUp({
    store,
    shares,
    pools: () => pools,
    schedule,
    free,
    ...(remembered && { remembered }),
  })
  await warmUp.start()
  /** Sends a message as the queue does; false: the day's number is used up. */
  const send = async (path: Path, now: number): Promise<boolean> => {
    while (!warmUp.takesMore(path, now)) await new Promise((resolve) => answers.push(resolve))
    if (warmUp.closedFor(path, now, now) !== null) return false
    warmUp.begun(path, now)
    return true
  }
  return { warmUp, send }
}

test('an address in warm-up sends no more to a site than on its day, over a restart, and more on the next day', async (t) => {
  const store = await openedSqlite(t)
  const now = Date.now()
  const settings = { warming: now, schedule: [2, 3], addresses: ['192.0.2.1', '192.0.2.2'] }
  const [fresh, other] = [pathFrom('192.0.2.1', 'x.test'), pathFrom('192.0.2.1', 'y.test')]
  const { warmUp: first, send } = await startNode(store, settings)
  for (let n = 0; n < 2; n++) assert.equal(await send(fresh, now), true)
  assert.equal(await send(fresh, now), false)
  assert.deepEqual(first.progress(fresh, now), { day: 1, messages: 2, limit: 2 })
  assert.equal(first.progress(pathFrom('192.0.2.2', 'x.test'), now), null)
  const waits = first.closedFor(fresh, now, now)!
  assert.equal(warmUpDay(now, waits.dueAt), 2)
  assert.match(waits.message, /192\.0\.2\.1 is warming up and may send 2 messages to x\.test today/)
  assert.equal(first.allows(other, now), true, 'each site has a limit of its own')
  const warm = pathFrom('192.0.2.2', 'x.test')
  assert.equal(first.allows(warm, now) && first.takesMore(warm, now), true, 'a warm address has none')
  await first.stop()

  const second = await startNode(store, settings)
  assert.equal(second.warmUp.allows(fresh, now), false)
  const tomorrow = Math.floor(now / DAY_MS) * DAY_MS + 1.5 * DAY_MS
  for (let n = 0; n < 3; n++) assert.equal(await second.send(fresh, tomorrow), true)
  assert.equal(await second.send(fresh, tomorrow), false)
  assert.equal(second.warmUp.allows(fresh, tomorrow + DAY_MS), true, 'the schedule is over')
  await second.warmUp.stop()
})

test('mail that waits for the next day is never given up, the oldest goes first, and later trouble counts from then on', async (t) => {
  const start = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const { warmUp, send } = await startNode(await openedSqlite(t), { warming: start, schedule: [1, 2] })
  const fresh = pathFrom('192.0.2.1', 'x.test')
  const noon = start + DAY_MS / 2
  assert.equal(await send(fresh, noon), true)
  const [old, young] = [noon - 10 * DAY_MS, noon].map((acceptedAt) => {
    return warmUp.closedFor(fresh, acceptedAt, noon)!
  }) as [GiveBackReason, GiveBackReason]
  assert.ok(old.dueAt < young.dueAt, `${old.dueAt} < ${young.dueAt}`)
  assert.equal(warmUpDay(start, old.dueAt), 2)

  // It has waited for longer than the whole schedule, and met trouble before.
  const schedule = new RetrySchedule([60_000])
  const recipient = { ...untriedOf(to('to@x.test'), 0), postponedSince: noon - 9 * DAY_MS }
  const email = { id: 'e', companyId: 'c', domainId: 'd', giveUpAt: null } as ClaimedEmail
  const ready = readyFor('c', fresh, { email, recipients: [recipient] })
  const { decision } = giveBackRecord(ready, old, schedule, noon).recipients[0]!
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

test('nodes that share an address send the number of the day together, to the last message', async (t) => {
  const store = await openedSqlite(t)
  const now = Date.now()
  const both = [
    await startNode(store, { warming: now, schedule: [50], tokens: [1, 2] }),
    await startNode(store, { warming: now, schedule: [50], tokens: [2, 1] }),
  ]
  const fresh = pathFrom('192.0.2.1', 'x.test')
  let sent = 0
  const sendAll = async ({ send }: (typeof both)[number]) => {
    while (await send(fresh, now)) sent++
  }
  await Promise.all(both.map(sendAll))
  assert.equal(sent, 50)
  for (const { warmUp } of both) await warmUp.stop()
  const [count] = await store.warmUpCounts(Math.floor(now / DAY_MS), 1)
  assert.equal(count?.messages, 50)
})

test('messages that a node took and did not send are left to the others', async (t) => {
  const store = await openedSqlite(t)
  const now = Date.now()
  const [one, two] = [
    await startNode(store, { warming: now, schedule: [10] }),
    await startNode(store, { warming: now, schedule: [10] }),
  ]
  const fresh = pathFrom('192.0.2.1', 'x.test')
  assert.equal(await one.send(fresh, now), true)
  assert.deepEqual(one.warmUp.progress(fresh, now)?.messages, 1)
  await one.warmUp.stop()
  let sent = 0
  while (await two.send(fresh, now)) sent++
  assert.equal(sent, 9)
  await two.warmUp.stop()
})

test('when the store cannot be asked, mail waits, and messages of one day are never counted for the next', async () => {
  const now = Date.now()
  const [day, tomorrow] = [Math.floor(now / DAY_MS), now + DAY_MS]
  const written: [day: number, messages: number[]][] = []
  let failing = true
  const store: WarmUpParts['store'] = {
    warmUpCounts: async () => [],
    takeWarmUp: async (day, wanted) => {
      if (failing) throw new Error('disk full')
      written.push([day, wanted.map(({ most }) => most)])
      return wanted.map(({ source, site, most }) => ({ source, site, messages: most, taken: most }))
    },
    countWarmUp: async (day, counts) => {
      written.push([day, counts.map(({ messages }) => messages)])
    },
  }
  const { warmUp, send } = await startNode(store, { warming: now, schedule: [20, 20] })
  const path = pathFrom('192.0.2.1', 'x.test')
  const sending = send(path, now)
  await new Promise(setImmediate)
  assert.deepEqual(warmUp.progress(path, now)?.messages, 0)
  failing = false
  assert.equal(await sending, true)
  assert.equal(await send(path, tomorrow), true)
  await warmUp.stop()
  assert.deepEqual(written, [
    [day, [5]],
    [day + 1, [5]],
    [day + 1, [-4]],
  ])
})

test('the day of a site ends at its number, however many other sites got mail since', async (t) => {
  const now = Date.now()
  const { warmUp, send } = await startNode(await openedSqlite(t), { schedule: [2, 5], remembered: 10 })
  const full = pathFrom('192.0.2.1', 'full.test')
  assert.deepEqual([await send(full, now), await send(full, now), await send(full, now)], [true, true, false])
  for (let n = 0; n < 400; n++) assert.ok(await send(pathFrom('192.0.2.1', `n${n}.test`), now))
  assert.equal(await send(full, now), false)
  await warmUp.stop()
})
