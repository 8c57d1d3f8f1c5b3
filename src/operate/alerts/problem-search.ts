/** Searches for problems, each of which may fail by itself. */
import type { NewAlert } from '../../store/store.ts'

export interface ProblemFindings {
  found: NewAlert[]
  /** The ids of those that could not be looked for, or the beginnings of their ids. */
  unknown: string[]
}

export const NOTHING_FOUND: Readonly<ProblemFindings> = { found: [], unknown: [] }

export interface ProblemSearch {
  /** The id of the problem, or the beginning of the ids of all that it may find. */
  id: string
  find(): Promise<ProblemFindings>
}

/** One after the other, because they may ask much of the store. `onFault` gets why one could not be made. */
export async function runSearches(
  searches: readonly ProblemSearch[],
  onFault: (error: unknown) => void,
): Promise<ProblemFindings> {
  const all: ProblemFindings = { found: [], unknown: [] }
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
