/** How many messages leave when: rates of a site and of all its nodes, and the replies of its servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NodeShares } from '../../src/queue/node-shares.ts'
import { Pacing } from '../../src/queue/pacing.ts'
import { Rate } from '../../src/queue/rate.ts'
import { RecentCount } from '../../src/queue/recent-count.ts'
import { nodes, pathTo } from './paths.ts'

const MINUTE = 60_000

function pacing(shares = new NodeShares()) {
  const clock = { now: 1_000_000 }
  return {
    clock,
    pacing: new Pacing(
      () => {},
      () => clock.now,
      shares,
    ),
  }
}

/** Sends as fast as the path takes it for so many milliseconds; gives the times. */
function sent(pace: Pacing, clock: { now: number }, path: ReturnType<typeof pathTo>, ms: number): number[] {
  const times: number[] = []
  for (const end = clock.now + ms; clock.now < end; clock.now += 50) {
    while (pace.takesMore(path)) {
      pace.begun(path)
      times.push(clock.now)
      if (times.length > 100_000) return times
    }
  }
  pace.stop()
  return times
}

function busiest(times: number[], windowMs: number): number {
  let most = 0
  let first = 0
  for (const [index, time] of times.entries()) {
    while (times[first]! <= time - windowMs) first++
    most = Math.max(most, index - first + 1)
  }
  return most
}

test('no window holds more than its number of messages, wherever it begins, and none is wasted', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), (most) => {
      const rate = new Rate(MINUTE)
      const times: number[] = []
      for (let now = 0; now < 5 * MINUTE; now += 7) {
        while (rate.wait(most, now) === 0) {
          rate.begin(most, now)
          times.push(now)
        }
      }
      assert.ok(busiest(times, MINUTE) <= most, `${busiest(times, MINUTE)} of ${most}`)
      assert.ok(times.length >= 4 * most * 0.85, `${times.length} in five minutes at ${most} a minute`)
    }),
    { numRuns: 50 },
  )
})

test('the hour counts as well as the minute', () => {
  const { clock, pacing: pace } = pacing()
  const path = pathTo('x.test', { messagesPerMinute: 60, messagesPerHour: 600 })
  const times = sent(pace, clock, path, 2 * 3_600_000)
  assert.ok(busiest(times, MINUTE) <= 60)
  assert.ok(busiest(times, 3_600_000) <= 600)
  assert.ok(times.length > 1_100, String(times.length))
})

test('nodes share the rate of a site', () => {
  const shares = new NodeShares()
  shares.set(nodes(1, 2, 3), 2)
  const { clock, pacing: pace } = pacing(shares)
  const times = sent(pace, clock, pathTo('x.test', { messagesPerMinute: 1 }), 30 * MINUTE)
  assert.equal(times.length, 10)
})

test('a site without a rate is not held up', () => {
  const { pacing: pace } = pacing()
  const path = pathTo('x.test')
  for (let n = 0; n < 10_000; n++) {
    assert.equal(pace.takesMore(path), true)
    pace.begun(path)
  }
})

test('a server that complains gets less than it took, at once, and slowly more', () => {
  const { clock, pacing: pace } = pacing()
  const path = pathTo('x.test')
  assert.equal(pace.tooMany(path, clock.now), false, 'it took nothing, so there is nothing to lower')
  // 80 a minute.
  for (let n = 0; n < 40; n++) {
    pace.accepted(path)
    clock.now += 750
  }
  const begunBefore = clock.now - 1
  assert.equal(pace.tooMany(path, clock.now), true)
  assert.equal(pace.tooMany(path, begunBefore), true, 'it began before, and shows nothing')
  clock.now += 1
  assert.equal(pace.tooMany(path, clock.now), true)
  const during = sent(pace, clock, path, MINUTE)
  assert.ok(during.length > 22 && during.length <= 30, String(during.length))

  for (let minute = 0; minute < 40; minute++) {
    clock.now += MINUTE
    pace.accepted(path)
  }
  for (let n = 0; n < 10_000; n++) {
    assert.equal(pace.takesMore(path), true, 'no limit any more')
    pace.begun(path)
  }
})

test('a server that took nothing gets one message a minute at first, and twice as many each minute', () => {
  const { clock, pacing: pace } = pacing()
  const path = pathTo('x.test')
  assert.equal(pace.tooMany(path, clock.now), false)
  pace.beginAnew(path)
  // The path is closed for a while, and found open.
  clock.now += 30_000
  const minutes: number[] = []
  for (let minute = 0; minute < 5; minute++) {
    pace.accepted(path)
    minutes.push(sent(pace, clock, path, MINUTE).length)
  }
  assert.deepEqual(minutes.slice(0, 2), [1, 2])
  assert.ok(minutes[4]! > 10 && minutes[4]! <= 17, minutes.join())
  // The complaints of the servers now show the limit.
  pace.accepted(path)
  assert.equal(pace.tooMany(path, clock.now), true)
  const [[, rate]] = [...pace.lowered()] as [[string, number, boolean]]
  assert.equal(rate, 16)
  clock.now += MINUTE
  pace.accepted(path)
  assert.deepEqual([...pace.lowered()], [[path.key, 20, false]])
})

