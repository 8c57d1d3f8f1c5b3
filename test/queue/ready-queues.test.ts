import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Path } from '../../src/delivery/path/path.ts'
import type { ReadyDelivery } from '../../src/queue/deliveries.ts'
import { type ReadyLimits, ReadyQueues } from '../../src/queue/ready-queues.ts'
import type { ClaimedRecipient } from '../../src/store/store.ts'
import { pathTo, readyFor } from './paths.ts'

const LIMITS: ReadyLimits = {
  concurrency: 8,
  maxDeliveries: 1_000,
  maxBytes: 1_000_000,
  maxLargeBytes: 8_000_000,
}
const LARGE = 1_000_000
/** Sessions of a path. */
const SESSIONS = 3

function readyQueues({ sessions = SESSIONS, ...limits }: Partial<ReadyLimits> & { sessions?: number } = {}) {
  return new ReadyQueues({ ...LIMITS, ...limits }, () => sessions)
}

function ready(
  companyId: string,
  to: string | Path,
  size = 10,
  messageSize = size,
  domains: string[] = [],
): ReadyDelivery {
  const path = typeof to === 'string' ? pathTo(to) : to
  const recipients = domains.map((domain) => ({ domain }) as ClaimedRecipient)
  return readyFor(companyId, path, { recipients, size, messageSize })
}

function takeAll(queues: ReadyQueues): ReadyDelivery[] {
  const taken: ReadyDelivery[] = []
  for (let next = queues.take(); next !== null; next = queues.take()) taken.push(next)
  return taken
}

test('deliveries of one company to one site start in the order they came', () => {
  const queues = readyQueues()
  const all = [ready('a', 'x.test'), ready('a', 'x.test'), ready('a', 'x.test')]
  for (const one of all) queues.push(one)
  assert.deepEqual(takeAll(queues), all)
})

test('companies take turns, however much one of them has waiting', () => {
  const queues = readyQueues({ sessions: 100, concurrency: 8 })
  for (let i = 0; i < 50; i++) queues.push(ready('big', 'relay'))
  for (let i = 0; i < 3; i++) queues.push(ready('small', 'relay'))
  const first = takeAll(queues).map(({ email }) => email.companyId)
  assert.equal(first.filter((company) => company === 'small').length, 3)
})

test('deliveries to a path of other nodes are withdrawn, and the rest goes on', () => {
  const queues = readyQueues()
  for (let i = 0; i < 5; i++) {
    for (const company of ['a', 'b']) {
      queues.push(ready(company, 'left.test', i === 4 ? LARGE : 10))
      queues.push(ready(company, 'own.test'))
    }
  }
  const begun = [queues.take()!, queues.take()!]
  const withdrawn = queues.withdraw(({ site }) => site.name === 'left.test')
  const wasLeft = begun.filter(({ path }) => path.site.name === 'left.test').length
  assert.equal(withdrawn.length, 10 - wasLeft)
  const rest = [...begun]
  for (let next = queues.take(); next !== null || begun.length > 0; next = queues.take()) {
    if (next !== null) {
      assert.equal(next.path.site.name, 'own.test')
      begun.push(next)
      rest.push(next)
    } else queues.done(begun.pop()!)
  }
  assert.equal(rest.length, 10 + wasLeft)
  assert.deepEqual([queues.busy, queues.holdings.waiting], [0, 0])
})

test('a company that the servers of a path limit takes less there, and others go on', () => {
  const limits = new Map([['a', 1]])
  let waits = false
  const queues = new ReadyQueues(LIMITS, () => SESSIONS, undefined, {
    limitOf: (_, companyId) => limits.get(companyId) ?? Number.POSITIVE_INFINITY,
    takesMore: (_, companyId) => companyId !== 'a' || !waits,
    mostWaiting: ({ limits }) => limits.waiting,
  })
  for (let i = 0; i < 4; i++) for (const company of ['a', 'a', 'b']) queues.push(ready(company, 'x.test'))
  queues.push(ready('a', 'y.test'))
  const companies = (taken: ReadyDelivery[]) =>
    taken.map(({ email, path }) => `${email.companyId} ${path.site.name}`).toSorted()
  const taken = takeAll(queues)
  assert.deepEqual(companies(taken), ['a x.test', 'a y.test', 'b x.test', 'b x.test'])
  const own = taken.find(({ email, path }) => email.companyId === 'a' && path.site.name === 'x.test')!
  assert.deepEqual([queues.busyOn(own.path), queues.busyOn(own.path, 'a')], [3, 1])
  queues.done(own)
  const next = takeAll(queues)
  assert.equal(next.length, 1)
  // The company waits: others get its room, and it goes on when it may.
  waits = true
  for (const each of [...taken, ...next]) if (each !== own) queues.done(each)
  assert.ok(takeAll(queues).every(({ email }) => email.companyId === 'b'))
  waits = false
  queues.pathFree(own.path.key)
  assert.deepEqual(companies(takeAll(queues)), ['a x.test'])
})

