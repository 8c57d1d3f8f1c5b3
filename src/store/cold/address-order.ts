/** Pages of lists in the order of their addresses (folded). */

import { foldedAscii } from '../../email/folded-ascii.ts'
import type { Dialect } from './statement.ts'

/** Sorts after every address. */
const END = '\u{10ffff}'

/** SQLite compares the column itself without regard to case; PostgreSQL has another one with the folded value. */
export function foldedColumn({ engine }: Dialect, column: string): string {
  return engine === 'postgres' ? 'folded' : column
}

/**
 * The bounds of an index scan for addresses that begin with a term and lie between two others, and the one address to
 * leave out. SQLite starts at one bound only, and would skip row by row what further conditions rule out.
 */
export function boundsOf(
  term: string,
  after: string,
  before: string | undefined,
): [from: string, below: string, not: string] {
  const [begin, left] = [foldedAscii(term), foldedAscii(after)]
  const end = begin + END
  const right = before === undefined ? end : foldedAscii(before)
  return [inOrder(begin, left)[1], inOrder(end, right)[0], left]
}

/** In the order of the database. */
function inOrder(one: string, other: string): [string, string] {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) <= 0 ? [one, other] : [other, one]
}
