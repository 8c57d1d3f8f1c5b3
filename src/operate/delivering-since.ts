/** The start of delivery: mail that became due before it, and work that was not done before it, is not late yet. */
import type { Operation } from './verb.ts'

/** Unix ms at which the delivery node began that has been in service longest; null: there is none. */
export async function deliveringSince({ store }: Operation): Promise<number | null> {
  // Nodes without a sign of life are given up: their rows are removed.
  const delivering = (await store.nodes()).filter(({ roles }) => roles.includes('delivery'))
  return delivering.length === 0 ? null : Math.min(...delivering.map(({ since }) => since))
}
