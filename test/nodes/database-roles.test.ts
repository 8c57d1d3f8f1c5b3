/** The statements of docs/operations.md give the service the rights it needs, and no other role any rights. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { StoreConflict } from '../../src/store/store.ts'
import { ApiClient } from '../support/api-client.ts'
import { databaseRole } from '../support/database-role.ts'
import { Installation } from '../support/installation.ts'
import { createDatabase, execute, sharedServer, withoutPostgres } from '../support/postgres.ts'

const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
const sqlOf = (part: string) =>
  [...page.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, sql]) => sql!).find((sql) => sql.includes(part))!
const SETUP = sqlOf('CREATE ROLE')
const GRANTS = sqlOf('ON ALL TABLES')

interface Roles {
  /** The database as the role that owns the tables, as the one of the service, and as the superuser. */
  owner: string
  service: string
  superuser: string
  serviceName: string
}

/** Runs the page's statements, with names of our own for database and roles. */
async function setUp(context: TestContext): Promise<Roles> {
  const server = await sharedServer()
  const name = `postroad_test_${randomBytes(6).toString('hex')}`
  const sql = SETUP.replaceAll(/\bpostroad(_owner)?\b/g, `${name}$1`)
  const [before, after] = sql.split(/^\\connect .*$/m) as [string, string]
  const at = (user: string, password: string) =>
    Object.assign(new URL(server), { username: user, password, pathname: `/${name}` }).href
  const { username, password } = new URL(server)
  const superuser = at(username, decodeURIComponent(password))
  for (const statement of statements(before)) await execute(server, statement)
  context.after(async () => {
    await execute(server, `DROP DATABASE ${name} WITH (FORCE)`)
    await execute(server, `DROP ROLE ${name}`)
    await execute(server, `DROP ROLE ${name}_owner`)
  })
  for (const statement of statements(after)) await execute(superuser, statement)
  return {
    owner: at(`${name}_owner`, 'first password'),
    service: at(name, 'second password'),
    superuser,
    serviceName: name,
  }
}

const statements = (sql: string) => sql.split(/;\s*/).filter((statement) => statement.trim() !== '')

async function refused(opening: Promise<PostgresStore>): Promise<string> {
  const error = await opening.then(
    async (store) => {
      await store.close()
      assert.fail('it opened')
    },
    (error: unknown) => error,
  )
  assert.ok(error instanceof StoreConflict, String(error))
  return error.message
}

async function sqlstate(url: string, sql: string): Promise<string> {
  return await execute(url, sql).then(
    () => 'done',
    (error: { code: string }) => error.code,
  )
}

