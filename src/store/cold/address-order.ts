/** Pages of lists in the order of their addresses (folded). */

import { foldedAscii } from '../../email/folded-ascii.ts'
import type { PortSteps } from './port.ts'
import type { Dialect } from './statement.ts'

/** Sorts after every address. */
const END = '\u{10ffff}'

/** SQLite compares the column itself without regard to case; PostgreSQL has another one with the folded value. */
export function foldedColumn({ engine }: Dialect, column: string): string {
  return engine === 'postgres' ? 'folded' : column
}

/**
 * The bounds of an index scan for addresses that begin with a term and lie between two others, and the one address to
 * leave out. SQLite starts at one bound only, and would check further conditions row by row.
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

/**
 * A page of several lists at once, with all entries of its last address: the limit may have cut some of them off, and
 * the next page begins after that address. `key`: differs between entries.
 */
export function* wholePage<Row>(
  rows: readonly Row[],
  limit: number,
  entry: { address(row: Row): string; key(row: Row): string; all(address: string): PortSteps<Row[]> },
): PortSteps<Row[]> {
  const last = rows.at(-1)
  if (last === undefined || rows.length < limit) return [...rows]
  const known = new Set(rows.map(entry.key))
  const all = yield* entry.all(foldedAscii(entry.address(last)))
  return [...rows, ...all.filter((row) => !known.has(entry.key(row)))]
}

/** Returns both texts in the order of the database. */
function inOrder(one: string, other: string): [string, string] {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) <= 0 ? [one, other] : [other, one]
}
