/** Reads events by their numbers, several at a time. */

/**
 * When at least one number in this many within a span is requested, reading the span is cheaper than looking up each
 * number.
 */
const TOGETHER = 4

/** `together`: reading all events between the first and the last costs less than looking up each of them. */
export function spanOf(numbers: readonly number[]): { first: number; last: number; together: boolean } {
  let first = Number.MAX_SAFE_INTEGER
  let last = 0
  for (const number of numbers) {
    if (number < first) first = number
    if (number > last) last = number
  }
  return { first, last, together: last - first < TOGETHER * numbers.length }
}
