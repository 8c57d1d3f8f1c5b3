/** Finds the delimiter lines of open multiparts (RFC 2046 5.1.1) in octets. */

/**
 * The longest line that may be a delimiter, in octets: a boundary has at most 70 (RFC 2046 5.1.1), the rest is
 * tolerance.
 */
const MAX_DELIMITER = 300

const CR = 0x0d
const LF = 0x0a
const HYPHEN = 0x2d

interface FoundDelimiter {
  /** The level it was added with; the innermost where several multiparts share a boundary. */
  level: number
  /** True for the line after the last part. */
  closes: boolean
  /** Offset of the line end, or of the end of the octets. */
  lineEnd: number
}

interface Node {
  readonly next: Map<number, Node>
  /** Levels of the delimiters that end here; the innermost last. */
  readonly levels: number[]
}

const newNode = (): Node => ({ next: new Map(), levels: [] })

/**
 * Delimiters as a tree of octets. A line is compared with all of them at once, at the cost of one step for each
 * matching octet.
 */
export class Delimiters {
  readonly #root = newNode()
  #size = 0
  /** Octets compared so far, which the tests compare with the size of a message. */
  steps = 0

  get size(): number {
    return this.#size
  }

  /** `line` is the delimiter without its line end, e.g. `--boundary`. A delimiter over 300 octets is never found. */
  add(line: Buffer, level: number): void {
    if (line.length > MAX_DELIMITER) return
    let node = this.#root
    for (const octet of line) {
      let next = node.next.get(octet)
      if (next === undefined) {
        next = newNode()
        node.next.set(octet, next)
      }
      node = next
    }
    node.levels.push(level)
    this.#size++
  }

  /** Forgets a delimiter when `level` is its innermost. */
  remove(line: Buffer, level: number): void {
    const path = [this.#root]
    for (const octet of line) {
      const next = path.at(-1)!.next.get(octet)
      if (next === undefined) return
      path.push(next)
    }
    const { levels } = path.at(-1)!
    if (levels.at(-1) !== level) return
    levels.pop()
    this.#size--
    for (let at = line.length; at > 0; at--) {
      const node = path[at]!
      if (node.levels.length > 0 || node.next.size > 0) break
      path[at - 1]!.next.delete(line[at - 1]!)
    }
  }

  /** The delimiter that is the line at `start`, apart from white space after it. Expects CRLF lines. */
  match(octets: Buffer, start: number): FoundDelimiter | undefined {
    let node = this.#root
    let closing: FoundDelimiter | undefined
    for (let at = start; ; at++) {
      this.steps++
      const level = node.levels.at(-1)
      if (level !== undefined) {
        const opened = lineEndBehind(octets, at)
        if (opened >= 0 && opened - start <= MAX_DELIMITER) return { level, closes: false, lineEnd: opened }
        if (octets[at] === HYPHEN && octets[at + 1] === HYPHEN) {
          const closed = lineEndBehind(octets, at + 2)
          if (closed >= 0 && closed - start <= MAX_DELIMITER)
            closing = { level, closes: true, lineEnd: closed }
        }
      }
      const next = node.next.get(octets[at] ?? -1)
      // The hyphens may belong to a boundary that ends in them, which takes precedence over the end of a shorter
      // boundary.
      if (next === undefined) return closing
      node = next
    }
  }
}

/** Offset of the line end when only white space stands before it, otherwise -1. */
function lineEndBehind(octets: Buffer, from: number): number {
  let at = from
  const limit = from + MAX_DELIMITER
  while (at < limit && (octets[at] === 0x20 || octets[at] === 0x09)) at++
  return at >= octets.length || (octets[at] === CR && octets[at + 1] === LF) ? at : -1
}
