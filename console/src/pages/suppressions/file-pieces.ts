/** Cuts a CSV file between its records, so that it is never in memory as a whole. */
import {
  behindFirstLine,
  type CsvDelimiter,
  countLineEnds,
  delimiterOf,
  isBlank,
  readRecord,
} from '../../../../src/operate/csv-record.ts'

interface FilePiece {
  text: string
  /** The header record and the lines before this piece. Absent in the first piece. */
  begun?: { head: string; lines: number }
  /** Octets of the file up to the end of this piece. */
  octets: number
}

/** Octets read at a time. In UTF-8 they are at most as many characters. */
const SLICE = 32 * 1024

/** Throws if the file is not text. */
export async function* piecesOf(file: Blob): AsyncGenerator<FilePiece> {
  const decoder = new TextDecoder(await encodingOf(file))
  let rest = ''
  let head: string | null = null
  let known: CsvDelimiter | null = null
  let lines = 0
  let isCut = false
  for (let from = 0; from < file.size; from += SLICE) {
    const end = Math.min(from + SLICE, file.size)
    const isLast = end === file.size
    rest += decoder.decode(await file.slice(from, end).arrayBuffer(), { stream: !isLast })
    if (rest.includes('\0')) {
      throw new Error('This is not a text file. Save the spreadsheet as CSV (UTF-8) first.')
    }
    if (isCut) {
      // The server gets the beginning of a line that is too long, and reports it; the rest is skipped.
      const behind = behindFirstLine(rest, isLast)
      isCut = behind === -1
      rest = behind === -1 ? (rest.endsWith('\r') ? '\r' : '') : rest.slice(behind)
      if (behind !== -1) lines += 1
    }
    const delimiter: CsvDelimiter = known ?? delimiterOf(rest)
    let cut = 0
    let found: string | null = head
    while (cut < rest.length && !isCut) {
      const record = readRecord(rest, cut, delimiter, isLast)
      if (record === null) break
      if ('why' in record) isCut = record.endless === true
      else if (!isBlank(record.fields)) found ??= rest.slice(cut, record.next)
      cut = record.next
    }
    if (cut === 0) continue
    const text = rest.slice(0, cut)
    rest = rest.slice(cut)
    yield { text, octets: end, ...(lines > 0 && { begun: { head: head ?? '', lines } }) }
    head = found
    known = delimiter
    lines += countLineEnds(text)
  }
}

/** Detects UTF-16 by its byte order mark, which spreadsheets write. */
async function encodingOf(file: Blob): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8'
}
