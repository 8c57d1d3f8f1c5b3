import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { DeliveryResult } from '../../src/delivery/delivery.ts'
import { type Path, pathOf } from '../../src/delivery/path/path.ts'
import { ProbePauses } from '../../src/delivery/route/probe-pauses.ts'
import { Pacing } from '../../src/queue/pacing.ts'
import { PathHealth } from '../../src/queue/path-health.ts'
import { PathSharing } from '../../src/queue/path-sharing.ts'
import { SessionLimits } from '../../src/queue/session-limits.ts'
import type { Store } from '../../src/store/store.ts'
import { openedPostgres, openedSqlite } from '../store/opened.ts'
import { node } from '../store/samples.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { ended, pathTo, readyFor } from './paths.ts'

const log = { info() {}, warn() {}, error() {} }

const DELIVERY: DeliveryResult = {
  outcomes: [{ position: 0, verdict: 'delivered', message: 'yes' }],
  ...{ server: 'mx', dialogue: '', startedAt: 0, duration: 1, tls: null },
}
const BUSY: DeliveryResult = {
  ...DELIVERY,
  outcomes: [{ position: 0, verdict: 'postponed', message: 'no' }],
  pathTrouble: { kind: 'busy', met: 'session', message: 'too much mail' },
}

/** The same path from an address that all nodes have. */
function fromShared({ key: _, ...path }: Path): Path {
  const addresses = { ipv4: '192.0.2.1', ipv6: null }
  return pathOf({ ...path, source: { name: '192.0.2.1', helo: 'out.acme.test', addresses } })
}

/** A node that delivers; all of them share the database. */
async function startNode(store: Store, token: number, now?: () => number, name = `node-${token}`) {
  const released: string[] = []
  const health = new PathHealth({
    pauses: new ProbePauses([600_000]),
    domainName: String,
    companyName: String,
    release: async (domainId) => {
      released.push(domainId)
    },
    log,
  })
  const sessions = new SessionLimits(now)
  const pacing = new Pacing(() => {}, now)
  const sharing = new PathSharing({
    store: Object.assign(Object.create(store), { shared: true }) as Store,
    name,
    token: () => token,
    learning: { health, sessions, pacing },
  })
  await sharing.start()
  return { health, sessions, pacing, sharing, released }
}

test('a path that one node has closed is closed on all, and open on all when one has found it open', async (t) => {
  const store = await openedSqlite(t)
  const [one, two] = [await startNode(store, 1), await startNode(store, 2)]
  const ready = readyFor('c', pathTo('x.test'))
  const now = Date.now()
  const isOpen = ({ health }: typeof one) => health.isOpen(ready, now)
  ended(one.health, ready, BUSY, true, now)
  await one.sharing.look()
  await two.sharing.look()
  assert.deepEqual([isOpen(one), isOpen(two)], [false, false])

  // The mail that was given back on the first node is released when the second one has found the path open.
  one.health.heldWritten(ready)
  const later = now + 3_600_000
  assert.equal(two.health.closedFor(ready, later), null, 'one delivery tries')
  ended(two.health, ready, DELIVERY, false, later)
  await two.sharing.look()
  await one.sharing.look()
  assert.deepEqual([isOpen(one), isOpen(two)], [true, true])
  assert.deepEqual(one.released, [ready.email.domainId])
  assert.deepEqual(await store.sharedPaths(), [])
  for (const { sharing } of [one, two]) await sharing.stop()
})

test('a path that was found open stays open, although another node is about to share more of its trouble', async (t) => {
  const store = await openedSqlite(t)
  const nodes = [await startNode(store, 1), await startNode(store, 2)] as const
  const [one, two] = nodes
  const ready = readyFor('c', pathTo('x.test'))
  const now = Date.now()
  for (const { health, sharing } of nodes) {
    health.alone = false
    ended(health, ready, BUSY, true, now)
    await sharing.look()
  }
  ended(one.health, ready, DELIVERY, false, now)
  await one.sharing.look()
  ended(two.health, ready, BUSY, true, now + 1)
  for (let n = 0; n < 2; n++) for (const { sharing } of [two, one]) await sharing.look()
  assert.deepEqual(await store.sharedPaths(), [])
  for (const { health } of nodes) {
    assert.equal(health.isOpen(ready, now), true)
  }
  for (const { sharing } of nodes) await sharing.stop()
})

