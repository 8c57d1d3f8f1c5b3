/** The history that measurements write straight into the tables is what the service itself would have written: it goes on from there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillHistory } from '../../bench/history/fill.ts'
import { Installation } from '../../harness/service/installation.ts'
import { ApiClient } from '../support/api-client.ts'
import { freshDatabase, withoutPostgres } from '../support/postgres.ts'
import type { ShownEmail } from '../support/relayed-service.ts'
import { startSink } from '../support/sink.ts'

/** The first half of the waiting mail is due, the rest later. */
const SHAPE = {
  emails: 60,
  waiting: 60,
  domains: 10,
  octets: 300,
  related: true,
  // Nothing becomes due at the moment of the test.
  dueAfter: -7_080_000,
  dueOver: 14_400_000,
}
const DUE = SHAPE.waiting / 2

async function goesOnFromHistory(database: string | null): Promise<void> {
  await using sink = await startSink()
  await using installation = new Installation({
    settings: {
      POSTROAD_DELIVERY: `smtp://127.0.0.1:${sink.port}?tls=off`,
      ...(database && { POSTROAD_DATABASE_URL: database, POSTROAD_SECRET_KEY: '5f'.repeat(32) }),
    },
  })
  const tenant = await installation.addTenant('bench.test')
  await fillHistory({ installation, tenant, database, shape: SHAPE })
  assert.equal(await installation.queued(), SHAPE.waiting)

  const service = await installation.serve()
  const messages = await sink.until(DUE)
  const to = new Set(messages.flatMap(({ recipients }) => recipients))
  assert.equal(to.size, DUE)
  assert.ok([...to].every((address) => /^n\d+@d\d\.history\.test$/.test(address)))

  const api = new ApiClient(service.url, tenant.token)
  const id = await api.accepted({ from: 'a@bench.test', to: 'b@new.test', subject: 'new', text: 'new' })
  await sink.messageFor('b@new.test')
  const listed = await installation.command<{ id: string }[]>('email', 'list', '--limit', '200')
  assert.equal(listed[0]?.id, id)
  assert.equal(listed.length, 1 + SHAPE.emails + SHAPE.waiting)
  const oldest = await installation.command<ShownEmail>('email', 'show', listed.at(-1)!.id)
  assert.deepEqual(
    oldest.events.map(({ type }) => type),
    ['sent', 'bounced'],
  )
  assert.equal(oldest.recipients[0]?.state, 'bounced')
  assert.equal(await service.kill('SIGTERM'), 0)
}

test('SQLite: the service delivers due mail from the written history, and goes on', () =>
  goesOnFromHistory(null))
test(
  'PostgreSQL: the service delivers due mail from the written history, and goes on',
  {
    skip: withoutPostgres(),
  },
  async (t) => goesOnFromHistory(await freshDatabase(t)),
)
