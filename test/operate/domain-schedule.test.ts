/** When the records of a domain are looked up again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DkimIdentity, SendingState } from '../../src/accounts/account.ts'
import { nextDomainCheck } from '../../src/operate/domain-schedule.ts'

const HOUR = 60 * 60_000
const NOW = Date.UTC(2026, 10, 28, 12, 34, 56)
const idEndingIn = (digits: string) => `019a9b2c-0000-7000-8000-0000${digits}`

const SENDS = { dkim: [], lostSince: null, sending: 'active' as SendingState, createdAt: NOW, seen: {} }

function next(digits: string, checkedAt = NOW, uncertain = false, silentFor = 0): number {
  const domain = { ...SENDS, id: idEndingIn(digits) }
  return nextDomainCheck(domain, { checkedAt, uncertain, silentFor, grace: 72 * HOUR })!
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

const NEW = { ...SENDS, id: idEndingIn('12345678'), sending: 'inactive' as const }

/** Ms until the next check of a domain that waits for its first records, `age` ms after it was added. */
function setupWait(age: number, { uncertain = false, silentFor = 0, seen = {} } = {}): number | null {
  const checkedAt = NOW + age
  const result = { checkedAt, uncertain, silentFor, grace: 72 * HOUR }
  const at = nextDomainCheck({ ...NEW, seen }, result)
  return at === null ? null : at - checkedAt
}

const MINUTE = HOUR / 60
const DAY = 24 * HOUR

test('a domain that waits for its first records is checked less and less, and after sixty days on request', () => {
  const ages = [MINUTE, 9 * MINUTE, 10 * MINUTE, 23 * HOUR, DAY, 13 * DAY, 14 * DAY, 59 * DAY, 60 * DAY]
  const waits = ages.map((age) => setupWait(age))
  assert.deepEqual(waits, [MINUTE, MINUTE, 10 * MINUTE, 10 * MINUTE, HOUR, HOUR, DAY, DAY, null])
})

test('one whose DKIM record is in DNS is not given up', () => {
  assert.equal(setupWait(100 * DAY, { seen: { dkim: 'right' } }), DAY)
  assert.equal(setupWait(100 * DAY, { seen: { dkim: 'missing', spf: 'right' } }), null)
})

test('silent name servers of a new domain are queried less, too', () => {
  assert.equal(setupWait(MINUTE, { uncertain: true }), 10 * MINUTE)
  assert.equal(setupWait(20 * MINUTE, { uncertain: true, silentFor: 10 * MINUTE }), 20 * MINUTE)
  assert.equal(setupWait(20 * DAY, { uncertain: true, silentFor: HOUR }), DAY)
})

test('a key that waits to sign makes no check of a domain that sends nothing', () => {
  const rotation = { stage: 'next', since: NOW } as const
  const key = { rotation, delegated: false } as unknown as DkimIdentity
  const result = { checkedAt: NOW + 2 * DAY, uncertain: false, silentFor: 0, grace: 72 * HOUR }
  assert.equal(nextDomainCheck({ ...NEW, dkim: [key] }, result), NOW + 2 * DAY + HOUR)
})
