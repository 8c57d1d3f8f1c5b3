import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseDatabase } from '../../src/config/parse.ts'
import { ApiClient } from '../support/api-client.ts'
import { execute, freshDatabase, withoutPostgres } from '../support/postgres.ts'
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
  while (!service.logged.some((line) => line.includes('could not be read')))
    await pause(10, undefined, { signal })
  assert.equal((await api.read('none')).status, 404)
  await execute(url, 'ALTER TABLE api_keys_away RENAME TO api_keys')
  while ((await api.read('none')).status !== 401) await pause(10, undefined, { signal })
})
