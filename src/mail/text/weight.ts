/** Estimates the cost of a document before it is converted. */
import { HTML_LIMIT } from './text-from-html.ts'

/** The cost of a tag or an entity in addition to its characters. */
const TAG = 64
const ENTITY = 32

/**
 * The cost of `textFromHtml(html)`; a character of plain text costs 1. Tags (links among them) and entities count for
 * more than their characters; nesting costs nothing. Deriving text of weight w executes at most 30 w blocks of code and
 * copies at most 30 w characters, and some thousands of either for any document; the tests check that with hostile
 * input. On a usual processor that is 10 to 20 ns for each unit of real mail, 60 at worst. A mail of 2 KB weighs about
 * 8,000. Memory is bounded as well: 64 MiB for the largest document that is read.
 *
 * Counting stops once `enough` is reached. It takes some microseconds for 2 KB, and is linear in what is counted.
 */
export function htmlWeight(html: string, enough = Number.POSITIVE_INFINITY): number {
  let weight = Math.min(html.length, HTML_LIMIT)
  for (const [mark, cost] of MARKS) {
    if (weight >= enough) break
    let at = html.indexOf(mark)
    while (at >= 0 && at < HTML_LIMIT && weight < enough) {
      weight += cost
      at = html.indexOf(mark, at + 1)
    }
  }
  return weight
}

const MARKS: readonly [mark: string, cost: number][] = [
  ['<', TAG],
  ['&', ENTITY],
]
