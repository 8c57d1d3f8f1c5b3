import type { RecipientState } from '../email/recipient.ts'
import type { RecipientCounts } from './live-list-store.ts'

/** The number of an email's recipients in a state, and of all its recipients. */
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
