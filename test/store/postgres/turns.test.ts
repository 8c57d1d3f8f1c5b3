/** What one company changes, or waits to change, keeps no mail of another waiting for a connection. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { freshDatabase, withoutPostgres } from '../../support/postgres.ts'
import { accept, acme, apiKey, email, HOUR, NOW } from '../samples.ts'
import { lockAwaited, rivalOf } from './faults/rival.ts'

describe('turns of changes in PostgreSQL', { skip: withoutPostgres() }, () => {
  test('changes that wait for locked rows leave connections to other mail', async (t) => {
    const url = await freshDatabase(t)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    const owner = await acme(store)
    const later = email(owner, ['a@x.test'], { dueAt: NOW + HOUR, scheduledAt: NOW + HOUR })
    await store.accept(later, null)
    const rival = await rivalOf(t, url)
    await rival.query('SELECT 1 FROM queue WHERE email = $1 FOR UPDATE', [later.id])
    const changes = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? store.reschedule(later.id, NOW + 2 * HOUR + index, NOW)
        : store.cancelScheduled('00000000-0000-7000-8000-000000000000', NOW),
    )
    await lockAwaited(url)
    // More than there are connections, and each needs one.
    const mails = Array.from({ length: 10 }, () => email(owner, ['b@y.test']))
    await Promise.all(mails.map((mail) => accept(store, mail)))
    await rival.query('ROLLBACK')
    const answers = await Promise.all(changes)
    assert.deepEqual(new Set(answers.map(({ found }) => found)), new Set(['scheduled', 'unknown']))
  })

  test('changes of accounts, which are made one by one, also leave connections to other mail', async (t) => {
    const url = await freshDatabase(t)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    const owner = await acme(store)
    const rival = await rivalOf(t, url)
    await rival.query("SELECT 1 FROM counters WHERE name LIKE '%accounts%' FOR UPDATE")
    const changes = Array.from({ length: 20 }, () => store.addKey(apiKey(owner)))
    await lockAwaited(url)
    const mails = Array.from({ length: 10 }, () => email(owner, ['b@y.test']))
    await Promise.all(mails.map((mail) => accept(store, mail)))
    await rival.query('ROLLBACK')
    await Promise.all(changes)
  })
})