test('closed paths and fewer sessions survive a restart', async (t) => {
  const store = await openedSqlite(t)
  const before = await startNode(store, 1)
  const ready = readyFor('c', pathTo('x.test'))
  ended(before.health, ready, BUSY, true, Date.now())
  before.sessions.tooMany(ready.path, 3, Number.POSITIVE_INFINITY)
  await before.sharing.stop()
  const after = await startNode(store, 2, undefined, 'node-1')
  assert.equal(after.health.isOpen(ready, Date.now()), false)
  assert.equal(after.sessions.limitOf(ready.path), 1)
  await after.sharing.stop()
})

test('servers that one node cannot reach may be reached by another one', async (t) => {
  const store = await openedSqlite(t)
  const [one, two] = [await startNode(store, 1), await startNode(store, 2)]
  const ready = readyFor('c', pathTo('x.test'))
  const pathTrouble = { kind: 'unreachable', met: 'connection', message: 'no answer' } as const
  ended(one.health, ready, { ...BUSY, pathTrouble }, true, Date.now())
  await one.sharing.look()
  await two.sharing.look()
  assert.equal(two.health.isOpen(ready, Date.now()), true)
  for (const { sharing } of [one, two]) await sharing.stop()
})

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`a closed path costs all nodes together one try at a time, on ${engine}`, {
    skip: engine === 'postgres' && withoutPostgres(),
  }, async (t) => {
    const store = engine === 'sqlite' ? await openedSqlite(t) : await openedPostgres(t)
    const nodes = [await startNode(store, 1), await startNode(store, 2)]
    const look = async () => {
      for (const { sharing } of nodes) await sharing.look()
    }
    for (const { health } of nodes) health.alone = false
    const ready = readyFor('c', pathTo('x.test'))
    // The system chooses their addresses: both have met the refusal, and neither has learnt it from the other.
    const pathTrouble = { kind: 'path', met: 'session', message: 'blocked' } as const
    const closed = { ...BUSY, pathTrouble }
    let now = Date.now() - 3_600_000
    for (const { health } of nodes) for (let n = 0; n < 3; n++) ended(health, ready, closed, false, now)
    await look()
    const tries = () => nodes.filter(({ health }) => health.closedFor(ready, now) === null)
    now = Date.now()

    assert.deepEqual(tries(), [], 'both have to ask first')
    const other = nodes[0]!.health.closedFor(ready, now)
    assert.equal(other !== 'asks' && other?.heldFor, 'path', 'one delivery asks for all')
    await look()
    const [holder, ...more] = tries()
    assert.deepEqual([holder, more], [nodes[0], []])
    now = Date.now() + 61_000
    assert.deepEqual(tries(), [], 'the try is under way')

    // The others wait for its result: there is none yet, so they wait for the next try.
    ended(holder!.health, ready, closed, false, now)
    const next = holder!.health.closures().get(ready.path.key)![0]!.nextTryAt
    await look()
    await look()
    const [first] = nodes.map(({ health }) => health.closures().get(ready.path.key)![0]!.nextTryAt)
    assert.equal(first, next)
    now = Date.now()
    assert.deepEqual(tries(), [], 'nobody tries before its time')

    // Found open by one, it is open for all.
    ended(holder!.health, ready, DELIVERY, false, now)
    await look()
    await look()
    assert.deepEqual(
      nodes.map(({ health }) => health.isOpen(ready, now)),
      [true, true],
    )
    for (const { sharing } of nodes) await sharing.stop()
  })
}