test('the time that a server asks for is kept, within bounds', () => {
  const { clock, pacing: pace } = pacing()
  const path = pathTo('x.test')
  assert.equal(pace.pause(path, 30_000), 30_000)
  clock.now += 29_000
  assert.equal(pace.takesMore(path), false)
  clock.now += 1_000
  assert.equal(pace.takesMore(path), true)
  assert.equal(pace.pause(path, 24 * 3_600_000), 6 * 60 * MINUTE)
  pace.stop()
})

test('paths are reported when they are free, and only if mail waits for them', async () => {
  const freed = Promise.withResolvers<readonly string[]>()
  const pace = new Pacing((paths) => freed.resolve(paths))
  const path = pathTo('x.test', { messagesPerMinute: 600_000 })
  while (pace.takesMore(path)) pace.begun(path)
  assert.deepEqual(await freed.promise, [path.key])
})

test('a count forgets entries older than its slots', () => {
  const count = new RecentCount(60, 1_000)
  assert.equal(count.total(500), 0)
  for (let second = 0; second < 90; second++) count.add(second * 1_000)
  assert.equal(count.total(89_000), 60)
  assert.equal(count.total(100_500), 49)
  assert.equal(count.total(1e9), 0)
})

test('a complaint about the mail of one company is measured against the accepted mail of that company', () => {
  const { clock, pacing: pace } = pacing()
  const path = pathTo('x.test')
  const [small, large, none] = ['small', 'large', 'none'].map((name) => ({
    ...path,
    key: `${path.key}\0${name}`,
  }))
  for (let second = 0; second < 60; second++) {
    clock.now += 1_000
    for (let n = 0; n < 10; n++) pace.accepted(path, large)
    if (second % 3 === 0) pace.accepted(path, small)
  }
  assert.equal(pace.tooMany(small!, clock.now, path), true)
  assert.equal(pace.tooMany(large!, clock.now, path), true)
  assert.equal(pace.tooMany(none!, clock.now, path), false, 'nothing can be lowered')
  const lowered = new Map([...pace.lowered()].map(([key, rate]) => [key, rate]))
  assert.deepEqual([lowered.get(small!.key), lowered.get(large!.key)], [15, 457])
})

test('a message that was tried is not taken for one that was accepted', () => {
  const { pacing: pace } = pacing()
  const path = pathTo('refuses.test')
  const accepted = () =>
    [...pace.used()].map(({ lastMessageAt, lastAcceptedAt }) => [
      lastMessageAt !== null,
      lastAcceptedAt !== null,
    ])
  pace.begun(path)
  assert.deepEqual(accepted(), [[true, false]])
  pace.accepted(path)
  assert.deepEqual(accepted(), [[true, true]])
})

test('a path is known for a day after its last message, and no more than 200 such paths', () => {
  const { clock, pacing: pace } = pacing()
  const [first, later] = [pathTo('first.test'), pathTo('later.test')]
  pace.begun(first)
  clock.now += 5 * 60 * MINUTE
  pace.begun(later)
  const known = () => [...pace.used()].map(({ path, recent }) => [path.site.name, recent.hour])
  assert.deepEqual(known(), [
    ['later.test', 1],
    ['first.test', 0],
  ])
  assert.ok([...pace.used()].every(({ lastMessageAt }) => lastMessageAt !== null))
  clock.now += 19 * 60 * MINUTE + 1
  assert.deepEqual(known(), [['later.test', 0]])
  for (let n = 0; n < 300; n++) pace.begun(pathTo(`many${n}.test`))
  assert.equal(known().length, 301, 'all of the last hour')
  clock.now += 2 * 60 * MINUTE
  assert.equal(known().length, 200)
  assert.deepEqual(known()[0], ['many299.test', 0])
})

test('a pause that another node has learnt is forgotten once it is over', () => {
  let now = 0
  const pacing = new Pacing(
    () => {},
    () => now,
  )
  pacing.learnPause('path', Date.now() + 1_000)
  assert.deepEqual(
    [...pacing.paused()].map(([key]) => key),
    ['path'],
  )
  now += 2_000
  assert.deepEqual([...pacing.paused()], [])
  assert.equal(pacing.knows('path'), false)
})
