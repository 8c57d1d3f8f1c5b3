/**
 * Whether a waiting recipient is delayed: an attempt has ended without a final state, or was skipped because other mail
 * met the same trouble. A recipient that was only given back, at a pause or a restart, is not delayed. Pure.
 */
import { BY_HAND, type Facts } from './lifecycle/happening.ts'
import { isLeftAlone, LEFT_ALONE } from './not-attempted.ts'

/** Values of `postponedSince` up to this one are not times. */
const LAST_BY_HAND = Math.max(...Object.values(BY_HAND))

export function isDelayed({
  attempts,
  postponedSince,
  lastMessage,
}: Pick<Facts, 'attempts' | 'postponedSince' | 'lastMessage'>): boolean {
  return (
    attempts > 0 ||
    (postponedSince !== null && postponedSince > LAST_BY_HAND) ||
    (lastMessage !== null && !isLeftAlone(lastMessage))
  )
}

/** `isDelayed` in SQL, of both databases. `row`: the alias of `recipients`. */
export function delayedIn(row: string): string {
  const tried = `substr(${row}.last_message, 1, ${LEFT_ALONE.length}) <> '${LEFT_ALONE}'`
  // For NULL, neither comparison is true.
  return `(${row}.attempts > 0 OR ${row}.postponed_since > ${LAST_BY_HAND} OR ${tried})`
}