test('a node that has left a try to another one waits for the next try, not for the longest time of that one', async (t) => {
  const store = await openedSqlite(t)
  const nodes = [await startNode(store, 1), await startNode(store, 2)] as const
  const [one, two] = nodes
  const look = async () => {
    for (const { sharing } of nodes) await sharing.look()
  }
  for (const { health } of nodes) health.alone = false
  const ready = readyFor('c', pathTo('x.test'))
  const begun = Date.now()
  const due = ended(one.health, ready, BUSY, true, begun)!
  await look()
  assert.equal(one.health.closedFor(ready, due), 'asks')
  assert.equal(two.health.closedFor(ready, due + 15_000), 'asks')
  await look()
  const nextTry = ({ health }: typeof one) => health.closures().get(ready.path.key)?.[0]?.nextTryAt
  assert.ok(nextTry(two)! >= begun + 60_000, 'the try is under way')
  assert.equal(one.health.closedFor(ready, due), null)
  const next = ended(one.health, ready, BUSY, true, due)!
  await look()
  assert.equal(nextTry(two), next + 15_000)
  for (const { sharing } of nodes) await sharing.stop()
})

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`nodes that met the same trouble do not put off its next try for each other, on ${engine}`, {
    skip: engine === 'postgres' && withoutPostgres(),
  }, async (t) => {
    const store = engine === 'sqlite' ? await openedSqlite(t) : await openedPostgres(t)
    const nodes = [await startNode(store, 1), await startNode(store, 2), await startNode(store, 3)]
    for (const { health } of nodes) health.alone = false
    const ready = readyFor('c', pathTo('x.test'))
    const nextTries = () => nodes.map(({ health }) => health.closures().get(ready.path.key)?.[0]?.nextTryAt)
    const look = async () => {
      for (const { sharing } of nodes) await sharing.look()
    }
    const now = Date.now()
    const [one, two] = nodes
    const met = [one!, two!].map(({ health }) => ended(health, ready, BUSY, true, now)!)
    await look()
    await look()
    const settled = nextTries()
    const latest = Math.max(...met)
    for (const nextTry of settled.slice(0, 2)) assert.ok(nextTry! <= latest, `${nextTry} after ${latest}`)
    assert.ok(settled[2]! <= latest + 15_000, 'the third one leaves the tries to them')
    for (let round = 0; round < 20; round++) {
      await look()
      assert.deepEqual(nextTries(), settled)
    }

    // The node that tries shares the time of the next try.
    const later = Math.max(...settled.map((at) => at!))
    const next = ended(two!.health, ready, BUSY, true, later)!
    await look()
    await look()
    assert.deepEqual(nextTries(), [next, next, next + 15_000])
    for (const { sharing } of nodes) await sharing.stop()
  })
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`a wait that servers asked one node for is kept by all, and over a restart, on ${engine}`, {
    skip: engine === 'postgres' && withoutPostgres(),
  }, async (t) => {
    const store = engine === 'sqlite' ? await openedSqlite(t) : await openedPostgres(t)
    const clock = { now: 1 }
    const now = () => clock.now
    const [one, two] = [await startNode(store, 1, now), await startNode(store, 2, now)]
    const [path, busy] = [fromShared(pathTo('x.test')), fromShared(pathTo('y.test'))]
    two.pacing.begun(busy)
    one.pacing.pause(path, 600_000)
    one.pacing.pause(busy, 24 * 3_600_000)
    const other = pathTo('z.test')
    await one.sharing.look()
    await two.sharing.look()
    const takes = ({ pacing }: typeof one) => [path, busy, other].map((each) => pacing.takesMore(each))
    assert.deepEqual(takes(two), [false, false, true])
    await one.sharing.stop()
    const three = await startNode(store, 3, now)
    assert.deepEqual(takes(three), [false, false, true])

    await three.sharing.look()
    // A wait is longer than six hours on no node, and the later one counts.
    two.pacing.pause(path, 1_000)
    clock.now += 599_000
    assert.deepEqual(takes(three), [false, false, true])
    clock.now += 2_000
    assert.deepEqual(takes(two), [true, false, true])
    assert.deepEqual(takes(three), [true, false, true])
    clock.now += 6 * 3_600_000
    assert.deepEqual(takes(two), [true, true, true])
    assert.deepEqual(takes(three), [true, true, true])
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 7 * 3_600_000 })
    await three.sharing.look()
    assert.deepEqual(await store.sharedPaths(), [])
    for (const { sharing, pacing } of [two, three]) {
      pacing.stop()
      await sharing.stop()
    }
  })
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`a restart forgets no message of the last hour, on ${engine}`, {
    skip: engine === 'postgres' && withoutPostgres(),
  }, async (t) => {
    const store = engine === 'sqlite' ? await openedSqlite(t) : await openedPostgres(t)
    const path = pathTo('x.test', { messagesPerHour: 100 })
    const sendAll = ({ pacing }: Awaited<ReturnType<typeof startNode>>) => {
      let sent = 0
      for (; pacing.takesMore(path); sent++) pacing.begun(path)
      pacing.stop()
      return sent
    }
    const before = await startNode(store, 1)
    const [beside, unlimited] = [await startNode(store, 2), pathTo('y.test')]
    before.pacing.begun(unlimited)
    assert.equal(sendAll(before), 10)
    await before.sharing.look()
    await beside.sharing.look()
    assert.equal((await store.sharedPaths()).length, 1)
    assert.equal(sendAll(beside), 10, 'it has a part of its own')
    await beside.sharing.look()
    const [kept] = [...before.pacing.hours()]
    await before.sharing.stop()

    const after = await startNode(store, 3)
    assert.equal(sendAll(after), 0)
    const twice = await startNode(store, 4)
    assert.equal(sendAll(twice), 0)
    assert.equal([...twice.pacing.hours()][0]?.[1], kept![1])
    for (const { sharing } of [beside, after, twice]) await sharing.stop()
  })
}

