import { StoreConflict } from '../store.ts'
import type { Session, Value } from './database.ts'
import { isDuplicate } from './faults.ts'

/** Inserts one row, or throws StoreConflict when another row has taken a value that must be unique. */
export async function unlessTaken(
  session: Session,
  sql: string,
  values: Value[],
  message: string,
): Promise<void> {
  const inserted = await session.run(`${sql} ON CONFLICT DO NOTHING RETURNING 1`, values)
  if (inserted.length === 0) throw new StoreConflict(message)
}

/** The same for a change of a row. */
export async function unlessDuplicate<Result>(
  message: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw new StoreConflict(message, { cause: error })
  }
}
