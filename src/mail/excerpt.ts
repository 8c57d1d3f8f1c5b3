const LENGTH = 60
/** The number of characters examined, however long the text is. */
const LOOKED_AT = 200

/** The beginning of a foreign text, for an error message: one line, printable, cut between characters. */
export function excerpt(text: string): string {
  const line = text
    .slice(0, LOOKED_AT)
    .replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
    .trim()
  if (text.length <= LOOKED_AT && line.length <= LENGTH) return line
  return `${line
    .slice(0, LENGTH)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`
}
