/**
 * 07: scheduled and canceled.
 *
 * An email with `scheduled_at` is accepted now, shows as scheduled, and leaves when its time has come, also when the service was down in
 * between and also when it is the only thing to do. Until then the operator can cancel it; then it never leaves.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRelayed } from '../../support/relayed-service.ts'

test('a scheduled message leaves when its time has come, not before', async () => {
  await using stage = await startRelayed()
  const { sink } = stage
  const dueAt = Date.now() + 2500
  const id = await stage.api.accepted({
    from: 'hello@acme.test',
    to: 'later@in.test',
    subject: 'later',
    text: 'later',
    scheduled_at: new Date(dueAt).toISOString(),
  })
  const far = await stage.api.accepted({
    from: 'hello@acme.test',
    to: 'far@in.test',
    subject: 'far',
    text: 'far',
    scheduled_at: new Date(Date.now() + 5 * 86_400_000).toISOString(),
  })
  for (const scheduled of [id, far])
    assert.equal((await stage.api.read(scheduled)).body.last_event, 'scheduled')

  await stage.service.kill('SIGKILL')
  await stage.startAgain()
  const message = await sink.next()
  assert.deepEqual(message.recipients, ['later@in.test'])
  assert.ok(message.at >= dueAt, 'left before its time')
  await stage.api.lastEvent(id, 'delivered')
  assert.equal((await stage.api.read(far)).body.last_event, 'scheduled')

  assert.deepEqual(await stage.installation.command('email', 'cancel', far), {
    id: far,
    canceled: 1,
    sending: 0,
  })
  assert.equal((await stage.api.read(far)).body.last_event, 'canceled')
  // What has left cannot be canceled.
  await assert.rejects(stage.installation.command('email', 'cancel', id), /nothing to cancel/)
  assert.equal(sink.messages.length, 1)
})
