/**
 * Spreadsheets take cells that begin with these characters for a formula, and ones that begin with an apostrophe for
 * text (CSV injection).
 */
const FORMULA = /^['=+\-@\t\r]/

/** Protects a cell whose text comes from others. */
export function guardCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

export function unguardCell(text: string): string {
  return text[0] === "'" && FORMULA.test(text.slice(1)) ? text.slice(1) : text
}