describe('roles on PostgreSQL', { skip: withoutPostgres() }, () => {
  test('the schema is its owner’s, and the service works with rights on rows alone', async (t) => {
    const { owner, service, serviceName } = await setUp(t)
    const missing = await refused(PostgresStore.open(service))
    assert.match(missing, /has no schema yet, and the role \S+ may not change it: run `postroad migrate`/)

    const secret = { POSTROAD_SECRET_KEY: randomBytes(32).toString('hex') }
    await using asOwner = new Installation({ POSTROAD_DATABASE_URL: owner, ...secret })
    const first = await asOwner.command<{ from: number; to: number; database: string }>('migrate')
    assert.deepEqual([first.from, first.database], [0, `${new URL(owner).host}/${serviceName}`])
    const again = await asOwner.command<{ from: number; to: number }>('migrate')
    assert.deepEqual([again.from, again.to], [first.to, first.to])

    await using installation = new Installation({ POSTROAD_DATABASE_URL: service, ...secret })
    const { token, companyId } = await installation.addTenant('acme.test')
    const child = await installation.serve()
    const api = new ApiClient(child.url, token)
    const attachments = [{ filename: 'a.txt', content: 'aGk=' }]
    const email = { from: 'a@acme.test', to: 'b@x.test', text: 't', attachments }
    const id = await api.accepted(email)
    await api.lastEvent(id, 'delivered')
    assert.equal((await api.send(email, { 'Idempotency-Key': 'k' })).status, 200)
    assert.equal((await api.send(email, { 'Idempotency-Key': 'k' })).status, 200)
    await api.lastEvent(await api.accepted({ ...email, to: 'bounced@simulator.test' }), 'bounced')
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const later = await api.accepted({ ...email, scheduled_at: at })
    await installation.command('email', 'cancel', later)
    await installation.command('suppression', 'add', 'x@x.test', '--company', companyId)
    await installation.command('suppression', 'remove', 'x@x.test', '--company', companyId)
    await installation.command('queue', 'pause')
    await installation.command('queue', 'resume')
    assert.equal((await installation.command<unknown[]>('node', 'list')).length, 1)
    assert.equal(await child.kill('SIGTERM'), 0)
    assert.deepEqual(
      child.log.filter((line) => /"level":(40|50|60)/.test(line)),
      [],
    )

    for (const sql of [
      'CREATE TABLE own (a int)',
      'CREATE TEMPORARY TABLE own (a int)',
      'CREATE FUNCTION own() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
      'DROP TABLE emails',
      'TRUNCATE emails',
      'ALTER TABLE emails ADD COLUMN own int',
      'CREATE INDEX ON emails (subject)',
    ]) {
      assert.equal(await sqlstate(service, sql), '42501', sql)
    }
    const other = await databaseRole(t, await createDatabase(await sharedServer()))
    const stranger = Object.assign(new URL(other.url), { pathname: new URL(service).pathname }).href
    assert.equal(await sqlstate(stranger, 'SELECT 1'), '42501')
  })

  test('an outdated schema is reported with its fix, and left as it is', async (t) => {
    const { owner, service } = await setUp(t)
    await (await PostgresStore.open(owner)).close()
    const [{ version }] = (await execute<{ version: number }>(
      owner,
      'DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations) RETURNING version',
    )) as [{ version: number }]
    const message = await refused(PostgresStore.open(service))
    assert.match(
      message,
      new RegExp(
        `has schema ${version - 1}, this Postroad needs ${version}, and the role \\S+ may not change it: run`,
      ),
    )
    const [row] = await execute<{ n: number }>(
      service,
      'SELECT count(*)::integer AS n FROM schema_migrations',
    )
    assert.equal(row!.n, version - 1)
  })

  test('rights that are missing are named, and the page has the statements that grant them', async (t) => {
    const { owner, service, serviceName } = await setUp(t)
    await (await PostgresStore.open(owner)).close()
    await execute(owner, `REVOKE DELETE ON events, queue FROM ${serviceName}`)
    assert.match(
      await refused(PostgresStore.open(service)),
      /^The role \S+ lacks rights in the database \S+, on events, queue: let the owner/,
    )
    await execute(owner, `REVOKE SELECT ON SEQUENCE events_number_seq FROM ${serviceName}`)
    assert.match(await refused(PostgresStore.open(service)), /on events, events_number_seq, queue: let the/)
    await execute(owner, `REVOKE ALL ON schema_migrations FROM ${serviceName}`)
    assert.match(await refused(PostgresStore.open(service)), /on schema_migrations: let the owner/)
    for (const statement of statements(GRANTS.replaceAll(/\bpostroad\b/g, serviceName))) {
      await execute(owner, statement)
    }
    await (await PostgresStore.open(service)).close()
  })

  test('a lock that any database user can take keeps no node from starting', async (t) => {
    const { owner, service, superuser } = await setUp(t)
    await (await PostgresStore.open(owner)).close()
    const client = new Client({ connectionString: superuser })
    await client.connect()
    await client.query(`SELECT pg_advisory_lock(${0x506f7374})`)
    await (await PostgresStore.open(service)).close()
    await client.end()
  })
})
