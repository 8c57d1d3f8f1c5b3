/** The way of a command to the database: settings, store, accounts, and everything closed afterwards. */
import { statSync } from 'node:fs'
import type { AccountsSnapshot } from '../accounts/account.ts'
import { loadSettings } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { openOperation } from '../operate/open.ts'
import type { Operation } from '../operate/operation.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { CommandFailed } from './failure.ts'

/**
 * Calls verbs as the operator, on the database that the settings name, and closes it whatever happens.
 * @param options.make also when there is no database yet: it is made
 */
export async function withOperation<T>(
  use: (op: Operation) => Promise<T>,
  options: { make?: boolean } = {},
): Promise<T> {
  await using op = await openOperation(loadSettings(), options)
  return await use(op)
}

export interface Opened {
  settings: Settings
  store: Store
  accounts: AccountsSnapshot
}

/**
 * Opens the database beside a service that may be running on it, and closes it whatever happens. Unless `make` is set, a
 * database that does not exist is an error: a typing slip in a path must not look like an empty service.
 */
export async function withStore<T>(
  use: (opened: Opened) => Promise<T>,
  { make = false }: { make?: boolean } = {},
): Promise<T> {
  const settings = loadSettings()
  const { database } = settings
  if (!make) refuseMissing(database)
  const store = await openStore(database, { exclusive: false })
  try {
    return await use({ settings, store, accounts: await store.accounts() })
  } finally {
    await store.close()
  }
}

const WHERE_ELSE =
  'Run this in the folder the service runs in, or set POSTROAD_DATABASE_URL; `postroad serve` and `postroad company create` ' +
  'make a new one.'

/** Throws CommandFailed when there is no database yet. What a PostgreSQL server holds only a connection can tell. */
export function refuseMissing(database: Settings['database'], advice = WHERE_ELSE): void {
  if (database.engine !== 'sqlite') return
  try {
    statSync(database.path)
    return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') {
      throw new CommandFailed(
        `this user may not look at ${database.path}. Run this as the user the service runs as`,
      )
    }
  }
  throw new CommandFailed(`there is no database at ${database.path}. ${advice}`)
}
