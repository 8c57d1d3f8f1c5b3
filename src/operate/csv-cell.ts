/** Spreadsheets take what begins so for a formula, and what begins with an apostrophe for text (CSV injection). */
const FORMULA = /^['=+\-@\t\r]/

/** Of a cell that others have written. */
export function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

export function unguarded(text: string): string {
  return text[0] === "'" && FORMULA.test(text.slice(1)) ? text.slice(1) : text
}
