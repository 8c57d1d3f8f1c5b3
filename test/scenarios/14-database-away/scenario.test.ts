/**
 * 14: the database is away, and comes back.
 *
 * PostgreSQL is restarted, crashes, takes no more connections, or cuts off those it has, while mail comes in and goes out. As long as
 * nothing can be made durable, nothing is accepted: 503 with a time to try again, and none of it is sent. Delivery pauses. When
 * the database is back both go on by themselves: everything that had a 200 arrives once, and is on record as delivered.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { PostgresCluster } from '../../../harness/postgres-cluster.ts'
import { parseDatabase } from '../../../src/config/parse/database.ts'
import { openStore } from '../../../src/store/open.ts'
import { ApiClient } from '../../support/api-client.ts'
import { onPostgres } from '../../support/engine.ts'
import { Installation } from '../../support/installation.ts'
import { createDatabase, execute, withoutPostgres } from '../../support/postgres.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'
import { Load } from './load.ts'

/** Has a server of its own, whatever the engine of this run: once is enough. */
const skip = onPostgres ? 'told already' : withoutPostgres()

const SENDERS = 8
/** Answers of each kind that show the state of things. */
const SOME = 20

test('mail with a 200 arrives once, mail with a 503 never, whatever happens to the database', {
  skip,
}, async (t) => {
  await using cluster = await PostgresCluster.start({ durable: true })
  // A user without superuser rights, for whom limits of connections hold.
  await execute(cluster.url, "CREATE ROLE mail LOGIN PASSWORD 'secret'")
  const asAdministrator = await createDatabase(cluster.url)
  const { pathname } = new URL(asAdministrator)
  const name = pathname.slice(1)
  await execute(cluster.url, `ALTER DATABASE ${name} OWNER TO mail`)
  const url = new URL(asAdministrator)
  url.username = 'mail'
  url.password = 'secret'

  await using sink = await startSink()
  await using installation = new Installation({
    POSTROAD_DATABASE_URL: url.href,
    POSTROAD_SECRET_KEY: randomBytes(32).toString('hex'),
    POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
    POSTROAD_RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s,1s,1s',
  })
  const { token } = await installation.addTenant('acme.test')
  const service = await installation.serve()
  const load = new Load(new ApiClient(service.url, token), SENDERS)
  await load.more('accepted', SOME)

  const cutOff = () =>
    execute(
      cluster.url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = $2',
      [name, 'mail'],
    )
  const isReady = async () => (await fetch(`${service.url}/ready`)).status

  for (const how of ['fast', 'kill'] as const) {
    await (how === 'kill' ? cluster.kill() : cluster.stop(how))
    await load.more('refused', SOME)
    // That it was ready holds for a second: looking costs a commit.
    await until(async () => (await isReady()) === 503, 'the service says that it is not ready')
    // Whatever was under way is answered by now: nothing is accepted any more.
    const before = load.accepted.length
    await load.more('refused', SOME)
    assert.equal(load.accepted.length, before)
    await cluster.start()
    await load.more('accepted', SOME)
    assert.equal(await isReady(), 200)
  }

  await execute(cluster.url, `ALTER DATABASE ${name} CONNECTION LIMIT 0`)
  await cutOff()
  await load.more('refused', SOME)
  await execute(cluster.url, `ALTER DATABASE ${name} CONNECTION LIMIT -1`)
  await load.more('accepted', SOME)

  for (let times = 0; times < 3; times++) {
    await cutOff()
    await load.more('accepted', SOME)
  }

  await load.stop()
  t.diagnostic(`${load.accepted.length} accepted, ${load.refused.length} refused`)
  assert.deepEqual(load.surprises, [])
  assert.ok(service.alive)

  const api = new ApiClient(service.url, token)
  for (const to of load.accepted) await sink.messageFor(to)
  // The last one accepted was the last to be delivered, or nearly: then nothing is left that could still come.
  const last = await api.accepted({ from: 'a@acme.test', to: 'last@in.test', subject: 'last', text: 'x' })
  await api.lastEvent(last, 'delivered')
  const arrived = sink.messages.flatMap(({ recipients }) => recipients)
  assert.deepEqual(arrived.toSorted(), [...load.accepted, 'last@in.test'].toSorted())

  const store = await openStore(parseDatabase(url.href), { exclusive: false })
  const listed = await store.listEmails({ limit: arrived.length + 1 }).finally(() => store.close())
  assert.deepEqual(listed.flatMap(({ to }) => to).toSorted(), arrived.toSorted())
  assert.deepEqual(
    listed.filter(({ lastEvent }) => lastEvent !== 'delivered'),
    [],
  )
  assert.equal(await service.kill('SIGTERM'), 0)
})
