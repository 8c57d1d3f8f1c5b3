/** Opens the configured database for a command, as the operator. */
import { loadSettings } from '../config/load.ts'
import { OPERATOR } from '../operate/authority.ts'
import type { Maintenance } from '../operate/maintenance.ts'
import { openOperation } from '../operate/open.ts'
import type { Operation } from '../operate/verb.ts'
import { printNote } from './print.ts'

/**
 * For verbs on the content of the database. The database is always closed afterwards.
 * @param options.make whether to create the database if there is none
 */
export async function withOperation<T>(
  use: (op: Operation) => Promise<T>,
  options: { make?: boolean } = {},
): Promise<T> {
  const onSitesFault = (fault: string) =>
    printNote(`warning: the shipped limits of sites are used, because ${fault}`)
  await using op = await openOperation(loadSettings(), { ...options, onSitesFault })
  return await use(op)
}

/** The context of verbs on the database as a whole. */
export function maintenance(): Maintenance {
  const { database, secretKey } = loadSettings()
  return { caller: OPERATOR, database, secretKey }
}
