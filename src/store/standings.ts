import type { RecipientState } from '../email/recipient.ts'
import type { Standing } from './glance-store.ts'

/** How many recipients of an email are in a state, and how many it has. */
export interface StandingRow {
  id: string
  state: RecipientState
  count: number
  recipients: number
}

export function standingsOf(rows: readonly StandingRow[]): Standing[] {
  const found = new Map<string, Standing>()
  for (const { id, state, count, recipients } of rows) {
    const standing = found.get(id) ?? { id, recipients, states: [] }
    standing.states.push({ state, count })
    found.set(id, standing)
  }
  return [...found.values()]
}
