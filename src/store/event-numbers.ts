/** Numbers of events that are read at one time. */

/**
 * Of so many numbers within a span one is wanted at least, where the span is read rather than each number looked up.
 */
const TOGETHER = 4

/** `together`: it costs less to read all events between the first and the last than to look each of them up. */
export function spanOf(numbers: readonly number[]): { first: number; last: number; together: boolean } {
  let first = Number.MAX_SAFE_INTEGER
  let last = 0
  for (const number of numbers) {
    if (number < first) first = number
    if (number > last) last = number
  }
  return { first, last, together: last - first < TOGETHER * numbers.length }
}
