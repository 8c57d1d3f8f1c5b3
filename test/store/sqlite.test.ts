import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { storeContract } from './contract/contract.ts'

storeContract('SQLite', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'postroad-store-'))
  const path = join(directory, 'postroad.db')
  const open: SqliteStore[] = []
  context.after(async () => {
    for (const store of open) await store.close()
    rmSync(directory, { recursive: true })
  })
  const store = await SqliteStore.open(path, { exclusive: true })
  open.push(store)
  return {
    store,
    commits: () => store.commits,
    async another() {
      const other = await SqliteStore.open(path, { exclusive: false })
      open.push(other)
      return other
    },
  }
})
