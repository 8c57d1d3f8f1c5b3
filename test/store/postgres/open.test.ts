import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { describe, test } from 'node:test'
import { migrate } from '../../../src/store/postgres/migrate.ts'
import { MIGRATIONS } from '../../../src/store/postgres/migrations/migrations.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { StoreConflict, StoreUnavailable } from '../../../src/store/store.ts'
import {
  createDatabase,
  emptyDatabase,
  execute,
  freshDatabase,
  sharedServer,
  withoutPostgres,
} from '../../support/postgres.ts'
import { migrationsBefore } from '../migrations-before.ts'
import { acme, claimRequest, email, newId, node } from '../samples.ts'
import { assertAnnounced, INSERT_TOLD } from '../told-alerts.ts'
import { assertChecked, INSERT_UNCHECKED } from '../unchecked-domains.ts'
import { assertSummedUp, INSERT_UNSUMMED, keepEmptyReport } from '../unsummed-rows.ts'

const PASSWORD = 'not-to-be-shown'

function withParts(url: string, change: Partial<URL>): string {
  return Object.assign(new URL(url), { password: PASSWORD, ...change }).href
}

async function reason(opening: Promise<unknown>, kind: typeof StoreUnavailable): Promise<string> {
  const error = await opening.then(
    () => assert.fail('it opened'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof kind, String(error))
  assert.doesNotMatch(error.message, new RegExp(PASSWORD))
  return error.message
}

/** Asks for SCRAM, as PostgreSQL does by default. Where there is no password, no more of it is needed. */
async function asksForPassword(): Promise<Server> {
  const message = (code: number, text: string) => {
    const head = Buffer.from([0x52, 0, 0, 0, 8 + text.length, 0, 0, 0, code])
    return Buffer.concat([head, Buffer.from(text)])
  }
  const answers = [message(10, 'SCRAM-SHA-256\0\0'), message(11, 'r=x,s=eA==,i=4096')]
  const server = createServer((socket) => {
    let next = 0
    socket.on('error', () => {}).on('data', () => socket.write(answers[next++] ?? ''))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

test('opening a PostgreSQL database without its password names the password as the cause', async () => {
  const server = await asksForPassword()
  const { port } = server.address() as AddressInfo
  try {
    const opening = PostgresStore.open(`postgres://postroad@127.0.0.1:${port}/postroad`)
    assert.match(
      await reason(opening, StoreUnavailable),
      /is not available: it requires a password, but none was given.*PGPASSWORD/,
    )
  } finally {
    server.close()
  }
})

test('opening a PostgreSQL database names an unreadable file of the URL, and its option', async () => {
  for (const option of ['sslrootcert', 'sslcert', 'sslkey']) {
    for (const [path, why] of [
      ['/nowhere/ca.pem', 'there is no such file'],
      ['/', 'EISDIR'],
    ]) {
      const opening = PostgresStore.open(
        `postgres://u:${PASSWORD}@127.0.0.1:1/d?sslmode=verify-full&${option}=${path}`,
      )
      assert.match(
        await reason(opening, StoreUnavailable),
        new RegExp(
          `1/d is not available: the file ${path} cannot be read \\(${why}.*Correct "${option}=" in the database URL`,
        ),
      )
    }
  }
})

test('opening a server that is not PostgreSQL gives an error that says so', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  try {
    for (const options of ['', '?sslmode=verify-full']) {
      const opening = PostgresStore.open(
        `postgres://postroad:${PASSWORD}@127.0.0.1:${port}/postroad${options}`,
      )
      assert.match(await reason(opening, StoreUnavailable), /may not be PostgreSQL: check host and port/)
    }
  } finally {
    server.close()
  }
})

describe('opening a PostgreSQL database', { skip: withoutPostgres() }, () => {
  test('says that no server answers there', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postroad`
    const message = await reason(PostgresStore.open(url), StoreUnavailable)
    assert.match(
      message,
      new RegExp(`127\\.0\\.0\\.1:${port}/postroad is not available: nothing answers there`),
    )
  })

  test('says that there is no database with that name', async () => {
    const url = Object.assign(new URL(await sharedServer()), { pathname: '/nowhere' }).href
    assert.match(
      await reason(PostgresStore.open(url), StoreUnavailable),
      /no database with that name.*createdb/,
    )
  })

  test('says that the server refuses the user', async () => {
    const url = withParts(await sharedServer(), { username: 'nobody_of_that_name' })
    assert.match(await reason(PostgresStore.open(url), StoreUnavailable), /user name/)
  })

  test('says that the user may not log in', async () => {
    const server = await sharedServer()
    const role = `no_login_${newId().replaceAll('-', '')}`
    await execute(server, `CREATE ROLE ${role} NOLOGIN PASSWORD '${PASSWORD}'`)
    try {
      const message = await reason(
        PostgresStore.open(withParts(server, { username: role })),
        StoreUnavailable,
      )
      assert.match(message, /it refuses this user: .*may not log in.*Correct the user name in .*\(28000\)/)
    } finally {
      await execute(server, `DROP ROLE ${role}`)
    }
  })

  test('refuses a schema of a newer version, and leaves it alone', async (t) => {
    const url = await freshDatabase(t)
    await (await PostgresStore.open(url)).close()
    await execute(url, "INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, 'later', 0)")
    assert.match(await reason(PostgresStore.open(url), StoreConflict), /has schema 99.*newer version/)
  })

  test('refuses the schema of another version, and gives the next step', async (t) => {
    const url = await freshDatabase(t)
    await (await PostgresStore.open(url)).close()
    await execute(url, "UPDATE schema_migrations SET name = '0001-earlier'")
    assert.match(
      await reason(PostgresStore.open(url), StoreConflict),
      /has "0001-earlier" where this Postroad has "\S+": .*name a new database/,
    )
  })

  test('sums up rows of DMARC reports from before the sums, too', async (t) => {
    const url = await emptyDatabase(t)
    await migrate(url, migrationsBefore('0025', MIGRATIONS))
    await execute(url, INSERT_UNSUMMED)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    await assertSummedUp(store)
  })

  test('sums up rows that a node from before the sums writes beside newer ones', async (t) => {
    const url = await emptyDatabase(t)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    await execute(url, INSERT_UNSUMMED)
    await keepEmptyReport(store)
    await assertSummedUp(store)
  })

  test('keeps what channels know of problems, and leaves nothing to announce to nodes of the version before', async (t) => {
    const url = await emptyDatabase(t)
    await migrate(url, migrationsBefore('0029', MIGRATIONS))
    await execute(url, INSERT_TOLD)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    await assertAnnounced(store)
    await execute(url, "INSERT INTO alerts (id, title, found, since) VALUES ('old', 'T', 'F.', 4)")
    const untold = `SELECT id FROM alerts
      WHERE (told_at IS NULL OR ended_at IS NOT NULL) AND claimed_until <= ${Date.now()}`
    assert.deepEqual(await execute(url, untold), [])
  })

  test('checks a domain soon that was never verified', async (t) => {
    const url = await emptyDatabase(t)
    await migrate(url, migrationsBefore('0031', MIGRATIONS))
    await execute(url, INSERT_UNCHECKED)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    await assertChecked(store)
  })

  test('updates the schema under a running node, or leaves it as it was', async (t) => {
    const url = await freshDatabase(t)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    const owner = await acme(store)
    const versions = 'SELECT version, name FROM schema_migrations ORDER BY version'
    const shipped = MIGRATIONS.map(({ name }, index) => ({ version: index + 1, name }))
    const [at, next] = [shipped.length, shipped.length + 1]
    const broken = { name: 'broken', sql: 'CREATE TABLE u (x integer); INSERT INTO missing VALUES (1)' }
    await assert.rejects(migrate(url, [...MIGRATIONS, broken]), /missing/)
    assert.deepEqual(await execute(url, versions), shipped)
    assert.deepEqual(await execute(url, "SELECT to_regclass('u') AS made"), [{ made: null }])

    const before = email(owner, ['a@x.test'])
    await store.accept(before, null)
    const sql = 'ALTER TABLE emails ADD COLUMN priority integer NOT NULL DEFAULT 3'
    const upgraded = [...MIGRATIONS, { name: 'priority', sql }]
    assert.deepEqual(await migrate(url, upgraded), { from: at, to: next })
    assert.deepEqual(await migrate(url, upgraded), { from: next, to: next })
    assert.deepEqual(await execute(url, versions), [...shipped, { version: next, name: 'priority' }])
    const after = email(owner, ['b@x.test'])
    await store.accept(after, null)
    const claimed = await store.claim(claimRequest(await store.join(node('here'))))
    assert.deepEqual(claimed.map(({ id }) => id).sort(), [before.id, after.id].sort())
    assert.deepEqual(await execute(url, 'SELECT priority FROM emails'), [{ priority: 3 }, { priority: 3 }])
    assert.match(await reason(PostgresStore.open(url), StoreConflict), /has schema \d+.*newer version/)
  })

  test('refuses a database of another program, and leaves it alone', async (t) => {
    const url = await emptyDatabase(t)
    await execute(url, 'CREATE TABLE orders (id integer)')
    assert.match(await reason(PostgresStore.open(url), StoreConflict), /tables of another program/)
    const tables = await execute(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    assert.deepEqual(tables, [{ tablename: 'orders' }])
  })

  test('refuses a database that cannot hold every character', async () => {
    const url = await createDatabase(await sharedServer())
    const name = new URL(url).pathname.slice(1)
    await execute(await sharedServer(), `DROP DATABASE ${name}`)
    await execute(
      await sharedServer(),
      `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`,
    )
    const message = await reason(PostgresStore.open(url), StoreConflict)
    assert.match(message, /encoding LATIN1.*UTF8.*createdb/)
    assert.deepEqual(await execute(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), [])
    await execute(await sharedServer(), `DROP DATABASE ${name}`)
  })

  test('that has become read-only takes nothing, and takes everything again once it can be written', async () => {
    const url = await createDatabase(await sharedServer())
    const name = new URL(url).pathname.slice(1)
    const store = await PostgresStore.open(url)
    const owner = await acme(store)
    await execute(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    // Sessions keep the setting they began with, as they keep leading to the old primary after a failover.
    await execute(
      await sharedServer(),
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
    const value = email(owner, ['a@x.test'])
    const refused = async () => {
      // One of the lost sessions may still be met first.
      for (;;) {
        await store.accept(value, null).catch((error: Error) => {
          if (!error.message.includes('terminating connection')) throw error
        })
      }
    }
    await assert.rejects(refused, { name: 'StoreUnavailable', message: /because it is a standby/ })
    await execute(await sharedServer(), `ALTER DATABASE ${name} RESET default_transaction_read_only`)
    assert.equal((await store.accept({ ...value, id: newId() }, null)).kind, 'accepted')
    assert.equal(await store.readEmail(value.id), null)
    await store.close()
    await execute(await sharedServer(), `DROP DATABASE ${name}`)
  })
})
