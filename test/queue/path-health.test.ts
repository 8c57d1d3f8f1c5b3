import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DeliveryResult } from '../../src/delivery/delivery.ts'
import { type Path, pathOf } from '../../src/delivery/path/path.ts'
import { ProbePauses } from '../../src/delivery/route/probe-pauses.ts'
import { BY_HAND } from '../../src/email/lifecycle.ts'
import type { ReadyDelivery } from '../../src/queue/deliveries.ts'
import { PathHealth } from '../../src/queue/path-health.ts'
import type { ClaimedRecipient } from '../../src/store/store.ts'
import { ended, pathTo, readyFor } from './paths.ts'

const log = { info() {}, warn() {}, error() {} }
const NOW = Date.UTC(2026, 10, 22)
const MINUTE = 60_000

type Release = (domainId: string, domains: readonly string[] | null) => Promise<void>

function pathHealth(release: Release = async () => {}): PathHealth {
  return new PathHealth({
    pauses: new ProbePauses([600_000]),
    domainName: String,
    companyName: String,
    release,
    log,
  })
}

function to(path: Path, postponedSince: number | null = null): ReadyDelivery {
  return readyFor('c', path, { recipients: [{ postponedSince } as ClaimedRecipient] })
}

/** Mail of this sending domain. */
function from(domainId: string, path: Path): ReadyDelivery {
  const ready = readyFor('c', path)
  return { ...ready, email: { ...ready.email, domainId } }
}

const REFUSED: DeliveryResult = {
  outcomes: [{ position: 0, verdict: 'postponed', message: 'no' }],
  server: 'mx',
  dialogue: '',
  startedAt: 0,
  duration: 1,
  tls: null,
  pathTrouble: { kind: 'path', met: 'session', message: 'no' },
}

const TAKEN: DeliveryResult = {
  outcomes: [{ position: 0, verdict: 'delivered', message: 'yes' }],
  server: 'mx',
  dialogue: '',
  startedAt: 0,
  duration: 1,
  tls: null,
}

/** It was given back before there was an answer. */
const RELEASED: DeliveryResult = {
  ...TAKEN,
  outcomes: [{ position: 0, verdict: 'released', message: '' }],
  server: null,
}

test('the closed sites of a zone without end push out none of another company: the one met longest ago is forgotten', () => {
  const paths = pathHealth()
  const met = (site: string, at: number) => ended(paths, to(pathTo(site)), REFUSED, true, at)
  const other = readyFor('other', pathTo('other.test'))
  ended(paths, other, REFUSED, true, 0)
  for (let index = 0; index <= 2_000; index++) {
    met(`x${index}.test`, index)
    met('met-again.test', index)
  }
  assert.equal(paths.closed.get('path'), 2_001)
  assert.equal(paths.closedFor(to(pathTo('x0.test')), 0), null)
  assert.notEqual(paths.closedFor(to(pathTo('x2000.test')), 0), null)
  assert.notEqual(paths.closedFor(to(pathTo('met-again.test')), 0), null)
  assert.notEqual(paths.closedFor(other, 0), null)
})

test('the held mail of a forgotten closed site is released as soon as the site takes mail', async () => {
  const released: (readonly string[] | null)[] = []
  const paths = pathHealth(async (_, domains) => {
    released.push(domains)
  })
  const mail = (site: string) => ({
    ...from('one', pathTo(site)),
    recipients: [{ domain: site } as ClaimedRecipient],
  })
  const sites = Array.from({ length: 2_002 }, (_, index) => `x${index}.test`)
  for (const [index, site] of sites.entries()) {
    ended(paths, mail(site), REFUSED, true, index)
    paths.heldWritten(mail(site))
  }
  assert.deepEqual([...paths.closed], [['path', 2_000]])
  // Met again after it was forgotten: of the mail that is held then, none is lost either.
  ended(paths, mail('x1.test'), REFUSED, true, 3_000)
  await nextTurn()
  assert.deepEqual(released, [])
  for (const site of sites) {
    ended(paths, mail(site), TAKEN, true, 4_000)
    await nextTurn()
    assert.deepEqual(released.splice(0), [[site]])
  }
  ended(paths, mail('x0.test'), TAKEN, true, 5_000)
  await nextTurn()
  assert.deepEqual(released, [])
})

