import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { withoutPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { Fleet, Gate } from './fleet.ts'

/** Messages that may be handed over and not recorded, and sessions that could hand one over at the same moment. */
const BOUND = 16
const SESSIONS = 60

test('a node that is killed while the database does not answer has handed over no more than its bound unrecorded', {
  skip: withoutPostgres(),
}, async () => {
  const gate = new Gate()
  gate.close()
  await using fleet = await Fleet.start({
    settings: {
      POSTROAD_NODE_TIMEOUT: '300s',
      POSTROAD_MAX_UNRECORDED: String(BOUND),
      // Some are left for other companies.
      POSTROAD_CONCURRENCY: String(2 * SESSIONS),
      POSTROAD_SITE_CONCURRENCY: String(SESSIONS),
      POSTROAD_DELIVERY_THREADS: '2',
    },
    script: async ({ step }) => {
      // The answer to DATA: each session goes straight on to its final dot then.
      if (step === 'data') await gate.pass()
      return undefined
    },
  })
  const { sink } = fleet
  const node = await fleet.node('one', 'api,delivery')
  const sent = await fleet.send(node, SESSIONS + 20)
  await until(() => gate.waiting === SESSIONS, 'all sessions to have begun')

  const operator = new pg.Client({ connectionString: fleet.database })
  await operator.connect()
  await operator.query('BEGIN; LOCK TABLE queue IN ACCESS EXCLUSIVE MODE')
  gate.open()
  await until(async () => (await node.metric('postroad_unrecorded')) === BOUND, 'the bound to be reached')
  // Two seconds in which no result is written.
  await until(async () => (await node.metric('postroad_delivery_halted')) === 1, 'delivery to halt')
  assert.equal(await node.metric('postroad_unrecorded'), BOUND)
  assert.equal(sink.messages.length, BOUND)
  await node.child.kill('SIGKILL')
  // Its last statement would be carried out once the lock is gone.
  await operator.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  await operator.query('ROLLBACK')
  await operator.end()

  const again = await fleet.node('one', 'api,delivery')
  await fleet.arrived(sent)
  await fleet.recorded()
  const doubled = fleet.doubled().length
  assert.ok(doubled > 0 && doubled <= BOUND, `${doubled} came twice`)
  assert.equal(await again.metric('postroad_unrecorded'), 0)
})
