/** The version of the accounts, by which nodes find that they have changed: every change gives another one, in both databases. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { openStore } from '../../src/store/open.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { apiKey, company, domain, NOW, newId } from '../store/samples.ts'
import { freshDatabase, withoutPostgres } from '../support/postgres.ts'

const ENGINES: Record<string, { skip: string | false; url(t: TestContext): string | Promise<string> }> = {
  SQLite: { skip: false, url: (t) => `sqlite:${join(temporaryDirectory(t), 'postroad.db')}` },
  PostgreSQL: { skip: withoutPostgres(), url: freshDatabase },
}

for (const [engine, { skip, url }] of Object.entries(ENGINES)) {
  test(`${engine}: every change of accounts gives another version, to other processes too`, {
    skip,
  }, async (t) => {
    const database = parseDatabase(await url(t))
    const store = await openStore(database, { exclusive: false })
    t.after(() => store.close())
    const beside = await openStore(database, { exclusive: false })
    t.after(() => beside.close())
    const owner = company('Acme')
    const own = domain(owner, 'acme.test')
    const key = apiKey(owner, own.id)
    const changes: Record<string, () => Promise<unknown>> = {
      'a company': () => store.addCompany(owner),
      'a domain': () => store.addDomain(own),
      'its state': () => store.updateDomain(own.id, { sending: 'active' }),
      'what it speaks for': () => store.updateDomain(own.id, { speaksFor: [newId()] }),
      'a key': () => store.addKey(key),
      'its end': () => store.revokeKey(key.id, NOW),
    }
    const seen = new Set([await beside.accountsVersion()])
    for (const [name, change] of Object.entries(changes)) {
      await change()
      const version = await beside.accountsVersion()
      assert.ok(!seen.has(version), name)
      seen.add(version)
      assert.equal(await store.accountsVersion(), version)
    }
    assert.equal(await store.revokeKey(newId(), NOW), false)
    assert.ok(seen.has(await beside.accountsVersion()), 'nothing has changed')
  })
}