test('a path takes no more sessions than its limit, and gets the next when one ends', () => {
  const queues = readyQueues()
  for (let i = 0; i < 5; i++) queues.push(ready('a', 'x.test'))
  const taken = takeAll(queues)
  assert.equal(taken.length, SESSIONS)
  assert.equal(queues.holdings.waiting, 2)
  queues.done(taken[0]!)
  assert.equal(takeAll(queues).length, 1)
})

test('a path without free sessions does not hold up the company behind it', () => {
  const queues = readyQueues()
  for (let i = 0; i < 10; i++) queues.push(ready('a', 'dead.test'))
  takeAll(queues)
  queues.push(ready('a', 'alive.test'))
  assert.deepEqual(
    takeAll(queues).map(({ path }) => path.site.name),
    ['alive.test'],
  )
})

test('a company with many dead sites leaves a quarter of the sessions to others', () => {
  const queues = readyQueues()
  for (let i = 0; i < 50; i++) queues.push(ready('a', `dead${i}.test`))
  assert.equal(takeAll(queues).length, 6)
  queues.push(ready('b', 'alive.test'))
  assert.deepEqual(
    takeAll(queues).map(({ email }) => email.companyId),
    ['b'],
  )
})

test('the company with the fewest sessions is served first', () => {
  const queues = readyQueues({ concurrency: 4 })
  for (let i = 0; i < 3; i++) queues.push(ready('a', `a${i}.test`))
  const held = takeAll(queues)
  for (let i = 0; i < 3; i++) queues.push(ready('a', `more${i}.test`))
  queues.push(ready('b', 'b.test'))
  assert.deepEqual(
    takeAll(queues).map(({ email }) => email.companyId),
    ['b'],
  )
  assert.equal(held.length, 3)
})

test('full lanes and full companies are named, and the remaining room is counted', () => {
  const queues = readyQueues({ maxDeliveries: 6 })
  const [x, y] = [pathTo('x.test', { waiting: 2 }), pathTo('y.test', { waiting: 2 })]
  const two = [ready('a', x), ready('a', x)]
  for (const one of two) queues.push(one)
  const { companies, lanes } = queues.room.full()
  assert.deepEqual(companies, [])
  assert.deepEqual(
    lanes.map(({ companyId, waiting }) => [companyId, ...waiting]),
    [['a', ...two]],
  )
  assert.equal(queues.room.hasRoom('a', x), false)
  assert.equal(queues.room.hasRoom('a', y), true)
  queues.push(ready('a', y))
  assert.deepEqual(queues.room.full(), { companies: ['a'], lanes: [] })
  assert.equal(queues.room.hasRoom('a', y), false)
  assert.equal(queues.holdings.room, 3)
})

test('a company that has nothing yet is let in although the memory is full of messages of others', () => {
  const queues = readyQueues({ maxBytes: 100 })
  queues.push(ready('a', 'x.test', 60))
  assert.equal(queues.room.hasRoom('a', pathTo('x.test')), false)
  queues.push(ready('b', 'y.test', 60))
  assert.equal(queues.room.hasRoom('c', pathTo('z.test')), true)
  assert.deepEqual(queues.room.full().companies, ['a', 'b'])
  for (let next = queues.take(); next !== null; next = queues.take());
  // Octets of deliveries under way count too: they are in memory until these have ended.
  assert.deepEqual(queues.room.full().companies, ['a', 'b'])
})

test('the octets of a company that goes on are free again when a delivery has ended, or was given back', () => {
  const queues = readyQueues({ maxBytes: 100 })
  const fill = () => {
    let n = 0
    for (; queues.room.hasRoom('a', pathTo('x.test')); n++) queues.push(ready('a', 'x.test', 20))
    return n
  }
  const first = fill()
  assert.ok(queues.holdings.bytes >= 20 && queues.holdings.bytes <= 100)
  const [ended, ...goOn] = takeAll(queues)
  assert.equal(fill(), 0)
  queues.done(ended!)
  assert.equal(fill(), 1)
  assert.equal(queues.drain().length, first - goOn.length)
  assert.equal(queues.holdings.bytes, goOn.length * 20)
  assert.equal(fill(), first - goOn.length)
  assert.equal(queues.holdings.waiting, first - goOn.length)
})

