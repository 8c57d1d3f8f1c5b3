const LENGTH = 60
/** However long the text is, only so many characters of it are looked at. */
const LOOKED_AT = 200

/** The beginning of somebody's text, for an error message: one line, printable, cut between characters. */
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
