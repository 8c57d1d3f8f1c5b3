import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathOf } from '../../src/delivery/path/path.ts'
import { NodeShares } from '../../src/queue/node-shares.ts'
import { SessionLimits } from '../../src/queue/session-limits.ts'
import { nodes, pathTo } from './paths.ts'

function limits() {
  const clock = { now: 0 }
  return { clock, limits: new SessionLimits(() => clock.now) }
}

const to = (name: string, sessions = 20) => pathTo(name, { sessions })

test('a site that says too many gets half the sessions, once for each round of answers', () => {
  const { clock, limits: path } = limits()
  assert.equal(path.limitOf(to('x.test')), 20)
  clock.now = 10
  assert.equal(path.tooMany(to('x.test'), 20, 5), true)
  assert.equal(path.limitOf(to('x.test')), 10)
  // The others that began before.
  for (let i = 0; i < 19; i++) assert.equal(path.tooMany(to('x.test'), 19, 5), true)
  assert.equal(path.limitOf(to('x.test')), 10)
  assert.equal(path.limitOf(to('y.test')), 20)
  for (const left of [5, 2, 1]) {
    clock.now += 10
    assert.equal(path.tooMany(to('x.test'), 20, clock.now), true)
    assert.equal(path.limitOf(to('x.test')), left)
  }
  clock.now += 10
  assert.equal(path.tooMany(to('x.test'), 1, clock.now), false, 'only waiting helps now')
})

test('it grows again slowly, up to the common limit', () => {
  const { clock, limits: path } = limits()
  const six = to('x.test', 6)
  path.tooMany(six, 2, 0)
  path.well(six)
  assert.equal(path.limitOf(six), 1, 'not at once')
  for (const sessions of [2, 3, 5, 6]) {
    clock.now += 20_000
    path.well(six)
    assert.equal(path.limitOf(six), sessions)
  }
})

test('if one session has to succeed first, its success opens all, and once is enough', () => {
  const { limits: path } = limits()
  const plain = to('relay')
  const relay = { ...plain, policy: { ...plain.policy, firstAlone: true } }
  path.meet(relay)
  assert.equal(path.limitOf(relay), 1)
  path.meet(relay)
  path.well(relay)
  assert.equal(path.limitOf(relay), 20)
  path.meet(relay)
  assert.equal(path.limitOf(relay), 20)
  path.meet(plain)
  assert.equal(path.limitOf(plain), 20)
})

test('the success of the first session opens no more than servers were found to take', () => {
  const { limits: path } = limits()
  const plain = to('relay')
  const relay = { ...plain, policy: { ...plain.policy, firstAlone: true } }
  path.learn(relay.key, 5)
  path.meet(relay)
  assert.equal(path.limitOf(relay), 1)
  path.well(relay)
  assert.equal(path.limitOf(relay), 5)
})

test('nodes share the limit of a path, and together never exceed it', () => {
  for (const [sessions, count] of [
    [20, 3],
    [10, 4],
    [20, 50],
    [1, 2],
    [7, 1],
  ] as const) {
    const tokens = Array.from({ length: count }, (_, index) => 10 + index)
    const path = to('x.test', sessions)
    const limits = tokens.map((own) => {
      const shares = new NodeShares()
      shares.set(nodes(...tokens), own)
      return new SessionLimits(() => 0, shares).limitOf(path)
    })
    assert.equal(
      limits.reduce((sum, limit) => sum + limit),
      sessions,
      `${sessions} on ${count}: ${limits}`,
    )
    assert.ok(Math.max(...limits) - Math.min(...limits) <= 1)
  }
})

test('an indivisible limit is not always given to the same node, and nothing limits the capture of mail', () => {
  const shares = new NodeShares()
  shares.set(nodes(1, 2, 3), 2)
  const limits = new SessionLimits(() => 0, shares)
  const sites = Array.from({ length: 60 }, (_, n) => limits.limitOf(to(`x${n}.test`, 1)))
  assert.deepEqual([...new Set(sites)].toSorted(), [0, 1])
  assert.equal(limits.limitOf(pathTo('capture', { kind: 'capture', sessions: 1 })), 1)
})

test('only nodes with the source share its limits, and so do nodes with unknown sources', () => {
  const from = (name: string) =>
    pathOf({
      ...to('x.test', 12),
      source: { name, helo: 'out.acme.test', addresses: { ipv4: name, ipv6: null } },
    })
  const shares = new NodeShares()
  const limits = new SessionLimits(() => 0, shares)
  const here = { token: 2, sources: ['192.0.2.2'] }
  shares.set([{ token: 1, sources: ['192.0.2.1', '192.0.2.3'] }, here, { token: 3, sources: [] }], 2)
  assert.equal(limits.limitOf(from('192.0.2.2')), 12, 'it has this one alone')
  assert.equal(limits.limitOf(from('192.0.2.1')), 6, 'it has come here a moment ago')
  assert.equal(limits.limitOf(to('x.test', 12)), 4, 'the system chooses the address')
  assert.equal(shares.rate(from('192.0.2.2'), 60), 60)
  assert.equal(shares.set([{ token: 1 }, here, { token: 3, sources: [] }], 2), true)
  assert.equal(limits.limitOf(from('192.0.2.2')), 6)
  assert.equal(shares.set([{ token: 1 }, here, { token: 3, sources: [] }], 2), false)
})

test('the sites of a zone without end do not fill the memory: the one that was met longest ago is forgotten', () => {
  const { clock, limits: path } = limits()
  for (let index = 0; index <= 10_000; index++) {
    path.tooMany(to(`x${index}.test`), 20, ++clock.now)
    path.tooMany(to('met-again.test'), 20, ++clock.now)
  }
  assert.equal(path.limitOf(to('x0.test')), 20)
  assert.equal(path.limitOf(to('x10000.test')), 10)
  assert.equal(path.limitOf(to('met-again.test')), 1)
})