test('there is never less than no room, and nothing more is let in than there are places', () => {
  const queues = readyQueues({ maxDeliveries: 6 })
  for (let n = 0; n < 10; n++) queues.push(ready(`company ${n}`, 'x.test'))
  assert.equal(queues.holdings.room, 0)
  assert.equal(queues.holdings.waiting, 10)
  // All are at their share; only one that has nothing yet is let in.
  assert.equal(queues.room.full().companies.length, 10)
  assert.equal(queues.room.hasRoom('company 0', pathTo('y.test')), false)
  assert.equal(queues.room.hasRoom('another', pathTo('x.test')), true)
  while (queues.holdings.waiting > 3) for (const one of takeAll(queues)) queues.done(one)
  assert.equal(queues.holdings.room, 6 - queues.holdings.waiting)
})

test('the first messages of many companies do not fill the memory either', () => {
  const queues = readyQueues({ maxBytes: 100 })
  let admitted = 0
  for (let n = 0; n < 50; n++) {
    if (!queues.room.hasRoom(`company ${n}`, pathTo('x.test'))) continue
    queues.push(ready(`company ${n}`, 'x.test', 30))
    admitted++
  }
  assert.equal(admitted, 7)
  assert.equal(queues.holdings.overfull, true)
})

for (const noisy of [1, 2, 3, 20]) {
  test(`${noisy} companies, one after the other, with more dead sites than sessions leave some to the next`, () => {
    const queues = readyQueues({ concurrency: 200, sessions: 20, maxDeliveries: 2_000 })
    for (let company = 0; company < noisy; company++) {
      for (let i = 0; i < 3_000; i++) {
        const site = `dead${i % 100}.test`
        if (queues.room.hasRoom(`noisy ${company}`, pathTo(site)))
          queues.push(ready(`noisy ${company}`, site))
      }
      takeAll(queues)
    }
    assert.equal(takeAll(queues).length, 0)
    assert.ok(queues.room.hasRoom('quiet', pathTo('alive.test')))
    queues.push(ready('quiet', 'alive.test'))
    assert.deepEqual(
      takeAll(queues).map(({ email }) => email.companyId),
      ['quiet'],
    )
  })
}

test('a free session of a site goes to the first company that may use it', () => {
  const queues = readyQueues({ concurrency: 4, sessions: 1 })
  queues.push(ready('c', 'x.test'))
  const [first] = takeAll(queues)
  for (const site of ['p.test', 'q.test', 'r.test']) queues.push(ready('a', site))
  takeAll(queues)
  queues.push(ready('a', 'x.test'))
  queues.push(ready('b', 'x.test'))
  takeAll(queues)
  queues.done(first!)
  assert.deepEqual(
    takeAll(queues).map(({ email }) => email.companyId),
    ['b'],
  )
})

test('large messages are begun only while those under way leave room, which no company takes alone', () => {
  const queues = readyQueues({ concurrency: 200, sessions: 20 })
  for (let i = 0; i < 40; i++) queues.push(ready('a', `x${i % 4}.test`, 10, LARGE))
  const taken = takeAll(queues)
  assert.equal(taken.length, 4)
  for (let i = 0; i < 40; i++) queues.push(ready('b', 'x1.test', 10, LARGE))
  queues.push(ready('a', 'y.test'))
  queues.push(ready('c', 'x1.test', 10, LARGE))
  const more = takeAll(queues)
  assert.deepEqual(
    Array.from(
      Map.groupBy(more, ({ email }) => email.companyId),
      ([id, { length }]) => [id, length],
    ).sort(),
    [
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ],
  )
  let begun = taken.length + more.length
  for (const busy = [...taken, ...more]; busy.length > 0; ) {
    queues.done(busy.shift()!)
    const next = takeAll(queues)
    begun += next.length
    busy.push(...next)
    assert.ok(busy.filter(({ messageSize }) => messageSize === LARGE).length <= 8)
  }
  assert.equal(begun, 82)
})

test('a session that a large message leaves unused goes to the next in line for the site', () => {
  const queues = readyQueues({ concurrency: 20, sessions: 1, maxLargeBytes: LARGE })
  const first = ready('b', 'x.test')
  queues.push(first)
  takeAll(queues)
  queues.push(ready('a', 'y.test', 10, LARGE))
  takeAll(queues)
  queues.push(ready('a', 'x.test', 10, LARGE))
  queues.push(ready('b', 'x.test'))
  takeAll(queues)
  queues.done(first)
  assert.deepEqual(
    takeAll(queues).map(({ email }) => email.companyId),
    ['b'],
  )
})

