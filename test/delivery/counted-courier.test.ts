import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UnrecordedMessages } from '../../src/cluster/unrecorded-messages.ts'
import { CountedCourier } from '../../src/delivery/counted-courier.ts'
import type { Courier } from '../../src/delivery/delivery.ts'
import { deliveryTo } from './route/rig.ts'

const never: Courier = {
  deliver: () => assert.fail('it was not its turn'),
  close: async () => {},
}

test('a place that is granted after the end of the lease is given back', async () => {
  const unrecorded = new UnrecordedMessages(UnrecordedMessages.shared(1, 0))
  const before = unrecorded.place('acme', () => true)
  assert.equal(before.take(), true)
  let holds = true
  const courier = new CountedCourier(never, unrecorded, { holds: () => holds })
  const waits = courier.deliver(deliveryTo(['jane@x.test']))
  holds = false
  before.release(false)
  const { outcomes } = await waits
  assert.deepEqual(
    outcomes.map(({ verdict }) => verdict),
    ['released'],
  )
  assert.equal(unrecorded.held, 0)
})
