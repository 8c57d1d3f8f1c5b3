/** CSV (RFC 4180) that spreadsheets read as text. */
import { guardCell } from '../../../src/operate/csv-cell.ts'

const NUMBER = /^-?\d+(\.\d+)?$/

/** Strangers wrote the text. */
function cell(text: string): string {
  const safe = NUMBER.test(text) ? text : guardCell(text)
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}