test('nothing is lost, doubled or over a limit, whatever comes and ends in whatever order', () => {
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 5 }), fc.boolean()),
    },
    { weight: 2, arbitrary: fc.nat() },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queues = readyQueues({ maxLargeBytes: 2 * LARGE })
      const pushed = new Set<ReadyDelivery>()
      const begun = new Set<ReadyDelivery>()
      const busy: ReadyDelivery[] = []
      const start = () => {
        for (const one of takeAll(queues)) {
          assert.ok(pushed.has(one) && !begun.has(one))
          begun.add(one)
          busy.push(one)
        }
        const perSite = Map.groupBy(busy, ({ path }) => path.site.name)
        for (const sessions of perSite.values()) assert.ok(sessions.length <= SESSIONS)
        assert.ok(busy.length <= LIMITS.concurrency)
        assert.ok(busy.filter(({ messageSize }) => messageSize === LARGE).length <= 4)
        assert.equal(queues.busy, busy.length)
        assert.equal(queues.holdings.waiting, pushed.size - begun.size)
      }
      for (const one of steps) {
        if (typeof one === 'number') {
          if (busy.length > 0) queues.done(busy.splice(one % busy.length, 1)[0]!)
        } else {
          const [company, site, large] = one
          const delivery = ready(`c${company}`, `s${site}`, 10, large ? LARGE : 10)
          pushed.add(delivery)
          queues.push(delivery)
        }
        start()
      }
      while (busy.length > 0) {
        queues.done(busy.pop()!)
        start()
      }
      assert.equal(begun.size, pushed.size)
      assert.equal(queues.holdings.bytes, 0)
    }),
  )
})

test('draining gives back the deliveries that have not begun, and the queues can be used again', () => {
  const queues = readyQueues({ maxLargeBytes: LARGE })
  for (let i = 0; i < 5; i++) queues.push(ready('a', 'x.test'))
  for (let i = 0; i < 3; i++) queues.push(ready('a', 'y.test', 10, LARGE))
  const busy = takeAll(queues)
  assert.equal(queues.drain().length, 4)
  assert.equal(queues.holdings.waiting, 0)
  for (const one of busy) queues.done(one)
  queues.push(ready('a', 'x.test'))
  assert.equal(takeAll(queues).length, 1)
})

test('a path that is given more sessions uses them at once, for every company that waited', () => {
  let sessions = 2
  const queues = new ReadyQueues({ ...LIMITS, concurrency: 20 }, () => sessions)
  for (const company of ['a', 'b', 'c']) {
    for (let i = 0; i < 5; i++) queues.push(ready(company, 'x.test'))
  }
  assert.equal(takeAll(queues).length, 2)
  sessions = 6
  queues.limitsChanged()
  const more = takeAll(queues)
  assert.equal(more.length, 4)
  assert.deepEqual([...new Set(more.map(({ email }) => email.companyId))].sort(), ['a', 'b', 'c'])
  sessions = 1
  queues.limitsChanged()
  for (const one of more) queues.done(one)
  assert.deepEqual(takeAll(queues), [], 'two are still open')
})

test('waiting deliveries can be iterated', () => {
  const queues = readyQueues()
  const all = [ready('a', 'x.test'), ready('a', 'y.test'), ready('b', 'x.test'), ready('b', 'x.test')]
  for (const one of all) queues.push(one)
  const taken = queues.take()
  const rest = [...queues.deliveries()]
  assert.equal(rest.length, 3)
  assert.deepEqual(new Set(rest), new Set(all.filter((one) => one !== taken)))
})

test('paths on which a company is at its limit cost nothing when deliveries elsewhere end', () => {
  let limit = 2
  let asked = 0
  const queues = new ReadyQueues({ ...LIMITS, concurrency: 500 }, () => SESSIONS, undefined, {
    limitOf(_, companyId) {
      asked++
      return companyId === 'a' ? limit : SESSIONS
    },
    takesMore: () => true,
    mostWaiting: ({ limits }) => limits.waiting,
  })
  const sites = Array.from({ length: 100 }, (_, index) => `mx${index}.test`)
  for (const site of sites) for (let number = 0; number < 4; number++) queues.push(ready('a', site))
  const begun = takeAll(queues)
  assert.equal(begun.length, 2 * sites.length)
  const other = ready('b', 'other.test')
  queues.push(other)
  assert.deepEqual(takeAll(queues), [other])
  limit = 1
  const first = [...new Map(begun.map((one) => [one.path.key, one])).values()]
  for (const one of first) queues.done(one)
  assert.deepEqual(takeAll(queues), [])
  asked = 0
  queues.done(other)
  assert.ok(asked < 10, `${asked} looks`)
  // The next on each path begins when the one before has ended.
  for (const one of begun) if (!first.includes(one)) queues.done(one)
  assert.equal(takeAll(queues).length, sites.length)
})
