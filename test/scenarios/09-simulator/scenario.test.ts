/**
 * 09: the simulator.
 *
 * Addresses under simulator.test, and the same under resend.dev, end as they are named, in every mode, without a connection: so that an application can be tried against
 * each outcome. A label after + is kept and changes nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRelayed } from '../../support/relayed-service.ts'

const ENDS: [address: string, lastEvent: string][] = [
  ['delivered@simulator.test', 'delivered'],
  ['delivered+label@simulator.test', 'delivered'],
  ['bounced@simulator.test', 'bounced'],
  ['complained@simulator.test', 'complained'],
  ['delayed@simulator.test', 'delivery_delayed'],
  ['suppressed@simulator.test', 'suppressed'],
  ['delivered+label@resend.dev', 'delivered'],
  ['bounced@resend.dev', 'bounced'],
  ['complained@resend.dev', 'complained'],
  ['suppressed@resend.dev', 'suppressed'],
]

test('simulator addresses end as they are named, and nothing leaves', async () => {
  await using stage = await startRelayed()
  const { sink, api } = stage
  for (const [to, lastEvent] of ENDS) {
    const id = await api.accepted({ from: 'hello@acme.test', to, subject: 'try', text: 'try' })
    await api.lastEvent(id, lastEvent)
    assert.deepEqual((await api.read(id)).body.to, [to])
  }
  assert.equal(sink.connections, 0)
})
