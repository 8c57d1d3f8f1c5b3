import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { PostgresCluster } from '../../harness/postgres-cluster.ts'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { ApiClient } from '../support/api-client.ts'
import { createDatabase, execute, freshDatabase, withoutPostgres } from '../support/postgres.ts'
import { startService } from '../support/service.ts'

test('a change of keys that cannot be read at once is read later, without another change', {
  skip: withoutPostgres(),
}, async ({ signal }) => {
  const url = await freshDatabase()
  await using service = await startService({
    database: parseDatabase(url),
    secretKey: randomBytes(32),
  })
  const { key } = await service.tenant('keys.test')
  const api = new ApiClient(service.url, key.token)
  assert.equal((await api.read('none')).status, 404)

  // The key is revoked, and just then the table cannot be read.
  await execute(
    url,
    `DO $$ BEGIN
       UPDATE api_keys SET revoked_at = 1;
       ALTER TABLE api_keys RENAME TO api_keys_away;
       UPDATE counters SET value = value + 1 WHERE name = 'accounts';
       NOTIFY postroad;
     END $$`,
  )
  while (!service.logged.some((line) => line.includes('Could not read account changes')))
    await pause(10, undefined, { signal })
  assert.equal((await api.read('none')).status, 404)
  await execute(url, 'ALTER TABLE api_keys_away RENAME TO api_keys')
  while ((await api.read('none')).status !== 401) await pause(10, undefined, { signal })
})

test('accounts that were read first do not replace those read later', {
  skip: withoutPostgres(),
}, async ({ signal }) => {
  await using cluster = await PostgresCluster.start()
  const url = await createDatabase(cluster.url)
  await using service = await startService({ database: parseDatabase(url), secretKey: randomBytes(32) })
  const { key } = await service.tenant('keys.test')
  const api = new ApiClient(service.url, key.token)

  // A reader reads everything, because there is an unrecorded version; it has seen the key, waits for the lock, and is
  // stopped there while the key is revoked.
  const raised = "UPDATE counters SET value = value + 1 WHERE name = 'accounts'"
  await execute(url, raised)
  const lock = new Client({ connectionString: url })
  await lock.connect()
  await lock.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE')
  const first = service.app.refreshAccounts()
  let reader: { pid: number } | undefined
  while (reader === undefined) {
    const waits =
      "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%api_keys%'"
    reader = (await execute<{ pid: number }>(url, waits))[0]
  }
  process.kill(reader.pid, 'SIGSTOP')
  await lock.query(`UPDATE api_keys SET revoked_at = 1; ${raised}; COMMIT`)
  await lock.end()
  const second = service.app.refreshAccounts()
  // Long enough for the second to get ahead of the first, if anything lets it.
  await Promise.race([second, pause(500, undefined, { signal })])
  process.kill(reader.pid, 'SIGCONT')
  await Promise.all([first, second])
  assert.equal((await api.read('none')).status, 401)
})