test('a limit that the other nodes have given up is given up by a node that only learned it', async (t) => {
  const store = await openedSqlite(t)
  const clock = { now: 1 }
  const [one, two] = [await startNode(store, 1, () => clock.now), await startNode(store, 2, () => clock.now)]
  const path = fromShared(pathTo('x.test', { messagesPerMinute: 10 }))
  const unmet = fromShared(pathTo('y.test', { messagesPerMinute: 10 }))
  for (const each of [path, unmet]) {
    one.pacing.accepted(each)
    one.pacing.tooMany(each, clock.now)
  }
  one.sessions.tooMany(path, 3, clock.now)
  two.pacing.begun(path)
  await one.sharing.look()
  for (let n = 0; n < 2; n++) await two.sharing.look()
  assert.equal(two.sessions.limitOf(path), 1)
  assert.deepEqual(
    [...two.pacing.lowered()],
    [path, unmet].map(({ key }) => [key, 9, false]),
  )

  for (let n = 0; n < 2; n++) {
    clock.now += 60_000
    for (const each of [path, unmet]) one.pacing.accepted(each)
    one.sessions.well(path)
  }
  for (let n = 0; n < 3; n++) for (const { sharing } of [one, two]) await sharing.look()
  two.pacing.begun(unmet)
  for (const { sessions, pacing } of [one, two]) {
    assert.equal(sessions.limitOf(path), 3)
    assert.deepEqual([...pacing.lowered()], [])
  }
  for (const { sharing } of [one, two]) await sharing.stop()
  assert.deepEqual(await store.sharedPaths(), [])
})

test('after servers that took nothing, other nodes and later starts double the rate each minute as well', async (t) => {
  const store = await openedSqlite(t)
  const clock = { now: 1 }
  const start = (token: number) => startNode(store, token, () => clock.now)
  const path = fromShared(pathTo('x.test'))
  const one = await start(1)
  one.pacing.beginAnew(path)
  await one.sharing.look()
  const [beside, used] = [await start(2), await start(3)]
  used.pacing.begun(path)
  await used.sharing.look()
  await one.sharing.stop()
  const after = await start(4)
  for (const { pacing } of [beside, used, after]) {
    pacing.takesMore(path)
    assert.deepEqual([...pacing.lowered()], [[path.key, 1, true]])
  }
  for (const rate of [2, 4, 8]) {
    clock.now += 60_000
    after.pacing.accepted(path)
    assert.deepEqual([...after.pacing.lowered()], [[path.key, rate, true]])
  }
  await after.sharing.look()
  const last = await start(5)
  last.pacing.takesMore(path)
  assert.deepEqual([...last.pacing.lowered()], [[path.key, 8, true]])
  for (const { sharing } of [beside, used, after, last]) await sharing.stop()
})

