/**
 * Cells that no spreadsheet runs as a formula (CSV injection). Needs nothing of Node.js, because the console's page
 * also writes files with it.
 *
 * A cell is guarded at its beginning and behind whatever may end it: where a list of numbers is written with semicolons
 * (German, French), Excel splits at `;` and takes a quotation mark inside of a cell for text, so the next of its cells
 * begins in the midst of ours. Blanks and quotation marks may stand before the formula.
 */

/** Formulas begin with these characters and their full-width forms, and text with an apostrophe. */
const FORMULA = "'=+\\-@\uff1d\uff0b\uff0d\uff20"
/** The place before the beginning of a cell. Runs of blanks do not overlap, so the search is linear. */
const BEFORE = '(?:^|[;\\t\\r\\n])(?:[^\\S\\t\\r\\n]|")*'
const BEGINNING = new RegExp(`${BEFORE}(?=[${FORMULA}])`, 'g')
const GUARDED = new RegExp(`(${BEFORE})'(?=[${FORMULA}])`, 'g')

/** Protects a cell whose text comes from others. */
export function guardCell(text: string): string {
  return text.replace(BEGINNING, "$&'")
}

export function unguardCell(text: string): string {
  return text.replace(GUARDED, '$1')
}
