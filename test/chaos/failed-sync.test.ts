/** What was refused because an fsync failed stays refused, also when the process dies before anything else is committed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { FaultLog } from '../../chaos/fault-log.ts'
import { ChaosNode } from '../../chaos/node.ts'
import { settingsFor } from '../../chaos/settings.ts'
import { Preload } from '../../harness/preload/preload.ts'
import { Installation } from '../../harness/service/installation.ts'
import { openStore } from '../../src/store/open.ts'

const DOMAIN = 'acme.test'
const TRIES = 3

test('a message refused for a failed fsync is not found after kill -9', async (t) => {
  if (spawnSync('cc', ['--version']).error) {
    t.skip('there is no C compiler (cc) here, so that no fsync can be made to fail')
    return
  }
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-failed-sync-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const data = join(directory, 'data')
  mkdirSync(data)
  const preload = Preload.compile(directory, data)
  assert.ok(typeof preload !== 'string', String(preload))
  t.after(() => preload.close())
  const path = join(data, 'postroad.db')
  const settings = settingsFor(`sqlite:${path}`, { port: 9, dns: '127.0.0.1:9' })
  const installation = new Installation({ settings, directory })
  const { token } = await installation.addTenant(DOMAIN)
  const node = new ChaosNode({
    name: 'n1',
    roles: ['api', 'delivery'],
    sources: [],
    installation,
    settings: preload.environment('n1'),
    log: new FaultLog(),
    keep: null,
    restartAfter: () => 0,
  })
  t.after(() => node.kill())
  await node.start()
  const submit = async (subject: string) => {
    const response = await fetch(`${node.url}/emails`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ from: `a@${DOMAIN}`, to: 'b@example.org', subject, text: subject }),
    })
    await response.arrayBuffer()
    return response.status
  }
  assert.equal(await submit('accepted'), 200)
  preload.of('n1').failingSyncs = 1
  for (let number = 0; number < TRIES; number++) assert.equal(await submit(`refused ${number}`), 503)
  assert.ok(preload.of('n1').failed > 0)
  node.kill()
  await node.end(0)

  preload.of('n1').failingSyncs = 0
  const store = await openStore({ engine: 'sqlite', path }, { exclusive: false })
  t.after(() => store.close())
  const subjects = (await store.listEmails({ limit: 10 })).map(({ subject }) => subject)
  assert.deepEqual(subjects, ['accepted'])
})
