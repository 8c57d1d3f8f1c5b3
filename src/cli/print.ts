/** How commands print: tables and lines for people, one JSON value for scripts. */

/** One JSON value and a line end. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

export function printLine(text = ''): void {
  process.stdout.write(`${text}\n`)
}

export type Cell = string | number | null

/** Columns under their titles, aligned, two spaces apart; `nothing` when there are no rows. */
export function printTable(titles: string[], rows: Cell[][], nothing: string): void {
  if (rows.length === 0) {
    printLine(nothing)
    return
  }
  const lines = [titles, ...rows.map((row) => row.map(cellText))]
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  for (const line of lines) {
    printLine(
      line
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
  }
}

/** `name: value` lines with the values aligned. */
export function printFields(fields: [name: string, value: Cell][]): void {
  const width = Math.max(...fields.map(([name]) => name.length))
  for (const [name, value] of fields) printLine(`${`${name}:`.padEnd(width + 1)}  ${cellText(value)}`)
}

function cellText(value: Cell): string {
  return value === null || value === '' ? '-' : plain(String(value))
}

/** Text from outside with control characters made visible: no message may write escape sequences to the operator's terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
  })
}

/** At most `length` characters, the cut marked. */
export function clipped(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}

/** Unix ms as `2026-11-20 22:55:01Z`; null stays null. */
export function shownTime(at: number | null): string | null {
  return at === null ? null : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** Unix ms as ISO 8601, for JSON; null stays null. */
export function jsonTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
