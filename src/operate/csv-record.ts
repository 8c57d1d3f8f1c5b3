/**
 * Reads one record of a CSV file (RFC 4180 2) at a time, in time linear in the text whatever it contains. Needs nothing
 * of Node.js, because the console's page also cuts files with it.
 */

/** Characters of a record. A record with an address, a reason and tags never needs more. */
export const LONGEST_RECORD = 32 * 1024

export type CsvDelimiter = ',' | ';' | '\t'

export type CsvRecord = {
  /** Where the next record begins. */
  next: number
  /** Where the second line of the record begins; `next` where it has one line. */
  second: number
} & (
  | { fields: string[] }
  /** `endless`: the text ends within an overlong line. */
  | { why: string; endless?: true }
)

const TOO_LONG = `the line has more than ${LONGEST_RECORD} characters`
export const NOT_CLOSED = 'a quotation mark in this line is not closed'
const TEXT_BEHIND = 'there is text after a closing quotation mark'

const LINE_END = /\r\n?|\n/g
const SPACE = /[^\S\r\n]*/y
const FIELD_END: Record<CsvDelimiter, RegExp> = { ',': /[,\r\n]/g, ';': /[;\r\n]/g, '\t': /[\t\r\n]/g }

/**
 * The record at `from`; null: the text ends within the record, and more text is to come. A quoted field may contain
 * line ends. A broken record ends with its first line, so that an unclosed quotation mark costs only that line.
 *
 * Reading is linear: the lines behind a broken record are read again, but no line is read more than once on behalf of
 * records that begin before it. A record without a quotation mark inside an unquoted field continues behind a line only
 * if that line has an odd number of marks, and continues through a further line only if that line has an even number. A
 * record with such a mark has one line.
 */
export function readRecord(
  text: string,
  from: number,
  delimiter: CsvDelimiter,
  isLast: boolean,
): CsvRecord | null {
  const end = lineEnd(text, from, isLast)
  const isWhole = end !== -1 || isLast
  const second = end === -1 ? text.length : end
  if (second - from > LONGEST_RECORD) {
    if (isWhole) return { why: TOO_LONG, next: second, second }
    // A line feed may still follow the carriage return.
    const next = text.endsWith('\r') ? second - 1 : second
    return { why: TOO_LONG, next, second: next, endless: true }
  }
  if (!isWhole) return null
  const line = text.slice(from, second)
  if (!line.includes('"')) return { fields: line.split(delimiter).map(trimmed), next: second, second }

  const broken = (why: string) => ({ why, next: second, second })
  /** The result when the rest of the record is still to come. */
  const unfinished = () => (text.length - from > LONGEST_RECORD ? broken(NOT_CLOSED) : null)
  const fields: string[] = []
  let hasMarkInside = false
  for (let at = from; ; at++) {
    at = behindSpace(text, at, delimiter)
    if (text[at] === '"') {
      const field = readQuoted(text, at)
      // A mark at the end of the text may be the first of a pair.
      if (!isLast && (field === null || field.end === text.length)) return unfinished()
      if (field === null || field.end - from > LONGEST_RECORD) return broken(NOT_CLOSED)
      if (hasMarkInside && field.end > second) return broken(NOT_CLOSED)
      fields.push(field.value)
      at = behindSpace(text, field.end, delimiter)
      if (at === text.length && !isLast) return unfinished()
      if (at < text.length && text[at] !== delimiter && !isLineEnd(text[at])) {
        return broken(field.end > second ? NOT_CLOSED : TEXT_BEHIND)
      }
    } else {
      const fieldEnd = FIELD_END[delimiter]
      fieldEnd.lastIndex = at
      const stop = fieldEnd.test(text) ? fieldEnd.lastIndex - 1 : text.length
      if (stop === text.length && !isLast) return unfinished()
      const value = text.slice(at, stop)
      hasMarkInside ||= value.includes('"')
      if (stop - from > LONGEST_RECORD || (hasMarkInside && stop > second)) return broken(NOT_CLOSED)
      fields.push(value.trim())
      at = stop
    }
    if (text[at] === delimiter) continue
    const next = at === text.length ? at : lineEnd(text, at, isLast)
    if (next === -1) return unfinished()
    return next - from > LONGEST_RECORD ? broken(NOT_CLOSED) : { fields, next, second }
  }
}

/** The field whose quotation mark is at `open`, and where it ends; null: it is not closed. */
function readQuoted(text: string, open: number): { value: string; end: number } | null {
  const pieces: string[] = []
  for (let from = open + 1; ; ) {
    const mark = text.indexOf('"', from)
    if (mark === -1) return null
    pieces.push(text.slice(from, mark))
    if (text[mark + 1] !== '"') return { value: pieces.join('"'), end: mark + 1 }
    from = mark + 2
  }
}

function behindSpace(text: string, at: number, delimiter: CsvDelimiter): number {
  if (delimiter === '\t') {
    let behind = at
    while (text[behind] === ' ') behind++
    return behind
  }
  SPACE.lastIndex = at
  SPACE.test(text)
  return SPACE.lastIndex
}

function isLineEnd(character: string | undefined): boolean {
  return character === '\n' || character === '\r'
}

function trimmed(text: string): string {
  return text.trim()
}

/** Whether the record is an empty line. */
export function isBlank(fields: readonly string[]): boolean {
  return fields.length === 1 && fields[0] === ''
}

/** The number of line ends in a piece of text. */
export function countLineEnds(text: string): number {
  return text.split(/\r\n?|\n/).length - 1
}

/** Where the second line begins; -1: the text has no line end. */
export function behindFirstLine(text: string, isLast: boolean): number {
  return lineEnd(text, 0, isLast)
}

/**
 * Where the line ends, behind its line end; -1: there is none, or it may be the first half of CR LF, with the rest to
 * come.
 */
function lineEnd(text: string, from: number, isLast: boolean): number {
  LINE_END.lastIndex = from
  if (!LINE_END.test(text)) return -1
  const end = LINE_END.lastIndex
  return end === text.length && text[end - 1] === '\r' && !isLast ? -1 : end
}

/** The delimiter: the candidate that is most frequent in the first line that is not blank. */
export function delimiterOf(text: string): CsvDelimiter {
  const line = /[^\s][^\r\n]{0,32768}/.exec(text)?.[0] ?? ''
  const count = (delimiter: CsvDelimiter) => line.split(delimiter).length
  const all: CsvDelimiter[] = [',', ';', '\t']
  return all.reduce((best, each) => (count(each) > count(best) ? each : best))
}
