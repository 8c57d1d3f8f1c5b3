/** Values that only one row of a table may have. */
import { StoreConflict } from '../store.ts'
import type { ParameterValue, PortSteps, PortTransaction } from './port.ts'
import type { ColdStatement } from './statement.ts'

/**
 * Inserts one row (ON CONFLICT DO NOTHING), or throws StoreConflict when another row has a value that must be unique.
 */
export function* insertUnique(
  db: PortTransaction,
  message: string,
  insert: ColdStatement,
  ...values: ParameterValue[]
): PortSteps<void> {
  if ((yield* db.run(insert, ...values)) === 0) throw new StoreConflict(message)
}

/** The same for a change of a row. */
export function* unlessDuplicate<T>(
  db: PortTransaction,
  message: string,
  change: () => PortSteps<T>,
): PortSteps<T> {
  try {
    return yield* change()
  } catch (error) {
    if (!db.isDuplicate(error)) throw error
    throw new StoreConflict(message, { cause: error })
  }
}
