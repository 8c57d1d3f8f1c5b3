import { Client } from 'pg'

/** Runs one statement on its own connection, and returns the rows. `url`: the postgres:// URL of a database. */
export async function execute<Row extends object = object>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  // The server may end the connection while no query is running.
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
