/** A CSV file, cut between its records, so that none of it has to be in memory as a whole. */

export interface FilePiece {
  text: string
  /** Absent: the file begins here. */
  begun?: { head: string; lines: number }
  /** Octets of the file up to its end. */
  octets: number
}

/** Octets read at a time: of UTF-8 at most so many characters. */
const SLICE = 32 * 1024

/** A record with more characters is none of a list of addresses. */
const LONGEST_RECORD = 30_000

/** Throws for what is no text. */
export async function* piecesOf(file: Blob): AsyncGenerator<FilePiece> {
  const decoder = new TextDecoder(await encodingOf(file))
  let rest = ''
  let head: string | null = null
  let lines = 0
  for (let from = 0; from < file.size; from += SLICE) {
    const end = Math.min(from + SLICE, file.size)
    const isLast = end === file.size
    rest += decoder.decode(await file.slice(from, end).arrayBuffer(), { stream: !isLast })
    if (rest.includes('\0')) {
      throw new Error('This is no text file. In a spreadsheet, save the list as CSV (UTF-8) first.')
    }
    let cut = isLast ? rest.length : endOfRecords(rest)
    // A quotation mark that is never closed: the service says where it is.
    if (cut === 0 && rest.length > LONGEST_RECORD) cut = rest.length
    if (cut === 0) continue
    const text = rest.slice(0, cut)
    rest = rest.slice(cut)
    yield { text, octets: end, ...(head !== null && { begun: { head, lines } }) }
    head ??= headOf(text)
    lines += text.split('\n').length - 1
  }
}

/** By the byte order mark; spreadsheets write UTF-16 with one. */
async function encodingOf(file: Blob): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8'
}

/** Behind the last line end that is within no quotation marks; 0: there is none. */
function endOfRecords(text: string): number {
  let end = 0
  let quoted = false
  let atStart = true
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (quoted) {
      // A doubled one (RFC 4180) closes and opens.
      if (character === '"') quoted = false
    } else if (character === '"' && (atStart || text[at - 1] === '"')) {
      quoted = true
    } else if (character === '\n') {
      end = at + 1
    }
    atStart = character === ',' || character === ';' || character === '\t' || character === '\n'
  }
  return end
}

/** With all but the last character of its line end, by which the service knows that of the others. */
function headOf(text: string): string {
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    if (endOfRecords(text.slice(0, end + 1)) === end + 1) return text.slice(0, end)
  }
  return text
}
