import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryResult } from '../../src/delivery/delivery.ts'
import { type Path, pathOf } from '../../src/delivery/path/path.ts'
import { ProbePauses } from '../../src/delivery/route/probe-pauses.ts'
import { BY_HAND } from '../../src/email/lifecycle.ts'
import type { ReadyDelivery } from '../../src/queue/deliveries.ts'
import { PathHealth } from '../../src/queue/path-health.ts'
import type { ClaimedRecipient } from '../../src/store/store.ts'
import { pathTo, readyFor } from './paths.ts'

const log = { info() {}, warn() {}, error() {} }
const NOW = Date.UTC(2026, 10, 22)

function pathHealth(): PathHealth {
  return new PathHealth({
    pauses: new ProbePauses([600_000]),
    domainName: String,
    release: async () => {},
    log,
  })
}

function to(path: Path, postponedSince: number | null = null): ReadyDelivery {
  return readyFor('c', path, { recipients: [{ postponedSince } as ClaimedRecipient] })
}

const REFUSED: DeliveryResult = {
  outcomes: [{ position: 0, verdict: 'postponed', message: 'no' }],
  server: 'mx',
  dialogue: '',
  startedAt: 0,
  duration: 1,
  tls: null,
  hindrance: { kind: 'path', wide: true, message: 'no' },
}

test('the closed sites of a zone without end do not fill the memory: the one that was met longest ago is forgotten', () => {
  const paths = pathHealth()
  const met = (site: string, at: number) => paths.ended(to(pathTo(site)), REFUSED, true, at)
  for (let index = 0; index <= 10_000; index++) {
    met(`x${index}.test`, index)
    met('met-again.test', index)
  }
  assert.equal(paths.closed.get('path'), 10_000)
  assert.equal(paths.closedFor(to(pathTo('x0.test')), 0), null)
  assert.notEqual(paths.closedFor(to(pathTo('x10000.test')), 0), null)
  assert.notEqual(paths.closedFor(to(pathTo('met-again.test')), 0), null)
})

test('a closed path is tried at the word of the operator, and of a member only if it is by a route of its own', () => {
  const shared = pathTo('x.test', { kind: 'relay' })
  const own = pathOf({ ...shared, policy: { ...shared.policy, id: 'route-of-acme' } })
  const tried = (path: Path, postponedSince: number | null) => {
    const paths = pathHealth()
    paths.ended(to(path), REFUSED, true, NOW)
    return paths.closedFor(to(path, postponedSince), NOW + 1) === null
  }
  for (const path of [shared, own]) {
    assert.equal(tried(path, null), false)
    assert.equal(tried(path, BY_HAND.operator), true)
    assert.equal(tried(path, BY_HAND.member), path === own)
  }
})
