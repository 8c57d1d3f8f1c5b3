/** When the records of a domain are looked up again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextDomainCheck } from '../../src/operate/domain-schedule.ts'

const HOUR = 60 * 60_000
const NOW = Date.UTC(2026, 10, 28, 12, 34, 56)
const idEndingIn = (digits: string) => `019a9b2c-0000-7000-8000-0000${digits}`

function next(digits: string, checkedAt = NOW, uncertain = false, silentFor = 0): number {
  const domain = { id: idEndingIn(digits), dkim: [], lostSince: null }
  return nextDomainCheck(domain, { checkedAt, uncertain, silentFor, grace: 72 * HOUR })
}

test('domains that were checked at once are checked again within the hour, each at its own time', () => {
  const times = ['00000000', '40000000', '80000000', 'c0000000'].map((digits) => next(digits))
  for (const at of times) assert.ok(at > NOW && at <= NOW + HOUR, new Date(at).toISOString())
  const [first, ...others] = times.toSorted((a, b) => a - b)
  assert.deepEqual(
    others.map((at) => at - first!),
    [HOUR / 4, HOUR / 2, (3 * HOUR) / 4],
  )
})

test('from then on a domain is checked once an hour', () => {
  const first = next('12345678')
  assert.equal(next('12345678', first), first + HOUR)
  assert.equal(next('12345678', first + 1_000), first + HOUR, 'a late check does not move the next one')
})

test('DNS that did not answer is queried again in ten minutes', () => {
  assert.equal(next('12345678', NOW, true), NOW + HOUR / 6)
})

test('DNS that stays silent is queried less and less, but once an hour at least', () => {
  const waits = []
  for (let silentFor = 0; waits.length < 5; silentFor = waits.at(-1)!) {
    waits.push(next('12345678', NOW, true, silentFor) - NOW)
  }
  assert.deepEqual(waits, [HOUR / 6, HOUR / 3, (2 * HOUR) / 3, HOUR, HOUR])
})
