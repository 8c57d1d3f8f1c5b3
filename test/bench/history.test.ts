/** The history that measurements write straight into the tables is what the service itself would have written: it goes on from there. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { fillHistory } from '../../bench/history/fill.ts'
import { ApiClient } from '../support/api-client.ts'
import { Installation } from '../support/installation.ts'
import { freshDatabase, withoutPostgres } from '../support/postgres.ts'
import type { ShownEmail, ShownLane } from '../support/relayed-service.ts'
import { startSink } from '../support/sink.ts'

const SHAPE = { emails: 120, waiting: 60, domains: 10, octets: 300 }

async function goesOnFromHistory(database: string | null): Promise<void> {
  await using sink = await startSink()
  await using installation = new Installation({
    POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
    ...(database === null
      ? { POSTROAD_DATABASE_URL: 'sqlite:./postroad.db' }
      : { POSTROAD_DATABASE_URL: database, POSTROAD_SECRET_KEY: randomBytes(32).toString('hex') }),
  })
  const tenant = await installation.addTenant('bench.test')
  const later = { ...SHAPE, dueAfter: 3_600_000, dueOver: 3_600_000 }
  await fillHistory({ installation, tenant, database, shape: later })

  const waiting = async () => {
    const lanes = await installation.command<ShownLane[]>('queue')
    return lanes.reduce((sum, lane) => sum + lane.waiting, 0)
  }
  assert.equal(await waiting(), SHAPE.waiting)

  const service = await installation.serve()
  const api = new ApiClient(service.url, tenant.token)
  const id = await api.accepted({ from: 'a@bench.test', to: 'b@new.test', subject: 'new', text: 'new' })
  assert.deepEqual((await sink.next()).recipients, ['b@new.test'])
  const listed = await installation.command<{ id: string }[]>('email', 'list', '--limit', '200')
  assert.equal(listed[0]?.id, id)
  assert.equal(listed.length, 1 + SHAPE.emails + SHAPE.waiting)
  const oldest = await installation.command<ShownEmail>('email', 'show', listed.at(-1)!.id)
  assert.deepEqual(
    oldest.events.map(({ type }) => type),
    ['sent', 'bounced'],
  )
  assert.equal(oldest.recipients[0]?.state, 'bounced')
  await service.kill('SIGTERM')
}

async function deliversWhatIsDue(database: string | null): Promise<void> {
  await using sink = await startSink()
  await using installation = new Installation({
    POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
    ...(database === null
      ? { POSTROAD_DATABASE_URL: 'sqlite:./postroad.db' }
      : { POSTROAD_DATABASE_URL: database, POSTROAD_SECRET_KEY: randomBytes(32).toString('hex') }),
  })
  const tenant = await installation.addTenant('bench.test')
  const due = { ...SHAPE, dueAfter: -60_000, dueOver: 50_000 }
  await fillHistory({ installation, tenant, database, shape: due })
  const service = await installation.serve()
  const messages = await sink.until(SHAPE.waiting)
  const to = messages.flatMap(({ recipients }) => recipients)
  assert.equal(new Set(to).size, SHAPE.waiting)
  assert.ok(to.every((address) => /^n\d+@d\d\.history\.test$/.test(address)))
  assert.equal(await service.kill('SIGTERM'), 0)
}

test('SQLite: the service goes on from what was written', () => goesOnFromHistory(null))
test('SQLite: what was written and is due is delivered', () => deliversWhatIsDue(null))

const skip = withoutPostgres()
test('PostgreSQL: the service goes on from what was written', { skip }, async (t: TestContext) =>
  goesOnFromHistory(await freshDatabase(t)),
)
test('PostgreSQL: what was written and is due is delivered', { skip }, async (t: TestContext) =>
  deliversWhatIsDue(await freshDatabase(t)),
)
