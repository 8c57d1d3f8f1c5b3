/**
 * A JSON (RFC 8259) scanner that works octet by octet, builds only the requested values, and skips the rest. It takes
 * time linear in the octets, and memory only for the built values.
 */
import { clip } from '../../common/clip.ts'
import { readText } from './string.ts'

/** The deepest nesting of objects and arrays in built values, and in skipped ones. */
const MAX_BUILT_DEPTH = 64
const MAX_DEPTH = 100_000
/** The most values and names that are built. */
const MAX_VALUES = 250_000
/**
 * The most items of an array that are built. No array here may have so many, so its length fails the check without the
 * other items.
 */
const MAX_ITEMS = 200_001

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null'

/** The octets are not JSON, or exceed a limit. The message is the end of a sentence. */
export class JsonFault extends Error {
  override name = 'JsonFault'
}

/** The octets may be JSON, but exceed a limit. The message completes a sentence: "holds ...". */
export class JsonLimit extends JsonFault {
  override name = 'JsonLimit'
}

/** A cursor over valid UTF-8. Every method throws JsonFault at a syntax error. */
export class JsonScanner {
  readonly #octets: Buffer
  #at = 0
  /** The number of open brackets. */
  #depth = 0
  #values = 0
  /** Whether the last octet was an opening bracket, so that no comma precedes the next item. */
  #fresh = false
  /** Octets examined, which tests compare with the size of the body. */
  steps = 0

  constructor(octets: Buffer, start = 0) {
    this.#octets = octets
    this.#at = start
  }

  /** The kind of the next value. */
  kind(): JsonKind {
    this.#space()
    const octet = this.#octets[this.#at]
    switch (octet) {
      case 0x7b:
        return 'object'
      case 0x5b:
        return 'array'
      case QUOTE:
        return 'string'
      case 0x74:
        return 'true'
      case 0x66:
        return 'false'
      case 0x6e:
        return 'null'
    }
    if (octet === MINUS || isDigit(octet)) return 'number'
    throw this.#unexpected(this.#at)
  }

