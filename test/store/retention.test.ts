import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { RetentionLoop } from '../../src/store/retention.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { until } from '../support/until.ts'
import { linkOf, person, sessionOf, tokenHash } from './contract/people.ts'
import { temporaryDirectory } from './directory.ts'
import { DAY, HOUR } from './samples.ts'

test('a service removes sessions and links that have expired', async (t) => {
  const store = await SqliteStore.open(join(temporaryDirectory(t), 'a.db'), { exclusive: true })
  t.after(() => store.close())
  const ada = person()
  await store.addPerson(ada)
  const now = Date.now()
  await store.addSession(sessionOf(ada, { expiresAt: now - 1 }), tokenHash())
  await store.addLink(linkOf(ada, { expiresAt: now - 1 }), tokenHash())
  const stays = sessionOf(ada, { expiresAt: now + HOUR })
  await store.addSession(stays, tokenHash())
  const faults: unknown[] = []
  const periods = { contentRetention: DAY, emailRetention: DAY, apiLogRetention: DAY, inboundRetention: DAY }
  const retention = new RetentionLoop(store, periods, (error) => faults.push(error))
  retention.start()
  await until(async () => (await store.sessions(ada.id, 0)).length === 1, 'the end of a session')
  await retention.stop()
  assert.deepEqual(await store.sessions(ada.id, 0), [stays])
  assert.equal(await store.forgetExpired(now, 10), 0)
  assert.deepEqual(faults, [])
})