test('a thousand troubles of one company push out no closure, and a look writes some of them at a time', async (t) => {
  const store = await openedSqlite(t)
  const [one, two] = [await startNode(store, 1), await startNode(store, 2)]
  const real = readyFor('victim', pathTo('relay.test', { kind: 'relay' }))
  const now = Date.now()
  ended(one.health, real, BUSY, true, now)
  for (const { sharing } of [one, two]) await sharing.look()
  two.health.heldWritten(real)
  const meetAll = async (at: number) => {
    for (let n = 0; n < 1_100; n++) {
      ended(one.health, readyFor('evil', pathTo(`n${n}.evil.test`)), BUSY, true, at)
    }
    ended(one.health, real, BUSY, true, at)
    for (const { sharing } of [one, two, one, two]) await sharing.look()
  }
  for (let second = 0; second < 3; second++) await meetAll(now + second * 1_000)
  assert.equal(one.health.isOpen(real, now), false)
  assert.equal(two.health.isOpen(real, now), false)
  assert.deepEqual(two.released, [], 'nor is it opened meanwhile')
  const rows = await store.sharedPaths()
  assert.equal(rows.length, 101)
  assert.ok(rows.some(({ key }) => key === real.path.key))
  for (const { sharing } of [one, two]) await sharing.stop()
})

test('a restart remembers servers that do not answer, and another node finds out for itself', async (t) => {
  const store = await openedSqlite(t)
  const token = await store.join(node('here'))
  const one = await startNode(store, token)
  const ready = readyFor('c', pathTo('x.test'))
  const now = Date.now()
  const pathTrouble = { kind: 'unreachable', met: 'connection', message: 'no answer' } as const
  ended(one.health, ready, { ...BUSY, pathTrouble }, true, now)
  await one.sharing.look()
  const two = await startNode(store, token + 1)
  assert.equal(two.health.isOpen(ready, now), true, 'it is in service beside the first one')
  await one.sharing.stop()
  await store.leave(token)

  const after = await startNode(store, token + 2)
  assert.equal(after.health.isOpen(ready, now), false)
  // Once they answer, they do so for all.
  ended(two.health, ready, { ...BUSY, pathTrouble }, true, now)
  for (const { sharing } of [two, after, two]) await sharing.look()
  const later = now + 3_600_000
  assert.equal(after.health.closedFor(ready, later), null, 'one delivery tries')
  ended(after.health, ready, DELIVERY, false, later)
  for (const { sharing } of [after, two]) await sharing.look()
  assert.equal(two.health.isOpen(ready, now), true)
  assert.deepEqual(await store.sharedPaths(), [])
  for (const { sharing } of [two, after]) await sharing.stop()
})

test('a node that knows a lowered limit alone takes away no closure of another node', async (t) => {
  const store = await openedSqlite(t)
  const [one, two] = [await startNode(store, 1), await startNode(store, 2)]
  const ready = readyFor('c', pathTo('relay:relay.test:25', { kind: 'relay' }))
  const now = Date.now()
  ended(one.health, ready, BUSY, true, now)
  one.sessions.tooMany(ready.path, 3, Number.POSITIVE_INFINITY)
  await one.sharing.look()
  for (let n = 0; n < 2; n++) await two.sharing.look()
  // Its servers say so to the other node as well.
  two.sessions.tooMany(ready.path, 3, Number.POSITIVE_INFINITY)
  for (let n = 0; n < 2; n++) for (const { sharing } of [two, one]) await sharing.look()
  const three = await startNode(store, 3)
  for (const { health, sessions } of [one, two, three]) {
    assert.equal(health.isOpen(ready, now), false)
    assert.equal(sessions.limitOf(ready.path), 1)
  }
  for (const { sharing } of [one, two, three]) await sharing.stop()
})

