/** Roles on the PostgreSQL server that tests share, with granted rights only. */
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { Client } from 'pg'
import { execute } from './postgres.ts'

export interface DatabaseRole {
  name: string
  /** The database as this role. */
  url: string
}

/** Goes with the test, with what it owns in this database. */
export async function databaseRole(context: TestContext, url: string): Promise<DatabaseRole> {
  const name = `postroad_test_${randomBytes(6).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  await execute(url, `CREATE ROLE ${name} LOGIN PASSWORD '${password}'`)
  context.after(async () => {
    await execute(url, `DROP OWNED BY ${name} CASCADE`)
    await execute(url, `DROP ROLE ${name}`)
  })
  const own = new URL(url)
  own.username = name
  own.password = password
  return { name, url: own.href }
}

/** A connection of a role that may connect and no more. */
export async function stranger(context: TestContext, url: string): Promise<Client> {
  const role = await databaseRole(context, url)
  const client = new Client({ connectionString: role.url })
  client.on('error', () => {})
  await client.connect()
  context.after(() => client.end())
  return client
}
