import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { findEmails } from '../../src/events/find-emails.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { freshDatabase, withoutPostgres } from '../support/postgres.ts'
import { accept, acme, email, newId } from './samples.ts'

/** An email among others, at a place of its own. */
const BELATED = `INSERT INTO emails
  SELECT (jsonb_populate_record(e, jsonb_build_object('id', $1::text, 'seq', $2::bigint))).* FROM emails e WHERE e.id = $3`

test('paging towards the newest emails misses none that is committed late', {
  skip: withoutPostgres(),
}, async (t) => {
  const url = await freshDatabase(t)
  const store = await PostgresStore.open(url)
  t.after(() => store.close())
  const other = new Client({ connectionString: url })
  await other.connect()
  t.after(() => other.end())
  const owner = await acme(store)
  const first = await accept(store, email(owner, ['a@x.test']))
  const newerThan = async (id: string) => {
    const { emails, complete } = await findEmails(
      store,
      { companyId: owner.id },
      { newerThan: id, limit: 10 },
    )
    return [emails.map((each) => each.id), complete]
  }

  await other.query('BEGIN')
  const { rows } = await other.query<{ place: string }>(
    `SELECT nextval('emails_seq_seq') AS place FROM pg_current_xact_id()`,
  )
  const later = await accept(store, email(owner, ['a@x.test']))
  assert.deepEqual(await newerThan(first.id), [[], true], 'one that is under way comes before it')
  const { emails } = await findEmails(store, { companyId: owner.id }, { limit: 10 })
  assert.deepEqual(
    emails.map(({ id }) => id),
    [later.id, first.id],
    'the newest are shown at once',
  )

  const belated = newId()
  await other.query(BELATED, [belated, rows[0]!.place, first.id])
  await other.query('COMMIT')
  assert.deepEqual(await newerThan(first.id), [[later.id, belated], true])
})

test('a transaction in another database of the server delays no other', {
  skip: withoutPostgres(),
}, async (t) => {
  const store = await PostgresStore.open(await freshDatabase(t))
  t.after(() => store.close())
  const elsewhere = new Client({ connectionString: await freshDatabase(t) })
  await elsewhere.connect()
  t.after(() => elsewhere.end())
  await elsewhere.query('BEGIN')
  await elsewhere.query('SELECT pg_current_xact_id()')
  const owner = await acme(store)
  const first = await accept(store, email(owner, ['a@x.test']))
  const second = await accept(store, email(owner, ['a@x.test']))
  const { emails } = await findEmails(store, { companyId: owner.id }, { newerThan: first.id, limit: 10 })
  assert.deepEqual(
    emails.map(({ id }) => id),
    [second.id],
  )
  const { events } = await store.eventsAfter(0, {}, 10)
  assert.deepEqual(
    events.map(({ emailId }) => emailId),
    [first.id, second.id],
  )
  assert.equal(await store.lastEventNumber(), events.at(-1)!.number)
})
