import type { RecipientState } from '../email/recipient.ts'
import type { RecipientCounts } from './live-list-store.ts'

/** How many recipients of an email are in a state, and how many it has. */
export interface RecipientCountRow {
  id: string
  state: RecipientState
  count: number
  recipients: number
}

export function recipientCountsOf(rows: readonly RecipientCountRow[]): RecipientCounts[] {
  const found = new Map<string, RecipientCounts>()
  for (const { id, state, count, recipients } of rows) {
    const counts = found.get(id) ?? { id, recipients, states: [] }
    counts.states.push({ state, count })
    found.set(id, counts)
  }
  return [...found.values()]
}
