/**
 * Output of commands: tables and lines for people, one JSON value for scripts. Nothing else in this folder writes to
 * the terminal. Most of the text comes from senders, recipients and servers, so control characters are escaped here.
 */
import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { utcTime } from '../common/utc-day.ts'
import { visible, visibleJson } from '../common/visible-text.ts'

/** Columns of the terminal; 80 if there is none, like commander's default. */
export function columnsOf(stream: 'stdout' | 'stderr'): number {
  return process[stream].columns ?? 80
}

/** Prints indented JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${visibleJson(JSON.stringify(value, null, 2))}\n`)
}

/** Prints JSON on one line. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(jsonLine(value))
}

export function jsonLine(value: unknown): string {
  return `${visibleJson(JSON.stringify(value))}\n`
}

/**
 * A piece of a text file: unchanged to a file or another program, made visible for a terminal. Resolves when there is
 * room for the next piece.
 */
export async function printPiece(text: string): Promise<void> {
  const room = process.stdout.write(process.stdout.isTTY ? lineByLine(text) : text)
  if (!room) await once(process.stdout, 'drain')
}

/** One line: a line break within it is shown as an escape, so that untrusted text cannot add lines. */
export function printLine(text = ''): void {
  process.stdout.write(`${visible(text)}\n`)
}

/** Text of Postroad itself, of several lines. */
export function printText(text: string): void {
  process.stdout.write(lineByLine(text))
}

/** Prints one line on stderr. */
export function printNote(text: string): void {
  process.stderr.write(`${visible(text)}\n`)
}

/** A line on stderr that is replaced as the work proceeds and removed at the end; only on a terminal. */
export class ProgressLine {
  #shown = false

  show(text: string): void {
    if (!process.stderr.isTTY) return
    process.stderr.write(`\r\x1b[K${visible(text)}`)
    this.#shown = true
  }

  clear(): void {
    if (this.#shown) process.stderr.write('\r\x1b[K')
    this.#shown = false
  }
}

/** An error message, on stderr, of one line or several. */
export function printError(text: string): void {
  process.stderr.write(lineByLine(text))
}

/**
 * A message as it is transferred. A file or another program gets it octet for octet; on a terminal, octets that are not
 * UTF-8 are shown as `\xHH`.
 */
export function printMessage(message: Buffer): void {
  if (!process.stdout.isTTY) {
    process.stdout.write(message)
    return
  }
  for (let start = 0; start < message.length; ) {
    const end = message.indexOf(10, start)
    const line = message.subarray(start, end < 0 ? message.length : end)
    printVisible(line.at(-1) === 13 ? line.subarray(0, -1) : line)
    start = end < 0 ? message.length : end + 1
  }
}

function printVisible(line: Buffer): void {
  if (isUtf8(line)) {
    printLine(line.toString().replaceAll('\t', '        '))
    return
  }
  const text = line.toString('latin1').replace(/[\x80-\xff]/g, (octet) => {
    return `\\x${octet.charCodeAt(0).toString(16)}`
  })
  printLine(text)
}

function lineByLine(text: string): string {
  return text.split('\n').map(visible).join('\n')
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
  return value === null || value === '' ? '-' : visible(String(value))
}

/** `1 recipient`, `2 recipients`. */
export function recipientCount(count: number): string {
  return `${count} ${count === 1 ? 'recipient' : 'recipients'}`
}

/** The time of a next step, as `formatTime`; `due` once it is past. */
export function formatDue(at: number | null): string | null {
  return at !== null && at <= Date.now() ? 'due' : formatTime(at)
}

/** Unix ms as `2026-11-20 22:55:01Z`; null stays null. */
export function formatTime(at: number | null): string | null {
  return at === null ? null : utcTime(at)
}
