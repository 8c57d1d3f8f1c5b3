/**
 * Databases for tests on a real PostgreSQL server: the one POSTROAD_TEST_POSTGRES names (`npm test` starts one for all files and sets
 * it), else one that the test file starts for itself.
 */
import { randomBytes } from 'node:crypto'
import { after, type TestContext } from 'node:test'
import { execute } from '../../harness/execute-sql.ts'
import { PostgresCluster, whyNoPostgres } from '../../harness/postgres-cluster.ts'
import { copyTemplate, makeTemplate } from '../../harness/schema-template.ts'

export { execute }

let shared: Promise<string> | undefined
let own: PostgresCluster | undefined
/** Databases made by this process, and those of them whose test is over. */
const made = new Set<string>()
const over = new Set<string>()

/** For the option `skip` of tests that need PostgreSQL. In CI (the variable CI is set) its absence is a failure, not a skip. */
export function withoutPostgres(): string | false {
  const why = whyNoPostgres()
  if (why !== null && process.env.CI) throw new Error(why)
  return why ?? false
}

/** URL of the database `postgres` of the server that tests share. */
export function sharedServer(): Promise<string> {
  shared ??= start()
  return shared
}

after(async () => {
  if (shared === undefined) return
  await drop(made)
  await own?.remove()
})

async function start(): Promise<string> {
  if (process.env.POSTROAD_TEST_POSTGRES) return process.env.POSTROAD_TEST_POSTGRES
  own = await PostgresCluster.start()
  await makeTemplate(own.url)
  return own.url
}

/**
 * The postgres:// URL of a new database with the present schema and no rows, on the server that tests share. It goes some time after its
 * test (later than what the test closes at its end), at the latest when the test file ends.
 */
export async function freshDatabase(context?: TestContext): Promise<string> {
  return await ofTest(context, copyTemplate)
}

/** The same without a schema. */
export async function emptyDatabase(context?: TestContext): Promise<string> {
  return await ofTest(context, (server, name) => execute(server, `CREATE DATABASE ${name}`))
}

async function ofTest(
  context: TestContext | undefined,
  create: (server: string, name: string) => Promise<unknown>,
): Promise<string> {
  const server = await sharedServer()
  await drop(over)
  const url = named(server)
  await create(server, nameOf(url))
  made.add(nameOf(url))
  context?.after(() => databaseDone(url))
  return url
}

/** For a database that was made without a context: it may go. */
export function databaseDone(url: string): void {
  over.add(nameOf(url))
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1)
}

/** The postgres:// URL of a new, empty database on this server. */
export async function createDatabase(server: string): Promise<string> {
  const url = named(server)
  await execute(server, `CREATE DATABASE ${nameOf(url)}`)
  return url
}

/** The URL of a database of this server with a name that no other has. */
function named(server: string): string {
  const url = new URL(server)
  url.pathname = `/postroad_test_${randomBytes(8).toString('hex')}`
  return url.href
}

async function drop(names: Set<string>): Promise<void> {
  const server = await sharedServer()
  for (const name of [...names]) {
    made.delete(name)
    over.delete(name)
    await execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}
