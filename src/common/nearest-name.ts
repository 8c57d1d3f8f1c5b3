/**
 * The name with the fewest letters to change, if it is near enough to be a typing mistake; null: none is.
 * `most`: letters that may differ, and never more than half of those written.
 */
export function nearestName<Name extends string>(
  written: string,
  names: Iterable<Name>,
  most: number,
): Name | null {
  let best: Name | null = null
  let least = Math.min(most, Math.floor(written.length / 2)) + 1
  for (const name of names) {
    const distance = editDistance(written, name)
    if (distance < least) [best, least] = [name, distance]
  }
  return best
}

/** Levenshtein distance: letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1))
    }
    previous = current
  }
  return previous[b.length]!
}
