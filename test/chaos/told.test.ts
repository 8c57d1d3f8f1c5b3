/** The checker of chaos runs compares the events of the log with those that webhooks received. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ToldCheck } from '../../chaos/webhooks/check.ts'
import { digestOf, type Notice } from '../../chaos/webhooks/notice.ts'
import { Reached } from '../../chaos/webhooks/reached.ts'

/** Two endpoints, each of which should receive the events 1 and 2. */
function told(...notices: Partial<Notice>[]) {
  const reached = new Reached(2)
  for (const notice of notices) {
    reached.noticed({ endpoint: 0, id: 'one', body: digestOf('1'), taken: true, wrong: [], ...notice })
  }
  const check = new ToldCheck(reached, 2)
  for (const endpoint of [0, 1]) {
    check.expect(endpoint, 'one', '1', 'event 1')
    check.expect(endpoint, 'two', '2', 'event 2')
  }
  const { lost, lostCount, invented, inventedCount, wrong, wrongCount, ...figures } = check.report()
  assert.deepEqual([lost.length, invented.length, wrong.length], [lostCount, inventedCount, wrongCount])
  return { lost, invented, wrong, figures }
}

const two = { id: 'two', body: digestOf('2') }
const all: Partial<Notice>[] = [{}, two, { endpoint: 1 }, { endpoint: 1, ...two }]

test('nothing is wrong when each event came to each endpoint, once or more often', () => {
  const { figures, ...wrong } = told(...all)
  assert.deepEqual(wrong, { lost: [], invented: [], wrong: [] })
  assert.deepEqual(figures, { endpoints: 2, wanted: 4, requests: 4, again: 0 })
  assert.equal(told(...all, { taken: false }).figures.again, 1)
})

test('an event that never arrived, or was never accepted, is lost', () => {
  assert.deepEqual(told(...all.slice(1)).lost, ['event 1 never reached endpoint 0'])
  const never = told(...all.slice(1), { taken: false }, { taken: false })
  assert.deepEqual(never.lost, ['event 1 reached endpoint 0 2 times and was never taken'])
  assert.deepEqual(told(...all.slice(1), { taken: false }, {}, { taken: false }).lost, [])
  // What came to another endpoint does not help.
  assert.deepEqual(told({}, { endpoint: 1 }, { endpoint: 1, ...two }).lost, [
    'event 2 never reached endpoint 0',
  ])
})

test('an event that is not in the log is reported as invented', () => {
  assert.deepEqual(told(...all, { id: 'three', endpoint: 1 }).invented, ['three at endpoint 1'])
  assert.deepEqual(told(...all, { id: 'three', taken: false }).invented, ['three at endpoint 0'])
})

test('the same id with another body, and a body of another event, are reported as wrong', () => {
  const changed = told(...all, { body: digestOf('other') })
  assert.deepEqual(changed.wrong, ['one came to endpoint 0 with another body than before'])
  const mixed = told(...all.slice(1), { body: digestOf('2') })
  assert.deepEqual(mixed.wrong, ['event 1 reached endpoint 0 as something else'])
})

test('every fault that the receiver finds in a request counts, at any endpoint', () => {
  const elsewhere = { endpoint: -1, id: '', taken: false, wrong: ['POST /elsewhere'] }
  const { wrong, lost, invented } = told(...all, elsewhere, { wrong: ['one is signed wrongly'] })
  assert.deepEqual(wrong, ['POST /elsewhere', 'one is signed wrongly'])
  assert.deepEqual([lost, invented], [[], []])
})
