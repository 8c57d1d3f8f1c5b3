import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Company } from '../../../../src/accounts/account.ts'
import type { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import type { NewEmail } from '../../../../src/store/store.ts'
import { execute, withoutPostgres } from '../../../support/postgres.ts'
import { postgresWithCompany } from '../../opened.ts'
import {
  accept,
  attempt,
  claimRequest,
  DAY,
  deferred,
  email,
  HOUR,
  NOW,
  result,
  states,
} from '../../samples.ts'
import { lockAwaited, rivalOf } from './rival.ts'

const LATER = NOW + HOUR

function several(owner: Company, count: number): NewEmail {
  const addresses = Array.from({ length: count }, (_, n) => `r${n}@x${n % 3}.test`)
  return email(owner, addresses, { individual: true })
}

function positionsOf({ recipients }: NewEmail): number[] {
  return [...recipients.keys()]
}

/** What walks over live work. Each brings `value`, leased under the token 1, to where it begins, and says how many it took. */
const WALKS: {
  name: string
  /** Rows it writes in one transaction, at most. */
  most: number
  begin: (store: PostgresStore, value: NewEmail) => Promise<unknown>
  walk: (store: PostgresStore, value: NewEmail) => Promise<number>
}[] = [
  {
    name: 'recover',
    most: 500,
    begin: async () => {},
    walk: (store) => store.recover({ now: NOW, jitterMs: 0 }),
  },
  {
    name: 'releaseHeld',
    most: 500,
    begin: (store, value) => {
      const held = { held: true, tried: false, events: [] }
      return store.record(
        attempt(
          value,
          1,
          positionsOf(value).map((n) => deferred(n, LATER, held)),
        ),
      )
    },
    walk: (store, { domainId }) => store.releaseHeld(domainId, { now: NOW, dueBefore: LATER + 1 }),
  },
  {
    name: 'releaseQuarantined',
    most: 500,
    begin: (store, { id, ...value }) => {
      const aside = { emailId: id, leaseToken: 1, others: 'suspect' as const, at: NOW, message: '' }
      return store.quarantine({ ...aside, positions: positionsOf({ id, ...value }) })
    },
    walk: (store) => store.releaseQuarantined({ companyId: null, emailId: null }, NOW),
  },
  {
    name: 'retry',
    most: 1_000,
    begin: (store, value) =>
      store.record(
        attempt(
          value,
          1,
          positionsOf(value).map((n) => deferred(n, LATER, { events: [] })),
        ),
      ),
    walk: async (store) =>
      (await store.retry({ companyId: null, domains: null, emailId: null, now: NOW })).retried,
  },
]

/** Notes how many rows of a table each transaction writes in one way. */
async function meter(url: string, table: string, way: 'UPDATE' | 'DELETE') {
  const rows = way === 'UPDATE' ? 'NEW' : 'OLD'
  await execute(
    url,
    `CREATE TABLE written (transaction text, rows bigint);
     CREATE FUNCTION meter() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO written SELECT pg_current_xact_id()::text, count(*) FROM rows;
       RETURN NULL;
     END $$;
     CREATE TRIGGER meter AFTER ${way} ON ${table} REFERENCING ${rows} TABLE AS rows
       FOR EACH STATEMENT EXECUTE FUNCTION meter()`,
  )
  return async () => {
    const sql = 'SELECT sum(rows) AS rows FROM written GROUP BY transaction HAVING sum(rows) > 0 ORDER BY 1'
    return (await execute<{ rows: string }>(url, sql)).map(({ rows }) => Number(rows))
  }
}

describe('locks of PostgreSQL', { skip: withoutPostgres() }, () => {
  for (const { name, most, begin, walk } of WALKS) {
    test(`${name} passes over rows locked by another transaction, and comes back for them`, async (t) => {
      const { url, store, owner } = await postgresWithCompany(t)
      const value = several(owner, 6)
      await store.accept(value, { token: 1 })
      await begin(store, value)
      const rival = await rivalOf(t, url)
      await rival.query('SELECT 1 FROM queue WHERE email = $1 AND position = 3 FOR UPDATE', [value.id])
      assert.equal(await walk(store, value), 5)
      await rival.query('ROLLBACK')
      assert.equal(await walk(store, value), 1)
      assert.deepEqual(await states(store, value.id), Array(6).fill('waiting'))
      assert.equal((await store.claim(claimRequest(2)))[0]?.recipients.length, 6)
    })

    test(`${name} writes a long queue in small transactions`, async (t) => {
      const { url, store, owner } = await postgresWithCompany(t)
      const value = several(owner, 2_200)
      await store.accept(value, { token: 1 })
      await begin(store, value)
      const written = await meter(url, 'queue', 'UPDATE')
      const before = store.commits
      assert.equal(await walk(store, value), 2_200)
      const sizes = await written()
      assert.equal(
        sizes.reduce((sum, size) => sum + size, 0),
        2_200,
      )
      assert.ok(Math.max(...sizes) <= most, sizes.join())
      assert.ok(store.commits - before >= 3, String(store.commits - before))
    })
  }

  test('recover does not wait for a recipient of the same email that another transaction has', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const value = email(owner, ['a@x.test', 'b@y.test'])
    await store.accept(value, { token: 1 })
    await store.record(attempt(value, 1, [deferred(1, LATER)]))
    const rival = await rivalOf(t, url)
    await rival.query('SELECT 1 FROM queue WHERE email = $1 AND position = 1 FOR UPDATE', [value.id])
    assert.equal(await store.recover({ now: NOW, jitterMs: 0 }), 1)
    const [work] = await store.claim(claimRequest(2))
    assert.deepEqual(
      work?.recipients.map(({ position, suspicion }) => [position, suspicion]),
      [[0, 1]],
    )
  })

  test('a claim finds due recipients beside the rows locked by another transaction', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const value = several(owner, 6)
    await store.accept(value, { token: 1 })
    await store.record(
      attempt(
        value,
        1,
        positionsOf(value).map((n) => deferred(n, LATER)),
      ),
    )
    const rival = await rivalOf(t, url)
    await rival.query('SELECT 1 FROM queue WHERE email = $1 AND position = 3 FOR UPDATE', [value.id])
    const [work] = await store.claim(claimRequest(2, { now: LATER }))
    assert.equal(work?.recipients.length, 5)
    await rival.query('ROLLBACK')
    const [rest] = await store.claim(claimRequest(2, { now: LATER }))
    assert.deepEqual(
      rest?.recipients.map(({ position }) => position),
      [3],
    )
  })

  test('retention passes over emails and keys that another transaction has', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const values = Array.from({ length: 4 }, (_, n) => {
      return email(owner, ['a@x.test'], { idempotency: { key: `k${n}`, fingerprint: 'f' }, createdAt: 1 })
    })
    for (const value of values) {
      await store.accept(value, { token: 1 })
      await store.record(attempt(value, 1, [result(0)]))
    }
    const rival = await rivalOf(t, url)
    await rival.query('SELECT 1 FROM emails WHERE id = $1 FOR UPDATE', [values[1]!.id])
    await rival.query("SELECT 1 FROM idempotency WHERE key = 'k2' FOR UPDATE")
    const request = { contentBefore: NOW, emailsBefore: 0, limit: 10 }
    assert.equal(await store.retain(request), 3)
    const removed = async () => {
      const stored = await Promise.all(values.map(({ id }) => store.readEmail(id)))
      return stored.map((each) => each?.contentRemoved)
    }
    assert.deepEqual(await removed(), [true, false, true, true])
    const keys = await execute<{ key: string }>(url, 'SELECT key FROM idempotency')
    assert.deepEqual(keys, [{ key: 'k2' }])
    await rival.query('ROLLBACK')
    while ((await store.retain(request)) > 0);
    assert.deepEqual(await removed(), [true, true, true, true])
    assert.deepEqual(await execute(url, 'SELECT key FROM idempotency'), [])
  })

  test('retention forgets old keys in small transactions', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const values = Array.from({ length: 120 }, (_, n) =>
      email(owner, ['a@x.test'], { idempotency: { key: `k${n}`, fingerprint: 'f' }, createdAt: 1 }),
    )
    await Promise.all(values.map((value) => store.accept(value, null)))
    const written = await meter(url, 'idempotency', 'DELETE')
    while ((await store.retain({ contentBefore: 0, emailsBefore: 0, limit: 50 })) > 0);
    assert.deepEqual(await written(), [20, 50, 50])
  })

  const bytes = randomBytes(1_000)
  function withFile(owner: Company): NewEmail {
    const value = email(owner, ['a@x.test'], { createdAt: NOW - DAY })
    const file = { filename: 'f', contentType: 'text/plain', disposition: 'attachment' as const }
    return {
      ...value,
      content: { ...value.content, attachments: [{ ...file, content: Buffer.from(bytes) }] },
    }
  }

  test('retention waits for an email that is just being accepted, and leaves it its file', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const old = withFile(owner)
    await store.accept(old, { token: 1 })
    await store.record(attempt(old, 1, [result(0)]))
    const fresh = email(owner, ['a@x.test'])
    await accept(store, fresh)
    const rival = await rivalOf(t, url)
    // As accepting does.
    await rival.query('SELECT 1 FROM blobs FOR KEY SHARE')
    const retained = store.retain({ contentBefore: NOW, emailsBefore: 0, limit: 10 })
    await Promise.race([retained, lockAwaited(url)])
    await rival.query(
      `INSERT INTO attachments (email, position, company, sha256, filename, content_type, disposition)
       SELECT $1, 0, company, sha256, 'f', 'text/plain', 'attachment' FROM blobs`,
      [fresh.id],
    )
    await rival.query('COMMIT')
    assert.equal(await retained, 1)
    assert.equal(await store.readWork(old.id), null)
    const kept = await store.readWork(fresh.id)
    assert.deepEqual(kept?.content.attachments[0]?.content, new Uint8Array(bytes))
  })

  test('retention removes a file after all when the email that was being accepted is not kept', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const old = withFile(owner)
    await store.accept(old, { token: 1 })
    await store.record(attempt(old, 1, [result(0)]))
    const rival = await rivalOf(t, url)
    await rival.query('SELECT 1 FROM blobs FOR KEY SHARE')
    const retained = store.retain({ contentBefore: NOW, emailsBefore: 0, limit: 10 })
    await Promise.race([retained, lockAwaited(url)])
    await rival.query('ROLLBACK')
    assert.equal(await retained, 1)
    assert.deepEqual(await execute(url, 'SELECT company FROM blobs'), [])
  })

  test('an email whose file is just being removed stores it again', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const old = withFile(owner)
    await store.accept(old, { token: 1 })
    const rival = await rivalOf(t, url)
    // As retention does.
    await rival.query('SELECT 1 FROM blobs FOR UPDATE')
    const fresh = withFile(owner)
    const accepted = store.accept(fresh, { token: 1 })
    await Promise.race([accepted, lockAwaited(url)])
    await rival.query('DELETE FROM attachments')
    await rival.query('DELETE FROM blobs')
    await rival.query('COMMIT')
    assert.equal((await accepted).kind, 'accepted')
    const kept = await store.readWork(fresh.id)
    assert.deepEqual(kept?.content.attachments[0]?.content, new Uint8Array(bytes))
  })

  test('emails that bring the same file do not wait for each other', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    await store.accept(withFile(owner), { token: 1 })
    const rival = await rivalOf(t, url)
    await rival.query('SELECT 1 FROM blobs FOR KEY SHARE')
    assert.equal((await store.accept(withFile(owner), { token: 1 })).kind, 'accepted')
  })
})
