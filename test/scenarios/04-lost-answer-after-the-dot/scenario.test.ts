/**
 * 04: the answer is lost after the final dot.
 *
 * The server receives the whole message and the connection breaks before its answer. Its decision is unknown. The attempt is
 * recorded as uncertain, and the message is sent again later, never at once, as the same octets with the same Message-ID, so that the
 * receiving side can tell it is the same.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRelayed } from '../../support/relayed-service.ts'

test('a message whose answer was lost is sent again later, as the same message', async () => {
  await using stage = await startRelayed({ POSTROAD_RETRY_SCHEDULE: '1s,1s' })
  const { sink, api } = stage
  let dots = 0
  sink.script = ({ step }) => (step === 'dot' && dots++ === 0 ? { close: true } : undefined)
  const id = await api.accepted({
    from: 'hello@acme.test',
    to: 'maybe@in.test',
    subject: 'once?',
    text: 'once?',
  })
  const [first, second] = await sink.until(2)
  assert.equal(first!.answer, null)
  assert.ok(second!.raw.equals(first!.raw), 'the second attempt is not the same message')
  assert.ok(second!.at - first!.at >= 1000, 'sent again at once')

  await api.lastEvent(id, 'delivered')
  const { recipients, attempts, events } = await stage.show(id)
  assert.equal(recipients[0]!.attempts, 2)
  assert.equal(attempts.length, 2)
  const delayed = events.find(({ type }) => type === 'delivery_delayed')
  assert.ok(delayed, 'nothing tells that the first attempt is uncertain')
  assert.match(delayed.message ?? '', /may have been delivered|uncertain|answer/i)
  assert.equal(sink.messages.length, 2)
})