test('a closed path from a source that no node has is not counted', () => {
  const paths = pathHealth()
  const { key: _, ...path } = pathTo('x.test')
  const source = { ...path.source, name: '192.0.2.1' }
  ended(paths, to(pathOf({ ...path, source })), REFUSED, true, NOW)
  assert.equal(paths.closed.get('path'), 1)
  paths.sources = new Set(['192.0.2.1', '192.0.2.2'])
  assert.equal(paths.closed.get('path'), 1)
  paths.sources = new Set(['192.0.2.2'])
  assert.equal(paths.closed.get('path'), undefined)
})

test('a closed path is tried at the word of the operator, and of a member only if it is by a route of its own', () => {
  const shared = pathTo('x.test', { kind: 'relay' })
  const own = pathOf({ ...shared, policy: { ...shared.policy, id: 'route-of-acme' } })
  const tried = (path: Path, postponedSince: number | null) => {
    const paths = pathHealth()
    ended(paths, to(path), REFUSED, true, NOW)
    return paths.closedFor(to(path, postponedSince), NOW + 1) === null
  }
  for (const path of [shared, own]) {
    assert.equal(tried(path, null), false)
    assert.equal(tried(path, BY_HAND.operator), true)
    assert.equal(tried(path, BY_HAND.member), path === own)
  }
})

test('mail held during a release of its domain is released afterwards, and other domains do not wait for that', async () => {
  const released: { domainId: string; end: () => void }[] = []
  const paths = pathHealth((domainId) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    released.push({ domainId, end: resolve })
    return promise
  })
  const path = pathTo('x.test')
  const domains = () => released.map(({ domainId }) => domainId)
  // The path is clear: mail held late is released at once.
  paths.heldWritten(from('one', path))
  assert.deepEqual(domains(), ['one'])
  for (let count = 0; count < 3; count++) paths.heldWritten(from('one', path))
  paths.heldWritten(from('other', path))
  assert.deepEqual(domains(), ['one', 'other'])
  released[0]!.end()
  await nextTurn()
  assert.deepEqual(domains(), ['one', 'other', 'one'])
  released[2]!.end()
  await nextTurn()
  assert.deepEqual(domains(), ['one', 'other', 'one'])
  paths.heldWritten(from('one', path))
  assert.deepEqual(domains(), ['one', 'other', 'one', 'one'])
})

test('a path that is clear again is released for each sending domain with held mail, and no other', () => {
  const released: string[] = []
  const paths = pathHealth(async (domainId) => {
    released.push(domainId)
  })
  const [path, other] = [pathTo('x.test'), pathTo('y.test')]
  for (const each of [path, other]) ended(paths, from('one', each), REFUSED, true, NOW)
  paths.heldWritten(from('one', path))
  paths.heldWritten(from('two', path))
  paths.heldWritten(from('three', other))
  assert.deepEqual(released, [])
  ended(paths, from('two', path), TAKEN, true, NOW + 1)
  assert.deepEqual(released, ['one', 'two'])
})

test('a site is tried first after its own pause, if the operator has set one', () => {
  const paths = pathHealth()
  const path = pathTo('x.test', { backOff: 5 * MINUTE })
  ended(paths, from('one', path), REFUSED, true, NOW)
  ended(paths, from('one', pathTo('y.test')), REFUSED, true, NOW)
  const isOpen = (at: number) => [path, pathTo('y.test')].map((each) => paths.isOpen(from('one', each), at))
  assert.deepEqual(isOpen(NOW + 5 * MINUTE - 1), [false, true])
  assert.deepEqual(isOpen(NOW + 5.6 * MINUTE), [true, true])
})

