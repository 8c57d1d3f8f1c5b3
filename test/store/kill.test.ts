import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { startChild } from './child.ts'
import { temporaryDirectory } from './directory.ts'

test('everything acknowledged before a kill is there after it, and nothing is half there', async (t) => {
  const path = join(temporaryDirectory(t), 'postroad.db')
  for (const acknowledged of [30, 500, 2_000]) {
    const child = await startChild(t, 'accept', `${path}.${acknowledged}`)
    assert.equal(await child.line(), 'ready')
    const lines: string[] = []
    while (lines.length < acknowledged) lines.push(await child.line())
    lines.push(...(await child.kill()))
    // A line cut short by the kill was still being written: its number is not whole.
    const whole = lines.filter((line) => /^(accepted|delivered) [0-9a-f-]{36}$/.test(line))

    const store = await openStore({ engine: 'sqlite', path: `${path}.${acknowledged}` }, { exclusive: true })
    for (const line of whole) {
      const [what, id] = line.split(' ') as [string, string]
      const stored = await store.readEmail(id)
      assert.equal(stored?.content.html?.length, 20_000, line)
      if (what === 'delivered') assert.equal(stored.lastEvent, 'delivered', line)
    }
    await store.close()
    const db = new DatabaseSync(`${path}.${acknowledged}`)
    assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
    const torn = db.prepare(
      `SELECT count(*) AS n FROM emails e WHERE
         NOT EXISTS (SELECT 1 FROM contents WHERE email = e.num) OR
         NOT EXISTS (SELECT 1 FROM recipients WHERE email = e.num) OR
         NOT EXISTS (SELECT 1 FROM events WHERE email = e.num)`,
    )
    assert.equal(torn.get()?.n, 0)
    db.close()
  }
})
