/**
 * 03: greylisted.
 *
 * The server turns the first attempt away with 451 and takes the second one, as greylisting does (RFC 6647). Until then the email is
 * delayed, not failed; it shows the reply of the server and the time of the next attempt; and the delivered message has the same Message-ID.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRelayed } from '../../support/relayed-service.ts'

test('a greylisted message is delayed, shows the reason, and arrives with the second attempt', async () => {
  await using stage = await startRelayed({ POSTROAD_RETRY_SCHEDULE: '6s,6s,6s' })
  const { sink, api } = stage
  let seen = 0
  sink.script = ({ step }) =>
    step === 'rcpt' && seen++ === 0 ? { reply: '451 4.7.1 greylisted, come back' } : undefined
  const id = await api.accepted({
    from: 'hello@acme.test',
    to: 'patient@in.test',
    subject: 'grey',
    text: 'grey',
  })

  await api.lastEvent(id, 'delivery_delayed')
  const { recipients, events } = await stage.show(id)
  assert.equal(recipients[0]!.state, 'waiting')
  const delayed = events.find(({ type }) => type === 'delivery_delayed')!
  assert.equal(delayed.code, 451)
  assert.match(delayed.message ?? '', /greylisted, come back/)
  const next = Date.parse(delayed.next_attempt_at ?? '')
  const at = Date.parse(delayed.at)
  assert.ok(next >= at + 6000 && next <= at + 6700, 'the next attempt is not due by the schedule')

  const message = await sink.next()
  assert.ok(message.at >= next, 'tried before it was due')
  await api.lastEvent(id, 'delivered')
  const { body } = await api.read(id)
  assert.ok(message.raw.includes(`Message-ID: ${body.message_id}`))
  assert.equal((await stage.show(id)).recipients[0]!.attempts, 2)
  assert.equal(sink.messages.length, 1)
})