test('a path that is clear again is released for the recipient domains that it held, not for those of other paths', async () => {
  const released: (readonly string[] | null)[] = []
  const paths = pathHealth(async (_, domains) => {
    released.push(domains)
  })
  const held = (path: Path, domain: string) =>
    paths.heldWritten({ ...from('one', path), recipients: [{ domain } as ClaimedRecipient] })
  const [path, other] = [pathTo('x'), pathTo('y')]
  for (const each of [path, other]) ended(paths, from('one', each), REFUSED, true, NOW)
  held(path, 'x1.test')
  held(path, 'x2.test')
  held(other, 'y.test')
  ended(paths, from('one', path), TAKEN, true, NOW + 1)
  assert.deepEqual(released.splice(0), [['x1.test', 'x2.test']])
  // Written late.
  held(path, 'x3.test')
  await nextTurn()
  assert.deepEqual(released.splice(0), [['x3.test']])
  // Too many to be noted one by one.
  for (let n = 0; n <= 1_000; n++) held(other, `y${n}.test`)
  ended(paths, from('one', other), TAKEN, true, NOW + 2)
  await nextTurn()
  assert.deepEqual(released, [null])
})

test('mail of a closed path comes back later the more of it waits, though in time to be given up', () => {
  const paths = pathHealth()
  const path = pathTo('x.test')
  ended(paths, to(path), REFUSED, true, NOW)
  const backs = Array.from({ length: 2_000 }, () => paths.closedFor(to(path), NOW + 1))
  const reasons = backs.filter((back) => back !== null && back !== 'asks')
  assert.equal(reasons.length, 2_000)
  // The longest pause is ten minutes, which a few of them come back within.
  const soon = NOW + 11 * MINUTE
  const within = reasons.filter(({ dueAt }) => dueAt <= soon).length
  assert.ok(within >= 5 && within < 500, `${within} within the longest pause`)
  for (const { dueAt, endsFrom } of reasons) {
    assert.ok(endsFrom !== undefined && endsFrom <= dueAt && endsFrom <= soon)
    assert.ok(dueAt <= NOW + 6 * 60 * MINUTE + MINUTE)
  }
  const few = pathHealth()
  ended(few, to(path), REFUSED, true, NOW)
  const back = few.closedFor(to(path), NOW + 1)
  assert.ok(back !== null && back !== 'asks' && back.dueAt <= soon)
})

test('the state of mail shows whether it may leave, would try the path or would be given back', () => {
  const paths = pathHealth()
  const path = pathTo('x.test')
  const mail = { ...to(path), recipients: [{ domain: 'x.test' } as ClaimedRecipient] }
  assert.equal(paths.stateOf(mail, NOW), 'open')
  const again = ended(paths, mail, REFUSED, true, NOW)!
  assert.equal(paths.stateOf(mail, again - 1), 'closed')
  assert.equal(paths.stateOf(mail, again), 'due')
  assert.equal(paths.stateOf(to(pathTo('y.test')), again), 'open')
  assert.equal(paths.closedFor(mail, again), null)
  assert.equal(paths.stateOf(to(path), again), 'closed', 'it is being tried')
  assert.equal(paths.openings, 0)
  ended(paths, mail, TAKEN, false, again + 1)
  assert.deepEqual([paths.stateOf(mail, again + 1), paths.openings], ['open', 1])

  paths.alone = false
  const next = ended(paths, mail, REFUSED, true, NOW)!
  assert.equal(paths.stateOf(mail, next), 'due')
  assert.equal(paths.closedFor(mail, next), 'asks')
  assert.equal(paths.stateOf(mail, next), 'closed', 'the nodes have to decide')
})

test('where only the mail of one sending domain is refused, that of others goes', () => {
  const paths = pathHealth()
  const path = pathTo('x.test')
  const refused = { ...REFUSED, pathTrouble: { kind: 'sender', met: 'recipient', message: 'no' } } as const
  for (let count = 0; count < 3; count++) ended(paths, from('one', path), refused, true, NOW)
  assert.notEqual(paths.closedFor(from('one', path), NOW + 1), null)
  assert.equal(paths.closedFor(from('two', path), NOW + 1), null)
  assert.equal(paths.closedFor(from('one', pathTo('y.test')), NOW + 1), null)
  // What goes through for another says nothing about it.
  ended(paths, from('two', path), TAKEN, true, NOW + 2)
  assert.notEqual(paths.closedFor(from('one', path), NOW + 3), null)
})

