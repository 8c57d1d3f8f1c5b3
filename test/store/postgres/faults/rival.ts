import type { TestContext } from 'node:test'
import { Client } from 'pg'
import { execute } from '../../../support/postgres.ts'

/** The transaction of another client, open until it is ended or the test is. */
export async function rivalOf(context: TestContext, url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  context.after(() => client.end())
  await client.query('BEGIN')
  return client
}

/** Resolves when a statement of this database waits for a lock. */
export async function lockAwaited(url: string): Promise<void> {
  const sql = `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE NOT l.granted AND a.datname = current_database()`
  while ((await execute(url, sql)).length === 0);
}
