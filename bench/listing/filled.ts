/** The database whose listings are measured: a temporary one, or one that is kept. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../src/config/settings.ts'
import { DIGEST } from '../../src/events/digest.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { fillPostgres } from '../history/fill-postgres.ts'
import { fillSqlite } from '../history/fill-sqlite.ts'
import type { HistoryShape } from '../history/shape.ts'
import { isPostgresUrl, openDatabase } from '../service/database.ts'
import { addBatch } from './batch.ts'
import { addCompany, addSuppressions, digestAll, type ListedCompany } from './company.ts'
import type { ListingRun } from './report.ts'

export interface FilledStore {
  /** The name of the database. */
  name: string
  store: Store
  company: ListedCompany
  digest: ListingRun['digest']
  close: () => Promise<void>
}

interface Wanted {
  place: { database: string; cpus: string; parent: string }
  /** A directory or a postgres:// URL, whose database is filled if it is empty, and kept. */
  use: string | undefined
  shape: HistoryShape
  suppressions: number
}

type Location = Settings['database']

export async function openFilled({ place, use, shape, suppressions }: Wanted): Promise<FilledStore> {
  const choice = use === undefined ? place.database : isPostgresUrl(use) ? use : 'sqlite'
  const database = await openDatabase(choice, place.cpus)
  const directory = use === undefined ? mkdtempSync(join(place.parent, 'postroad-listing-')) : null
  const remove = async () => {
    await database.stop()
    if (directory !== null) rmSync(directory, { recursive: true, force: true })
  }
  try {
    const location = use === undefined ? locationOf(await database.fresh(), directory!) : kept(use)
    const filled = (await filledBefore(location)) ?? (await fill(location, shape, suppressions))
    const store = await openStore(location, { exclusive: true })
    const close = async () => {
      await store.close()
      await remove()
    }
    return { name: database.name, store, ...filled, close }
  } catch (error) {
    await remove()
    throw error
  }
}

function locationOf(url: string | null, directory: string): Location {
  return url === null
    ? { engine: 'sqlite', path: join(directory, 'postroad.db') }
    : { engine: 'postgres', url }
}

function kept(use: string): Location {
  if (isPostgresUrl(use)) return locationOf(use, '')
  mkdirSync(use, { recursive: true })
  return locationOf(null, use)
}

type Filled = Pick<FilledStore, 'company' | 'digest'>

/** Null when the database is empty. */
function filledBefore(location: Location): Promise<Filled | null> {
  return withStore(location, async (store) => {
    const [domain] = (await store.accounts()).domains
    if (domain === undefined) return null
    const events = await store.followerCursor(DIGEST)
    if (events === 0 || events < (await store.lastEventNumber()))
      throw new Error('the database was not filled to the end: remove it')
    return {
      company: { companyId: domain.companyId, domainId: domain.id },
      digest: { events, seconds: null },
    }
  })
}

async function fill(location: Location, shape: HistoryShape, suppressions: number): Promise<Filled> {
  const company = await withStore(location, addCompany)
  const progress = (written: number, of: number) => process.stderr.write(`\r${written} of ${of} emails`)
  if (location.engine === 'sqlite') await fillSqlite(location.path, [company], shape, progress)
  else await fillPostgres(location.url, [company], shape, progress)
  process.stderr.write('\n')
  return await withStore(location, async (store) => {
    await addSuppressions(store, company.companyId, suppressions)
    await addBatch(store, company)
    return { company, digest: await digestAll(store) }
  })
}

async function withStore<T>(location: Location, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(location, { exclusive: true })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
