import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { type Bench, storeContract } from './contract/contract.ts'
import { temporaryDirectory } from './directory.ts'

async function open(context: TestContext): Promise<Bench> {
  const path = join(temporaryDirectory(context), 'postroad.db')
  const view = async (exclusive: boolean) => {
    const store = await SqliteStore.open(path, { exclusive })
    context.after(() => store.close())
    return store
  }
  const rows = async (table: string) => {
    const db = new DatabaseSync(path, { readOnly: true })
    const { n } = db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }
    db.close()
    return n
  }
  const execute = async (sql: string) => {
    const db = new DatabaseSync(path)
    db.exec(sql)
    db.close()
  }
  const raiseNumbers = (last: number) =>
    execute(`INSERT INTO counters (name, value) VALUES ('emails', ${last}), ('events', ${last})
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
  const store = await view(true)
  return { store, commits: () => store.commits, another: () => view(false), rows, execute, raiseNumbers }
}

storeContract('SQLite', open)
