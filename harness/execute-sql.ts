import { Client } from 'pg'

/** Runs one statement on a connection of its own; its rows. `url`: the postgres:// URL of a database. */
export async function execute<Row extends object = object>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  // The server may end the connection while nothing waits for it.
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