test('a block that many sending domains meet has one try, and opens for all of them', () => {
  const released: string[] = []
  const paths = pathHealth(async (domainId) => void released.push(domainId))
  const path = pathTo('x.test')
  const refused = { ...REFUSED, pathTrouble: { kind: 'path', met: 'mail', message: 'S3150' } } as const
  const met = (domainId: string) => ended(paths, from(domainId, path), refused, true, NOW)
  for (let n = 0; n < 3; n++) met('one')
  paths.heldWritten(from('one', path))
  assert.equal(paths.closedFor(from('two', path), NOW + 1), null)
  met('two')
  assert.equal(paths.closed.get('path'), 1)
  const later = NOW + 20 * MINUTE
  const probe = from('two', path)
  assert.equal(paths.closedFor(probe, later), null)
  for (const domainId of ['one', 'two', 'three']) {
    assert.notEqual(paths.closedFor(from(domainId, path), later), null)
  }
  ended(paths, probe, TAKEN, true, later)
  assert.equal(paths.closedFor(from('one', path), later), null)
  assert.deepEqual(released, ['one'])
})

test('a clock that is set back leaves a path closed no longer than its pause', () => {
  const paths = pathHealth()
  const path = pathTo('x.test')
  ended(paths, to(path), REFUSED, true, NOW + 360 * MINUTE)
  assert.notEqual(paths.closedFor(to(path), NOW), null)
  assert.equal(paths.closedFor(to(path), NOW + 20 * MINUTE), null)
})

test('one email that is refused again and again closes no path', () => {
  const paths = pathHealth()
  const path = pathTo('x.test')
  const refused = {
    ...REFUSED,
    pathTrouble: { kind: 'path', met: 'recipient', message: 'no relay' },
  } as const
  const stale = from('one', path)
  for (let count = 0; count < 5; count++) assert.equal(ended(paths, stale, refused, true, NOW), null)
  assert.equal(paths.closedFor(from('one', path), NOW + 1), null)
  for (let count = 0; count < 2; count++) ended(paths, from('one', path), refused, true, NOW)
  assert.notEqual(paths.closedFor(from('one', path), NOW + 1), null)
})

test('one delivery finds out the state of a closed path, whatever the results of deliveries begun before', () => {
  const paths = pathHealth()
  const path = pathTo('x.test')
  ended(paths, from('one', path), REFUSED, true, NOW)
  const [begun, probe, next] = ['one', 'two', 'three'].map((domainId) => from(domainId, path))
  const [later, muchLater] = [NOW + 20 * MINUTE, NOW + 40 * MINUTE]
  assert.equal(paths.closedFor(probe!, later), null)
  assert.notEqual(paths.closedFor(next!, later), null)
  ended(paths, begun!, RELEASED, true, later)
  assert.notEqual(paths.closedFor(next!, muchLater), null)
  ended(paths, probe!, RELEASED, true, later)
  assert.equal(paths.closedFor(next!, muchLater), null)
})

test('a delivery that is refused for its own domain has found out nothing about the path of all', () => {
  const paths = pathHealth()
  const path = pathTo('x.test')
  ended(paths, from('one', path), REFUSED, true, NOW)
  const probe = from('two', path)
  assert.equal(paths.closedFor(probe, NOW + 20 * MINUTE), null)
  ended(
    paths,
    probe,
    { ...REFUSED, pathTrouble: { kind: 'sender', met: 'recipient', message: 'no' } },
    true,
    NOW + 20 * MINUTE,
  )
  assert.equal(paths.closedFor(from('three', path), NOW + 40 * MINUTE), null)
})

test('a path is tried no sooner than its hosts are asked again', () => {
  const paths = pathHealth()
  const pathTrouble = { kind: 'unreachable', met: 'connection', message: 'nobody there' } as const
  const notBefore = NOW + 60 * MINUTE
  const ready = to(pathTo('x.test'))
  assert.equal(
    ended(paths, ready, { ...REFUSED, server: null, pathTrouble, notBefore }, true, NOW),
    notBefore,
  )
  const reason = paths.closedFor(ready, notBefore - 1)
  assert.ok(reason !== null && reason !== 'asks' && reason.dueAt >= notBefore)
  assert.equal(paths.closedFor(ready, notBefore), null)
})

