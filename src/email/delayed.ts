/**
 * Whether a recipient that waits is delayed: a try has ended without a final state, or was left out because other mail
 * met the same trouble. One that was only given back, at a pause or a restart, is not. Pure.
 */
import { BY_HAND, type Facts } from './lifecycle/happening.ts'
import { isLeftAlone, LEFT_ALONE } from './not-attempted.ts'

/** `postponedSince` up to this stands for no time. */
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
  // Neither is true of NULL.
  return `(${row}.attempts > 0 OR ${row}.postponed_since > ${LAST_BY_HAND} OR ${tried})`
}
