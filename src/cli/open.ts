/** The way of a command to the database that the settings name, as the operator. */
import { loadSettings } from '../config/load.ts'
import { OPERATOR } from '../operate/authority.ts'
import type { Maintenance } from '../operate/maintenance.ts'
import { openOperation } from '../operate/open.ts'
import type { Operation } from '../operate/verb.ts'

/**
 * For verbs about what the database holds. It is closed whatever happens.
 * @param options.make also when there is no database yet: it is made
 */
export async function withOperation<T>(
  use: (op: Operation) => Promise<T>,
  options: { make?: boolean } = {},
): Promise<T> {
  await using op = await openOperation(loadSettings(), options)
  return await use(op)
}

/** For verbs about the database as a whole. */
export function maintenance(): Maintenance {
  const { database, secretKey } = loadSettings()
  return { caller: OPERATOR, database, secretKey }
}
