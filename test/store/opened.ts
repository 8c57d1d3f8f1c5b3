/** Stores that close at the end of a test. */
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { freshDatabase } from '../support/postgres.ts'
import { temporaryDirectory } from './directory.ts'
import { acme } from './samples.ts'

export async function openedSqlite(context: TestContext): Promise<Store> {
  const path = join(temporaryDirectory(context), 'a.db')
  const store = await openStore({ engine: 'sqlite', path }, { exclusive: false })
  context.after(() => store.close())
  return store
}

/** `url`: of a database of its own unless it is given. */
export async function openedPostgres(context: TestContext, url?: string): Promise<PostgresStore> {
  const store = await PostgresStore.open(url ?? (await freshDatabase(context)))
  context.after(() => store.close())
  return store
}

/** A database of its own, with a company. */
export async function postgresWithCompany(context: TestContext) {
  const url = await freshDatabase(context)
  const store = await openedPostgres(context, url)
  return { url, store, owner: await acme(store) }
}
