/** Shows where words were found. Pure. */

/** The most characters before the found words, and in the whole excerpt. */
const BEFORE = 24
const LONGEST = 160

/** One line of the text, with the words that begin at `offset`. */
export function excerptAt(text: string, offset: number): string {
  const start = offset <= BEFORE ? 0 : startOfWord(text, offset)
  const line = text
    .slice(start, start + 2 * LONGEST)
    .replace(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${line.slice(0, LONGEST).toWellFormed()}`
}

/** The start of the excerpt, moved to a whole word. */
function startOfWord(text: string, offset: number): number {
  const before = text.slice(offset - BEFORE, offset)
  const space = before.search(/\s/)
  return space < 0 ? offset : offset - BEFORE + space + 1
}