  /** Expects an object or array. */
  enter(): void {
    if (++this.#depth > MAX_DEPTH) throw new JsonFault(`it is nested more than ${MAX_DEPTH} levels deep`)
    this.#at++
    this.#fresh = true
  }

  /** Within an array: true when another item follows, false after its end. */
  item(): boolean {
    return this.#next(0x5d)
  }

  /**
   * Within an object: moves to the value of the next name and returns that name, or null after the end of the object. A
   * name of more than `longest` octets is not decoded, and '' is returned for it.
   */
  name(longest = Number.POSITIVE_INFINITY): string | null {
    if (!this.#next(0x7d)) return null
    if (this.#octets[this.#at] !== QUOTE) throw this.#unexpected(this.#at)
    const start = this.#at
    const escaped = this.#passString()
    const end = this.#at
    this.#space()
    if (this.#octets[this.#at] !== COLON) throw this.#unexpected(this.#at)
    this.#at++
    return end - start - 2 > longest ? '' : readText(this.#octets, start, end, escaped)
  }

  /** Expects a string. */
  text(): string {
    const start = this.#at
    const escaped = this.#passString()
    return readText(this.#octets, start, this.#at, escaped)
  }

  /**
   * Expects a string. Returns its octets as they are between the quotes, and whether they contain escapes. `text`
   * builds the string; the body must still be in memory then.
   */
  textOctets(): { octets: Buffer; escaped: boolean; text: () => string } {
    const start = this.#at
    const escaped = this.#passString()
    const end = this.#at
    return {
      octets: this.#octets.subarray(start + 1, end - 1),
      escaped,
      text: () => readText(this.#octets, start, end, escaped),
    }
  }

  /** Builds any value. */
  value(): unknown {
    this.#count()
    switch (this.kind()) {
      case 'object': {
        const entries: [string, unknown][] = []
        this.#build()
        for (let name = this.name(); name !== null; name = this.name()) {
          this.#count()
          entries.push([name, this.value()])
        }
        // fromEntries defines own properties, so that `__proto__` is a name like any other.
        return Object.fromEntries(entries)
      }
      case 'array': {
        const items: unknown[] = []
        this.#build()
        while (this.item()) {
          if (items.length < MAX_ITEMS) items.push(this.value())
          else this.skip()
        }
        return items
      }
      case 'string':
        return this.text()
      case 'number': {
        const start = this.#at
        this.#passNumber()
        return Number(this.#octets.toString('latin1', start, this.#at))
      }
      case 'true':
        this.#literal('true')
        return true
      case 'false':
        this.#literal('false')
        return false
      case 'null':
        this.#literal('null')
        return null
    }
  }

  /** Skips any value without building it. */
  skip(): void {
    const floor = this.#depth
    const closing: (0x5d | 0x7d)[] = []
    do {
      const kind = this.kind()
      if (kind === 'object' || kind === 'array') {
        this.enter()
        closing.push(kind === 'object' ? 0x7d : 0x5d)
      } else if (kind === 'string') this.#passString()
      else if (kind === 'number') this.#passNumber()
      else this.#literal(kind)
      while (closing.length > 0) {
        const close = closing.at(-1)!
        if (close === 0x7d ? this.name(0) !== null : this.item()) break
        closing.pop()
      }
    } while (this.#depth > floor)
  }

  /** Expects an array; returns its byte values as octets, or the index of the first item that is not a byte value. */
  bytes(): Uint8Array | number {
    this.enter()
    // Doubled when full. An item has at least two octets of text, so a grown buffer is never larger than the text.
    let bytes = Buffer.allocUnsafeSlow(4_096)
    let length = 0
    let wrong = -1
    while (this.item()) {
      const value = this.#byte()
      if (value < 0) {
        if (wrong < 0) wrong = length
        this.skip()
      }
      if (length === bytes.length) {
        const more = Buffer.allocUnsafeSlow(2 * length)
        bytes.copy(more)
        bytes = more
      }
      bytes[length++] = value
    }
    if (wrong >= 0) return wrong
    return length === bytes.length ? bytes : new Uint8Array(bytes.subarray(0, length))
  }

  /** Expects only white space. */
  expectEnd(): void {
    this.#space()
    if (this.#at < this.#octets.length) throw this.#unexpected(this.#at)
  }

  /** Reads a byte value; -1 for anything else, which stays unread. */
  #byte(): number {
    const octets = this.#octets
    const start = this.#at
    let value = 0
    let at = start
    while (isDigit(octets[at]) && at - start < 4) value = value * 10 + octets[at++]! - ZERO
    const after = octets[at]
    const plain = at > start && value <= 255 && (octets[start] !== ZERO || at === start + 1)
    if (plain && !isDigit(after) && after !== POINT && after !== 0x65 && after !== 0x45) {
      this.#at = at
      return value
    }
    // Other spellings of a byte value: 1.0, 1e0, -0.
    if (this.kind() !== 'number') return -1
    this.#passNumber()
    const number = Number(octets.toString('latin1', start, this.#at))
    if ((number & 0xff) === number) return number
    this.#at = start
    return -1
  }

  #next(close: number): boolean {
    this.#space()
    const octets = this.#octets
    const fresh = this.#fresh
    this.#fresh = false
    const octet = octets[this.#at]
    if (octet === close) {
      this.#at++
      this.#depth--
      return false
    }
    if (fresh) return true
    if (octet !== COMMA) throw this.#unexpected(this.#at)
    this.#at++
    this.#space()
    if (octets[this.#at] === close) throw this.#unexpected(this.#at)
    return true
  }

  /** True when the string contains escapes. */
  #passString(): boolean {
    const octets = this.#octets
    const start = this.#at
    let at = start + 1
    let escaped = false
    for (;;) {
      const octet = octets[at]
      if (octet === QUOTE) break
      if (octet === BACKSLASH) {
        escaped = true
        const length = escapeLength(octets, at)
        if (length === 0) throw this.#unexpected(at)
        at += length
        // RFC 8259 7: control characters must be escaped. The comparison is false past the end.
      } else if (octet! >= 0x20) at++
      else throw this.#unexpected(at)
    }
    this.#at = at + 1
    this.steps += this.#at - start
    return escaped
  }

  /** Skips the longest prefix that is a number: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
  #passNumber(): void {
    const octets = this.#octets
    const start = this.#at
    let at = start
    const digits = (from: number): number => {
      let to = from
      while (isDigit(octets[to])) to++
      return to
    }
    if (octets[at] === MINUS) at++
    if (!isDigit(octets[at])) throw this.#unexpected(start)
    at = octets[at] === ZERO ? at + 1 : digits(at)
    if (octets[at] === POINT && isDigit(octets[at + 1])) at = digits(at + 1)
    if (octets[at] === 0x65 || octets[at] === 0x45) {
      const sign = octets[at + 1] === MINUS || octets[at + 1] === 0x2b ? 1 : 0
      if (isDigit(octets[at + 1 + sign])) at = digits(at + 1 + sign)
    }
    this.#at = at
    this.steps += at - start
  }

  #literal(word: 'true' | 'false' | 'null'): void {
    for (let index = 1; index < word.length; index++) {
      if (this.#octets[this.#at + index] !== word.charCodeAt(index)) throw this.#unexpected(this.#at)
    }
    this.#at += word.length
    this.steps += word.length
  }

  #space(): void {
    const octets = this.#octets
    let at = this.#at
    while (octets[at] === 0x20 || octets[at] === 0x0a || octets[at] === 0x0d || octets[at] === 0x09) at++
    this.steps += at - this.#at + 1
    this.#at = at
  }

  #build(): void {
    this.enter()
    if (this.#depth > MAX_BUILT_DEPTH)
      throw new JsonFault(`it is nested more than ${MAX_BUILT_DEPTH} levels deep`)
  }

  #count(): void {
    if (++this.#values > MAX_VALUES) throw new JsonLimit(`holds more than ${MAX_VALUES} values`)
  }

  #unexpected(at: number): JsonFault {
    return new JsonFault(unexpected(this.#octets, at))
  }
}

/** Octets of the escape at `at`; 0 when there is no valid escape. */
function escapeLength(octets: Buffer, at: number): number {
  switch (octets[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return 2
    case 0x75:
      for (let index = at + 2; index < at + 6; index++) if (!isHex(octets[index])) return 0
      return 6
    default:
      return 0
  }
}

function isDigit(octet: number | undefined): boolean {
  return octet! >= ZERO && octet! <= NINE
}

function isHex(octet: number | undefined): boolean {
  return isDigit(octet) || ((octet! | 0x20) >= 0x61 && (octet! | 0x20) <= 0x66)
}

/** E.g. `unexpected '}' at line 3, column 7`. */
function unexpected(octets: Buffer, at: number): string {
  let line = 1
  let start = 0
  for (let end = octets.indexOf(0x0a); end >= 0 && end < at; end = octets.indexOf(0x0a, start)) {
    line++
    start = end + 1
  }
  // Columns count UTF-16 units, as editors do: one for each character, two for a character of four octets.
  let column = 1
  for (let index = start; index < at; index++) {
    const octet = octets[index]!
    if ((octet & 0xc0) !== 0x80) column += octet >= 0xf0 ? 2 : 1
  }
  const where = `at line ${line}, column ${column}`
  if (at >= octets.length) return `unexpected end ${where}`
  const character = String.fromCodePoint(octets.toString('utf8', at, at + 4).codePointAt(0)!)
  return `unexpected ${characterText(character)} ${where}`
}

/** A visible character in quotes; any other as its code point. */
function characterText(char: string): string {
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char)) return `'${clip(char)}'`
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
