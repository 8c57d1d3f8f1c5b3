import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostMemory } from '../../../src/delivery/route/host-memory.ts'

const [HOST, OTHER] = ['192.0.2.1:25', '192.0.2.2:25']
const PAUSE = 5_000
const MINUTE = 60_000

/** Of a clock that stands; each outage costs the same pause. */
function memory(after: (lasted: number) => number = () => PAUSE) {
  const clock = { now: 1_000 }
  return { clock, hosts: new HostMemory({ after }, () => clock.now) }
}

test('only an unreachable host is skipped during its pause', () => {
  const { clock, hosts } = memory()
  assert.equal(hosts.waits(HOST), 0)
  hosts.recordFailure(HOST, clock.now)
  assert.equal(hosts.waits(HOST), PAUSE)
  assert.equal(hosts.waits(OTHER), 0)
  assert.equal(hosts.waits('192.0.2.1:2525'), 0)
  clock.now += PAUSE - 1
  assert.equal(hosts.waits(HOST), 1)
})

test('after the pause one delivery tries the host, and the others wait for its result', () => {
  const { clock, hosts } = memory()
  hosts.recordFailure(HOST, clock.now)
  clock.now += PAUSE
  assert.equal(hosts.waits(HOST), 0)
  for (let count = 0; count < 3; count++) assert.equal(hosts.waits(HOST), MINUTE)
  hosts.recordSuccess(HOST)
  for (let count = 0; count < 3; count++) assert.equal(hosts.waits(HOST), 0)
})

test('if that delivery never reports a result, another one tries after a minute', () => {
  const { clock, hosts } = memory()
  hosts.recordFailure(HOST, clock.now)
  clock.now += PAUSE
  hosts.waits(HOST)
  clock.now += MINUTE
  assert.equal(hosts.waits(HOST), 0)
  assert.equal(hosts.waits(HOST), MINUTE)
})

test('an outage counts from its first failure, and ends with the first answer', () => {
  const lasted: number[] = []
  const { clock, hosts } = memory((ms) => {
    lasted.push(ms)
    return PAUSE
  })
  hosts.recordFailure(HOST, clock.now - 10)
  clock.now += PAUSE
  hosts.recordFailure(HOST, clock.now - 10)
  hosts.recordFailure(OTHER, clock.now - 20)
  hosts.recordSuccess(HOST)
  hosts.recordFailure(HOST, clock.now - 30)
  assert.deepEqual(lasted, [10, PAUSE + 10, 20, 30])
})

test('no host is skipped for more than ten minutes', () => {
  const { clock, hosts } = memory(() => 24 * 60 * MINUTE)
  hosts.recordFailure(HOST, clock.now)
  assert.equal(hosts.waits(HOST), 10 * MINUTE)
})
