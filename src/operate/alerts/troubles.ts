/** Searches for troubles, each of which may fail by itself. */
import type { NewAlert } from '../../store/store.ts'

export interface TroubleFindings {
  found: NewAlert[]
  /** The ids of those that could not be looked for, or the beginnings of their ids. */
  unknown: string[]
}

export const NOTHING_FOUND: Readonly<TroubleFindings> = { found: [], unknown: [] }

export interface TroubleSearch {
  /** The id of the trouble, or the beginning of the ids of all that it may find. */
  id: string
  find(): Promise<TroubleFindings>
}

/** One after the other, because they may ask much of the store. `onFault` gets why one could not be made. */
export async function withEach(
  searches: readonly TroubleSearch[],
  onFault: (error: unknown) => void,
): Promise<TroubleFindings> {
  const all: TroubleFindings = { found: [], unknown: [] }
  for (const { id, find } of searches) {
    try {
      const { found, unknown } = await find()
      all.found.push(...found)
      all.unknown.push(...unknown)
    } catch (error) {
      onFault(error)
      all.unknown.push(id)
    }
  }
  return all
}
