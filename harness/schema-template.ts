/**
 * A database with the present schema and no rows, on a PostgreSQL server that only tests use. A copy costs the server a quarter of what the
 * migrations cost, and there are hundreds.
 */
import { migrate } from '../src/store/postgres/migrate.ts'
import { execute } from './execute-sql.ts'

const TEMPLATE = 'postroad_schema'
/** invalid_catalog_name: a server that the tests did not start has no template. */
const MISSING = '3D000'
/** syntax_error: PostgreSQL 14 has only one strategy, and no option to choose it. */
const UNKNOWN = '42601'

/** `server`: the postgres:// URL of a role that may create databases. */
export async function makeTemplate(server: string): Promise<void> {
  await execute(server, `CREATE DATABASE ${TEMPLATE}`)
  const url = new URL(server)
  url.pathname = `/${TEMPLATE}`
  await migrate(url.href)
}

/** Creates the database `name`, with the schema where the server has the template. */
export async function copyTemplate(server: string, name: string): Promise<void> {
  const copy = `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`
  try {
    // Without the write-ahead log.
    await execute(server, `${copy} STRATEGY file_copy`)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== MISSING && code !== UNKNOWN) throw error
    await execute(server, code === MISSING ? `CREATE DATABASE ${name}` : copy)
  }
}
