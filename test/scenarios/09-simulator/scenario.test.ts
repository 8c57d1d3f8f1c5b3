/**
 * 09: the simulator.
 *
 * Addresses under simulator.test end as they are named, in every mode, without a connection: so that an application can be tried against
 * each outcome. A label after + is kept and changes nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRelayed } from '../../support/relayed-service.ts'

const ENDS: [localPart: string, lastEvent: string][] = [
  ['delivered', 'delivered'],
  ['delivered+label', 'delivered'],
  ['bounced', 'bounced'],
  ['complained', 'complained'],
  ['delayed', 'delivery_delayed'],
  ['suppressed', 'suppressed'],
]

test('simulator addresses end as they are named, and nothing leaves', async () => {
  await using stage = await startRelayed()
  const { sink, api } = stage
  for (const [localPart, lastEvent] of ENDS) {
    const to = `${localPart}@simulator.test`
    const id = await api.accepted({ from: 'hello@acme.test', to, subject: 'try', text: 'try' })
    await api.lastEvent(id, lastEvent)
    assert.deepEqual((await api.read(id)).body.to, [to])
  }
  assert.equal(sink.connections, 0)
})
