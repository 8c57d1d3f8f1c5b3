import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameServer, sortedByTime } from '../../console/src/pages/email/time-line-order.ts'

const at = (ms: number) => new Date(ms).toISOString()
const event = (ms: number, type: string, recipient: number | null) => {
  return { at: at(ms), name: type, event: { recipient } }
}
const attempt = (ms: number, number: number, server: string | null = null) => {
  return { at: at(ms), name: `attempt ${number}`, attempt: { server } }
}

test('a time line in one millisecond goes from the acceptance over the attempt to its result', () => {
  const entries = [
    event(1, 'delivery_delayed', 0),
    event(1, 'sent', null),
    event(5, 'delivered', 0),
    attempt(1, 1),
    attempt(5, 2),
  ]
  assert.deepEqual(
    sortedByTime(entries).map(({ name }) => name),
    ['sent', 'attempt 1', 'delivery_delayed', 'attempt 2', 'delivered'],
  )
})

test('an attempt at the same server as the one before it is told from others', () => {
  const entries = [
    attempt(1, 1, 'mx1.x.test'),
    event(2, 'delivery_delayed', 0),
    attempt(3, 2, 'mx1.x.test'),
    attempt(4, 3, 'mx2.x.test'),
    attempt(5, 4, 'mx1.x.test'),
  ]
  assert.deepEqual(
    entries.map((_, index) => isSameServer(entries, index)),
    [false, false, true, false, false],
  )
})