test('a host that is left alone, because it could not be reached a moment ago, renews no closure', () => {
  const paths = pathHealth()
  const pathTrouble = { kind: 'unreachable', met: 'connection', message: 'nobody there' } as const
  const failed = { ...REFUSED, server: null, pathTrouble }
  const path = pathTo('x.test')
  const again = ended(paths, to(path), failed, true, NOW)!
  for (let second = 1; second <= 30; second++) {
    ended(paths, to(path), { ...failed, notBefore: NOW + 40_000 }, true, NOW + second * 1_000)
  }
  const [closure] = paths.closures().get(path.key)!
  assert.deepEqual([closure!.since, closure!.nextTryAt], [NOW, again])
  // The try itself finds the host left alone, so the next one is when it is asked again.
  const probe = to(path)
  assert.equal(paths.closedFor(probe, again), null)
  const notBefore = again + 5_000
  assert.equal(ended(paths, probe, { ...failed, notBefore }, true, again), notBefore)
})

test('servers that accept mail of one company are open to another that could not reach them', async () => {
  const released: string[] = []
  const paths = pathHealth(async (domainId) => void released.push(domainId))
  const path = pathTo('x.test')
  const of = (companyId: string) => {
    const ready = readyFor(companyId, path)
    return { ...ready, email: { ...ready.email, domainId: `${companyId}.test` } }
  }
  const pathTrouble = { kind: 'unreachable', met: 'connection', message: 'nobody there' } as const
  ended(paths, of('one'), { ...REFUSED, server: null, pathTrouble }, true, NOW)
  paths.heldWritten(of('one'))
  assert.notEqual(paths.closedFor(of('one'), NOW + 1), null)
  assert.equal(paths.closedFor(of('two'), NOW + 1), null)
  ended(paths, of('two'), TAKEN, true, NOW + 2)
  assert.equal(paths.closedFor(of('one'), NOW + 3), null)
  assert.deepEqual(released, ['one.test'])
})

test('a path that was closed for all opens for every company with waiting mail', async () => {
  const released: string[] = []
  const paths = pathHealth(async (domainId) => void released.push(domainId))
  const path = pathTo('x.test')
  const of = (companyId: string) => {
    const ready = readyFor(companyId, path)
    return { ...ready, email: { ...ready.email, domainId: `${companyId}.test` } }
  }
  ended(paths, of('one'), REFUSED, true, NOW)
  paths.heldWritten(of('one'))
  ended(paths, of('two'), REFUSED, true, NOW)
  paths.heldWritten(of('two'))
  assert.equal(paths.closed.get('path'), 1)
  const reason = paths.closedFor(of('three'), NOW + 1)
  assert.ok(reason !== null && reason !== 'asks')
  assert.match(reason.message, /failed: the server refuses mail from this service$/)
  ended(paths, of('three'), TAKEN, true, NOW + 2)
  assert.deepEqual(released.toSorted(), ['one.test', 'two.test'])
  assert.equal(paths.closedFor(of('one'), NOW + 3), null)
})

test('paths closed by the proxy of a source are logged once for the source, not shared with other nodes, and open when the proxy is back', async () => {
  const lines: string[] = []
  const released: string[] = []
  const paths = new PathHealth({
    pauses: new ProbePauses([600_000]),
    domainName: String,
    companyName: String,
    release: async (domainId) => void released.push(domainId),
    log: { ...log, error: (_: object, line: string) => lines.push(line) },
  })
  const failed = {
    ...REFUSED,
    pathTrouble: { kind: 'source', met: 'session', message: 'The proxy is away' },
  } as const
  const [x, y] = [from('d', pathTo('x.test')), from('d', pathTo('y.test'))]
  ended(paths, x, failed, false, NOW)
  ended(paths, y, failed, false, NOW)
  assert.deepEqual(
    lines.map((line) => line.split('.')[0]),
    ['The proxy is away'],
  )
  assert.deepEqual([...paths.closedHere()], [])
  assert.notEqual(paths.closedFor(x, NOW + 1), null)
  paths.heldWritten(x)
  paths.sourcesReturned()
  await nextTurn()
  assert.equal(paths.closedFor(x, NOW + 1), null)
  assert.equal(paths.closedFor(y, NOW + 1), null)
  assert.deepEqual(released, ['d'])
})
