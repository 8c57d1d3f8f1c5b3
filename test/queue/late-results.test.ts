import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Facts } from '../../src/email/lifecycle.ts'
import type { ReadyDelivery } from '../../src/queue/deliveries.ts'
import { LateResults } from '../../src/queue/late-results.ts'
import type { AttemptRecord, ClaimedEmail } from '../../src/store/store.ts'

const HOUR = 3_600_000

function claimed(id: string, ...positions: number[]): ClaimedEmail {
  return { id, recipients: positions.map((position) => ({ position })) } as ClaimedEmail
}

function begun(email: ClaimedEmail, leaseToken: number): ReadyDelivery {
  return { email, leaseToken, recipients: email.recipients } as ReadyDelivery
}

function result(
  emailId: string,
  leaseToken: number,
  ...recipients: (Partial<Facts> & { position: number; tried?: boolean })[]
): AttemptRecord {
  const given = recipients.map(({ position, tried = true, ...change }) => ({
    position,
    decision: { change: { state: 'delivered', uncertain: false, ...change }, tried },
  }))
  return { emailId, leaseToken, recipients: given } as Partial<AttemptRecord> as AttemptRecord
}

function goes(late: LateResults, email: ClaimedEmail, token: number): number[] {
  const split = late.sift(email, token)
  return (split?.go ?? email.recipients).map(({ position }) => position)
}

describe('a result that was refused', () => {
  test('belongs to the recipients that are claimed again', () => {
    const late = new LateResults()
    const email = claimed('a', 0, 1, 2)
    const ready = begun(email, 1)
    late.begin(ready)
    const attempt = result('a', 1, { position: 0 }, { position: 1 }, { position: 2 })
    assert.deepEqual(late.settle(attempt, [0, 2], ready), [])
    assert.deepEqual(late.sift(claimed('a', 0, 1), 2), {
      go: [{ position: 1 }],
      done: [result('a', 2, { position: 0 })],
    })
    assert.deepEqual(late.settle(result('a', 2, { position: 0 }), []), [])
    assert.equal(late.sift(claimed('a', 0), 2), null, 'written down: remembered no more')
    assert.deepEqual(goes(late, claimed('a', 2), 2), [])
  })

  test('is remembered through a second loss of the lease', () => {
    const late = new LateResults()
    late.settle(result('a', 1, { position: 0 }), [0])
    const [again] = late.sift(claimed('a', 0), 2)!.done
    assert.deepEqual(late.settle(again!, [0]), [])
    assert.deepEqual(late.sift(claimed('a', 0), 3)?.done, [result('a', 3, { position: 0 })])
  })

  test('counts when the message arrived or may have; any other is had by another attempt', () => {
    const late = new LateResults()
    late.settle(
      result(
        'a',
        1,
        { position: 0, state: 'waiting', uncertain: true },
        { position: 1, state: 'waiting' },
        { position: 2, state: 'waiting', tried: false },
        { position: 3, state: 'bounced' },
      ),
      [0, 1, 2, 3],
    )
    assert.deepEqual(goes(late, claimed('a', 0, 1, 2, 3), 2), [1, 2, 3])
  })

  test('is forgotten after an hour, and the oldest when there are very many', () => {
    let now = 0
    const late = new LateResults(() => now)
    late.settle(result('a', 1, { position: 0 }), [0])
    now = HOUR
    assert.deepEqual(goes(late, claimed('a', 0), 2), [0])
    for (let index = 0; index <= 10_000; index++) late.settle(result(`b${index}`, 1, { position: 0 }), [0])
    assert.deepEqual(goes(late, claimed('b0', 0), 2), [0])
    assert.deepEqual(goes(late, claimed('b1', 0), 2), [])
    assert.deepEqual(goes(late, claimed('b10000', 0), 2), [])
  })
})

describe('a recipient that is still under way from an older lease', () => {
  test('waits under the new one for the end of its attempt, whatever that is', () => {
    const late = new LateResults()
    const email = claimed('a', 0, 1)
    const ready = begun(email, 1)
    late.begin(ready)
    assert.deepEqual(late.sift(claimed('a', 0, 1, 2), 2), { go: [{ position: 2 }], done: [] })
    const attempt = result('a', 1, { position: 0 }, { position: 1, state: 'waiting', tried: false })
    const again = late.settle(attempt, [0, 1], ready)
    assert.deepEqual(again, [{ ...attempt, leaseToken: 2 }])
    assert.deepEqual(late.settle(again[0]!, []), [])
    assert.equal(late.sift(claimed('a', 1), 2), null)
  })

  test('is not begun either when the lease is lost once more before the result is written', () => {
    const late = new LateResults()
    const ready = begun(claimed('a', 0), 1)
    late.begin(ready)
    assert.deepEqual(goes(late, claimed('a', 0), 2), [])
    const [second] = late.settle(result('a', 1, { position: 0 }), [0], ready)
    assert.deepEqual(late.sift(claimed('a', 0), 3)?.done, [result('a', 3, { position: 0 })])
    assert.deepEqual(late.settle(second!, [0]), [])
  })

  test('does not matter while the lease stays', () => {
    const late = new LateResults()
    late.sift(claimed('x', 0), 1)
    late.begin(begun(claimed('a', 0), 1))
    assert.equal(late.sift(claimed('a', 0), 1), null)
  })
})

test('a delivery that ends without a result is divided by the leases of its recipients', () => {
  const late = new LateResults()
  const ready = begun(claimed('a', 0, 1, 2), 1)
  late.begin(ready)
  assert.deepEqual(goes(late, claimed('a', 1), 2), [], 'it waits for the end of the first attempt')
  const parts = late.byLease(ready)
  assert.deepEqual(
    parts.map(({ leaseToken, recipients }) => [leaseToken, recipients.map(({ position }) => position)]),
    [
      [1, [0, 2]],
      [2, [1]],
    ],
  )
})
