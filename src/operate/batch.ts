/** Actions on several objects, of which each may refuse. */
import { OperateError } from './error.ts'

export interface BatchOutcome {
  /** The number of objects that were changed. */
  changed: number
  refused: Refused[]
}

/** The outcome of an action on a list of addresses. */
export interface AddressesOutcome extends BatchOutcome {
  /** The addresses that were added or removed. */
  addresses: string[]
}

export interface Refused {
  id: string
  why: string
}

/** Acts on each object, and collects refusals. Any other error ends the batch. */
export async function inBatch(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<BatchOutcome> {
  const result: BatchOutcome = { changed: 0, refused: [] }
  for (const id of new Set(ids)) {
    try {
      await act(id)
      result.changed += 1
    } catch (error) {
      if (!(error instanceof OperateError) || !REFUSALS.has(error.code)) throw error
      result.refused.push({ id, why: error.message })
    }
  }
  return result
}

const REFUSALS: ReadonlySet<OperateError['code']> = new Set(['not_found', 'nothing_to_do'])