test('a limit that no mail has met for six hours is no longer learnt', async (t) => {
  const store = await openedSqlite(t)
  const path = fromShared(pathTo('x.test'))
  const state = { closed: null, sessions: 1, messagesPerMinute: null }
  const row = { key: `${path.key}\0limits`, node: 1, state }
  for (const [hours, limit] of [
    [7, 3],
    [5, 1],
  ] as const) {
    const changedAt = Date.now() - hours * 3_600_000
    await store.sharePaths({ paths: [{ ...row, changedAt }], changed: [], usual: [], before: 0 })
    const node = await startNode(store, 2)
    assert.equal(node.sessions.limitOf(path), limit)
    await node.sharing.stop()
  }
})

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`limits of several nodes, on ${engine}`, {
    skip: engine === 'postgres' && withoutPostgres(),
  }, () => {
    const START = { now: 1 }
    const open = (t: TestContext) => (engine === 'sqlite' ? openedSqlite(t) : openedPostgres(t))
    type Started = Awaited<ReturnType<typeof startNode>>
    const lookAll = async (nodes: readonly Started[]) => {
      for (let n = 0; n < 2; n++) for (const { sharing } of nodes) await sharing.look()
    }
    /** Every 20 seconds the servers accept mail of the first node and refuse a session of the second one. */
    const refuseSecond = async ([one, two]: [Started, Started], path: Path, clock: { now: number }) => {
      const limits: [number, number][] = []
      for (let n = 0; n < 20; n++) {
        clock.now += 20_000
        one.sessions.well(path)
        await lookAll([one, two])
        two.sessions.tooMany(path, two.sessions.limitOf(path), clock.now)
        await lookAll([one, two])
        limits.push([one.sessions.limitOf(path), two.sessions.limitOf(path)])
      }
      return limits
    }

    test('a node keeps its lowered limit while servers accept mail from the own address of another', async (t) => {
      const store = await open(t)
      const clock = { ...START }
      const nodes = [
        await startNode(store, 1, () => clock.now),
        await startNode(store, 2, () => clock.now),
      ] as [Started, Started]
      const path = pathTo('x.test', { sessions: 20 })
      for (const { sessions } of nodes) sessions.tooMany(path, 3, clock.now)
      await lookAll(nodes)
      const limits = await refuseSecond(nodes, path, clock)
      assert.deepEqual([...new Set(limits.map(([, second]) => second))], [1])
      assert.equal(limits.at(-1)![0], 20)

      // It outlives a restart of the node that has it, and concerns no node that comes anew.
      for (const { sharing } of nodes) await sharing.stop()
      const again = await startNode(store, 3, () => clock.now, 'node-2')
      const other = await startNode(store, 4, () => clock.now)
      assert.deepEqual([again.sessions.limitOf(path), other.sessions.limitOf(path)], [1, 20])
      for (const limit of [2, 3, 5, 8, 12, 18, 20]) {
        clock.now += 20_000
        again.sessions.well(path)
        assert.equal(again.sessions.limitOf(path), limit)
      }
      await lookAll([again, other])
      assert.deepEqual(await store.sharedPaths(), [])
      for (const { sharing } of [again, other]) await sharing.stop()
    })

    test('an address of several nodes has one limit, which no node wipes out for another', async (t) => {
      const store = await open(t)
      const clock = { ...START }
      const nodes = [
        await startNode(store, 1, () => clock.now),
        await startNode(store, 2, () => clock.now),
      ] as [Started, Started]
      const path = fromShared(pathTo('x.test', { sessions: 20 }))
      nodes[0].sessions.tooMany(path, 3, clock.now)
      await lookAll(nodes)
      for (const limits of await refuseSecond(nodes, path, clock)) assert.deepEqual(limits, [1, 1])

      // Without complaints it rises on all at once, whichever node sends, and then none has it any more.
      for (const limit of [2, 3, 5, 8, 12, 18, 20]) {
        clock.now += 20_000
        nodes[limit % 2]!.sessions.well(path)
        await lookAll(nodes)
        assert.deepEqual(
          nodes.map(({ sessions }) => sessions.limitOf(path)),
          [limit, limit],
        )
      }
      assert.deepEqual(await store.sharedPaths(), [])
      for (const { sharing } of nodes) await sharing.stop()
    })

    test('a fresh complaint outlives the end of the limit on another node in the same second', async (t) => {
      const store = await open(t)
      const clock = { ...START }
      const nodes = [
        await startNode(store, 1, () => clock.now),
        await startNode(store, 2, () => clock.now),
      ] as [Started, Started]
      const [one, two] = nodes
      const path = fromShared(pathTo('x.test', { sessions: 20 }))
      const limits = () => nodes.map(({ sessions }) => sessions.limitOf(path))
      for (const fresh of [two, one]) {
        one.sessions.tooMany(path, 27, clock.now)
        await lookAll(nodes)
        clock.now += 60_000
        for (const { sessions } of nodes) sessions.well(path)
        await lookAll(nodes)
        assert.deepEqual(limits(), [20, 20])

        one.sessions.tooMany(path, 30, clock.now)
        await lookAll(nodes)
        assert.deepEqual(limits(), [15, 15])
        clock.now += 60_000
        const other = fresh === one ? two : one
        other.sessions.well(path)
        fresh.sessions.tooMany(path, 10, clock.now)
        assert.deepEqual(limits().toSorted(), [20, 5])
        await lookAll(nodes)
        assert.deepEqual(limits(), [5, 5])
        for (let n = 0; n < 4; n++) {
          clock.now += 20_000
          fresh.sessions.well(path)
        }
        await lookAll(nodes)
        assert.deepEqual(limits(), [20, 20])
      }
      for (const { sharing } of nodes) await sharing.stop()
    })

    test('a node that has forgotten a limit, because it has met so many paths since, releases none', async (t) => {
      const store = await open(t)
      const nodes = [await startNode(store, 1), await startNode(store, 2)]
      const [one, two] = nodes
      const path = fromShared(pathTo('x.test', { sessions: 20 }))
      one!.sessions.tooMany(path, 10, Number.POSITIVE_INFINITY)
      one!.pacing.beginAnew(path)
      await lookAll(nodes)
      for (let n = 0; n < 10_000; n++) {
        const other = pathTo(`n${n}.test`)
        two!.sessions.tooMany(other, 3, Number.POSITIVE_INFINITY)
        two!.pacing.begun(other)
      }
      two!.pacing.begun(pathTo('last.test'))
      assert.equal(two!.sessions.limitOf(path), 20)
      await lookAll(nodes)
      for (const { sessions, pacing } of nodes) {
        assert.equal(sessions.limitOf(path), 5)
        assert.equal(pacing.loweredOf(path.key), 1)
      }
      for (const { sharing } of nodes) await sharing.stop()
    })

    test('one node may lower sessions while another lowers the rate', async (t) => {
      const store = await open(t)
      const clock = { ...START }
      const nodes = [
        await startNode(store, 1, () => clock.now),
        await startNode(store, 2, () => clock.now),
      ] as [Started, Started]
      const [one, two] = nodes
      const path = fromShared(pathTo('x.test', { sessions: 20 }))
      one.sessions.tooMany(path, 10, clock.now)
      two.pacing.beginAnew(path)
      await lookAll(nodes)
      for (const { sessions, pacing } of nodes) {
        assert.equal(sessions.limitOf(path), 5)
        assert.equal(pacing.loweredOf(path.key), 1)
      }
      assert.equal((await store.sharedPaths()).length, 1)
      for (const { sharing } of nodes) await sharing.stop()
    })
  })
}

