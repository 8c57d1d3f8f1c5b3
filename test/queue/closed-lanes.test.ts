/** How much a claim takes of mail whose paths are closed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClosedLanes, type LaneState } from '../../src/queue/closed-lanes.ts'

function closedLanes(states: Record<string, LaneState>) {
  const clock = { now: 0 }
  const lanes = new ClosedLanes(
    (companyId, domain) => states[`${companyId} ${domain}`] ?? 'open',
    () => clock.now,
  )
  /** The room of each company's lanes together, by the names of their domains. */
  const rooms = (openings = 0) =>
    Object.fromEntries(
      lanes.rooms(openings).map(({ companyId, domains, room }) => [`${companyId} ${domains?.join()}`, room]),
    )
  return { clock, lanes, rooms }
}

test('of closed lanes a claim takes a few each second, however many they are, so that their mail ends in time', () => {
  const states: Record<string, LaneState> = {
    'a x.test': 'closed',
    'a y.test': 'closed',
    'b x.test': 'closed',
  }
  const { clock, lanes, rooms } = closedLanes(states)
  assert.deepEqual(rooms(), {})
  lanes.add('a', ['x.test', 'y.test'])
  lanes.add('b', ['x.test', 'open.test'])
  assert.deepEqual(rooms(), { 'a x.test,y.test': 50, 'b x.test': 50 })
  for (let n = 0; n < 60; n++) lanes.taken('a', 'x.test')
  lanes.taken('b', 'open.test')
  lanes.taken('c', 'x.test')
  assert.deepEqual(rooms(), { 'a x.test,y.test': 20, 'b x.test': 20 })
  for (let n = 0; n < 90; n++) lanes.taken('b', 'x.test')
  assert.deepEqual(rooms(), { 'a x.test,y.test': 0, 'b x.test': 0 })
  clock.now += 1_000
  assert.deepEqual(rooms(), { 'a x.test,y.test': 0, 'b x.test': 0 })
  clock.now += 60_000
  assert.deepEqual(rooms(), { 'a x.test,y.test': 50, 'b x.test': 50 })
})

test('a lane whose path may be tried gives one delivery, and an open lane follows the usual rules at once', () => {
  const states: Record<string, LaneState> = { 'a x.test': 'due', 'a y.test': 'closed' }
  const { clock, lanes, rooms } = closedLanes(states)
  lanes.add('a', ['x.test', 'y.test'])
  assert.deepEqual(rooms(), { 'a x.test': 1, 'a y.test': 100 })
  lanes.taken('a', 'x.test')
  assert.deepEqual(rooms(), { 'a x.test': 0, 'a y.test': 100 })
  clock.now += 1_001
  assert.deepEqual(rooms(), { 'a x.test': 1, 'a y.test': 100 })

  states['a y.test'] = 'open'
  assert.deepEqual(rooms(), { 'a x.test': 1, 'a y.test': 100 }, 'it is not known yet')
  clock.now += 251
  assert.deepEqual(rooms(1), { 'a x.test': 1 })
  states['a x.test'] = 'open'
  clock.now += 251
  assert.deepEqual(rooms(2), {})
})

test('one company has a part of the places, and the lane given back last is remembered', () => {
  const states: Record<string, LaneState> = {
    'b x.test': 'closed',
    'a 0.test': 'closed',
    'a 501.test': 'closed',
  }
  for (let n = 1; n <= 500; n++) states[`a ${n}.test`] = 'closed'
  const { clock, lanes, rooms } = closedLanes(states)
  lanes.add('b', ['x.test'])
  for (let n = 0; n < 500; n++) lanes.add('a', [`${n}.test`])
  lanes.add('a', ['0.test', '500.test', '501.test'])
  const domains = Object.keys(rooms()).map((name) => name.split(' ')[1]!.split(','))
  assert.deepEqual(
    domains.map(({ length }) => length),
    [1, 500],
  )
  const ofA = new Set(domains[1])
  assert.deepEqual(
    ['0.test', '1.test', '2.test', '3.test', '501.test'].map((name) => ofA.has(name)),
    [true, false, false, true, true],
  )

  // A few hundred are looked at together, so that all are after some looks.
  for (const name of Object.keys(states)) states[name] = 'open'
  for (let look = 0; look < 3; look++) {
    clock.now += 1_001
    rooms()
  }
  assert.deepEqual(rooms(), {})
})
