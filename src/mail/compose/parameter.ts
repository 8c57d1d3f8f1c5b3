/** Parameters of MIME fields: `; name=value`, and RFC 2231 where a plain value cannot hold the text. */
import { encodeWords } from '../header/encoded-word.ts'

/** Longest parameter on a line of its own, so that line, leading space and semicolon stay within 78 columns. */
const MAX_WIDTH = 76
/** RFC 2045 5.1 token, except the dot: file names are expected in quotes. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+\-^_`{|}~]+$/

/**
 * One parameter, as pieces to join with `; `: a token or quoted string when the value is ASCII and short, else RFC 2231
 * percent-encoding (UTF-8) with continuations (sections 3 and 4). The value must hold no control characters.
 */
export function encodeParameter(name: string, value: string): string[] {
  const ascii = /^[\x20-\x7e]*$/.test(value)
  if (ascii) {
    const plain = TOKEN.test(value) ? `${name}=${value}` : `${name}="${value.replace(/["\\]/g, '\\$&')}"`
    if (plain.length <= MAX_WIDTH) return [plain]
  }
  return continuations(name, ascii ? asciiUnits(value) : percentUnits(value), ascii)
}

/**
 * The `name` of a Content-Type for older clients: encoded words inside a quoted string. RFC 2047 5(3) forbids it, but
 * clients without RFC 2231 read nothing else, and the others take the file name from Content-Disposition.
 */
export function legacyNameParameter(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) {
    const plain = `name="${value.replace(/["\\]/g, '\\$&')}"`
    if (plain.length <= MAX_WIDTH) return plain
  }
  // Seven columns for `; name="` on the first line, one for the closing quote.
  return `name="${encodeWords(value, MAX_WIDTH - 8).replaceAll(' ', '\r\n ')}"`
}

/** A field with a value and parameters; a parameter that does not fit goes on a line of its own. */
export function parameterField(name: string, value: string, parameters: string[]): string {
  let out = `${name}: ${value}`
  let column = out.length
  for (const parameter of parameters) {
    if (column + 2 + parameter.length > MAX_WIDTH + 1) {
      out += `;\r\n ${parameter}`
      column = 1 + parameter.length
    } else {
      out += `; ${parameter}`
      column += 2 + parameter.length
    }
  }
  return `${out}\r\n`
}

/** Pieces of the value that must not be cut: a percent-encoded character (all its octets), an escaped quote. */
function percentUnits(value: string): string[] {
  return Array.from(value.toWellFormed(), (character) => {
    // RFC 2231 7 attribute-char: tokens without `*`, `'` and `%`.
    if (/[A-Za-z0-9!#$&+\-.^_`{|}~]/.test(character)) return character
    let unit = ''
    for (const octet of Buffer.from(character))
      unit += `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
    return unit
  })
}

function asciiUnits(value: string): string[] {
  return Array.from(value, (character) =>
    character === '"' || character === '\\' ? `\\${character}` : character,
  )
}

function continuations(name: string, units: string[], quoted: boolean): string[] {
  const prefix = quoted ? '' : "UTF-8''"
  const single = `${name}*=${prefix}${units.join('')}`
  if (!quoted && single.length <= MAX_WIDTH) return [single]
  const pieces: string[] = []
  const open = (): string => {
    const section = pieces.length
    return quoted ? `${name}*${section}="` : `${name}*${section}*=${section === 0 ? prefix : ''}`
  }
  let piece = open()
  for (const unit of units) {
    if (piece.length + unit.length + 1 > MAX_WIDTH) {
      pieces.push(quoted ? `${piece}"` : piece)
      piece = open()
    }
    piece += unit
  }
  pieces.push(quoted ? `${piece}"` : piece)
  return pieces
}
