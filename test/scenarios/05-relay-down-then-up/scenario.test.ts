/**
 * 05: the relay is down, then up.
 *
 * While nothing listens at the relay, messages are accepted all the same: a 200 means durable, not delivered. They wait, the queue says
 * why, and they leave when the relay is back, each once.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ShownLane, startRelayed } from '../../support/relayed-service.ts'

test('messages wait for a relay that is down and leave when it is back', async () => {
  await using stage = await startRelayed({ POSTROAD_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s' })
  const { sink, api } = stage
  await sink.close()
  const ids = await Promise.all(
    Array.from({ length: 5 }, (_, n) =>
      api.accepted({ from: 'hello@acme.test', to: `n${n}@in.test`, subject: `n${n}`, text: 'waits' }),
    ),
  )
  for (const id of ids) await api.lastEvent(id, 'delivery_delayed')
  const lanes = await stage.installation.command<ShownLane[]>('queue')
  assert.equal(
    lanes.reduce((sum, { waiting, sending }) => sum + waiting + sending, 0),
    5,
  )
  assert.match(lanes[0]!.last_answer ?? '', /refused the connection/)

  await sink.listen()
  await sink.until(5)
  for (const id of ids) await api.lastEvent(id, 'delivered')
  assert.deepEqual(sink.messages.map(({ recipients }) => recipients[0]).sort(), [
    'n0@in.test',
    'n1@in.test',
    'n2@in.test',
    'n3@in.test',
    'n4@in.test',
  ])
})
