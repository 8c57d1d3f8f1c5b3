import { StoreConflict } from '../../store.ts'
import { isDuplicate } from '../database.ts'

/** Throws StoreConflict when another row has taken a value that must be unique. */
export function unlessTaken(message: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    if (isDuplicate(error)) throw new StoreConflict(message, { cause: error })
    throw error
  }
}