test('a path that was found open is shared later when the store fails', async (t) => {
  const store = await openedSqlite(t)
  let failing = false
  const faulty = Object.assign(Object.create(store), {
    sharePaths: async (changes: Parameters<Store['sharePaths']>[0]) => {
      if (failing) throw new Error('disk full')
      await store.sharePaths(changes)
    },
  }) as Store
  const [one, two] = [await startNode(store, 1), await startNode(faulty, 2)]
  const ready = readyFor('c', pathTo('x.test'))
  const now = Date.now()
  ended(one.health, ready, BUSY, true, now)
  await one.sharing.look()
  await two.sharing.look()
  const later = now + 3_600_000
  two.health.closedFor(ready, later)
  ended(two.health, ready, DELIVERY, false, later)
  failing = true
  await two.sharing.look()
  failing = false
  await two.sharing.look()
  await one.sharing.look()
  assert.equal(one.health.isOpen(ready, now), true)
  for (const { sharing } of [one, two]) await sharing.stop()
})

test('a node that only learnt of a closure keeps one delivery for its next try', async (t) => {
  const store = await openedSqlite(t)
  const [one, two] = [await startNode(store, 1), await startNode(store, 2)]
  two.health.alone = false
  const ready = readyFor('c', pathTo('x.test'))
  const now = Date.now()
  const probeAt = ended(one.health, ready, BUSY, true, now)
  assert.ok(probeAt !== null)
  await one.sharing.look()
  await two.sharing.look()
  // The second node claims what the first one has kept for its try.
  const first = two.health.closedFor(ready, probeAt)
  assert.ok(first !== null && first !== 'asks')
  assert.ok(
    first.dueAt <= probeAt + 15_000,
    `due ${first.dueAt - probeAt} ms after the try of the first node`,
  )
  const others = Array.from({ length: 20 }, () => two.health.closedFor(ready, probeAt))
  assert.ok(others.some((other) => other !== null && other !== 'asks' && other.dueAt > first.dueAt))
  assert.equal(two.health.closedFor(ready, first.dueAt), 'asks')
})
