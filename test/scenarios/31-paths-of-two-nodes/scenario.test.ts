/**
 * 31: two nodes before servers that refuse this service (a relay, PostgreSQL).
 *
 * One node meets the refusal, and closes the path. The other one, which starts later, does not ask: its mail waits without an attempt.
 * When the operator asks for a try, the nodes together make one. It succeeds, and all mail of both nodes leaves, each message once.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fleet, Gate } from '../../nodes/fleet.ts'
import { withoutPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

const CLOSED = 'postroad_paths_closed{kind="path"}'

test('a path that one node has closed costs all of them one try, and is open for all at once', {
  skip: withoutPostgres(),
}, async () => {
  let refuses = true
  const gate = new Gate()
  await using fleet = await Fleet.start({
    // No try comes by itself while the test runs.
    settings: { POSTROAD_RETRY_SCHEDULE: '10h,10h' },
    script: async ({ step }) => {
      if (step !== 'connect') return undefined
      if (refuses) return { reply: '554 5.7.1 Your address is blocked', close: true }
      await gate.pass()
      return undefined
    },
  })
  const { sink } = fleet
  const first = await fleet.node('first', 'api,delivery')
  const sent = await fleet.send(first, 5)
  await until(async () => (await first.metric(CLOSED)) === 1, 'the refusal')
  const second = await fleet.node('second', 'api,delivery')
  await until(async () => (await second.metric(CLOSED)) === 1, 'the other node to know of it')

  const asked = sink.connections
  for (const [address, id] of await fleet.send(second, 10)) {
    sent.set(address, id)
    await second.api.lastEvent(id, 'delivery_delayed')
  }
  assert.equal(sink.connections, asked, 'it has not asked')
  const [recipient] = (
    await fleet.installation.command<{ recipients: { attempts: number; message: string }[] }>(
      'email',
      'show',
      [...sent.values()].at(-1)!,
    )
  ).recipients
  assert.equal(recipient!.attempts, 0)
  assert.match(recipient!.message, /^Not attempted, because other mail on this path failed: /)

  refuses = false
  gate.close()
  await fleet.installation.command('queue', 'retry')
  await until(() => gate.waiting > 0, 'a try')
  for (const [address, id] of await fleet.send(first, 5)) sent.set(address, id)
  for (const [address, id] of await fleet.send(second, 5)) sent.set(address, id)
  assert.equal(gate.waiting, 1)
  assert.equal(sink.connections, asked + 1, 'one try of all nodes')
  gate.open()
  await fleet.arrived(sent)
  await fleet.recorded()
  assert.deepEqual(fleet.doubled(), [])
})
