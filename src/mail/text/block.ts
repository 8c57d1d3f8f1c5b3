/** A block of text under construction: its lines, its inner blocks, and the gaps between them. */
import type { Line } from './line.ts'

/** The gap between two blocks: 1 puts the second on the next line, 2 leaves an empty line between. */
export type Gap = 0 | 1 | 2

/** The prefix of a block's first line, and the prefix of its other lines. */
export type Prefix = readonly [first: string, rest: string]
const NO_PREFIX: Prefix = ['', '']

/** A place within a block: the stretch of the line that begins there, and the number of parts before the next line. */
export interface Mark {
  stretch: number
  parts: number
}

interface Inner {
  block: Block
  prefix: Prefix
}

export class Block {
  /** The widest gap requested before the first line. The outer block applies this gap. */
  leadingGap: Gap = 0
  /** The number of lines, including the lines of inner blocks. */
  height = 0
  /** How many of the lines counted in `height` are empty. */
  emptyLines = 0
  /** The length of the longest line in characters, without link addresses and prefixes. */
  width = 0
  /** Whether the block contains the address of a link. */
  linked = false
  /**
   * Lines and inner blocks, in order. The lines of an inner block are not copied into the outer block: `writeTo` writes
   * each line once, however deeply its block is nested.
   */
  #parts: (string | Inner)[] = []
  readonly #line: Line
  #gap: Gap = 0

  /**
   * All blocks of a document share one `Line` and write to it in turn: before an inner block begins, `gap` ends the
   * line of the outer block.
   */
  constructor(line: Line) {
    this.#line = line
  }

  /** Marks the present place, for a later call of `since`. A new mark on the same line replaces the earlier mark. */
  mark(): Mark {
    // The text that is already on this line becomes a part when the line ends.
    const parts = this.#line.empty ? this.#parts.length : this.#parts.length + 1
    return { stretch: this.#line.mark(), parts }
  }

  /** The text written since the mark; undefined unless all of it is on the present line. */
  since(mark: Mark): string | undefined {
    return this.#line.since(mark.stretch)
  }

  /** Writes the address of a link after the text written since the mark, or in place of that text. */
  address(address: string, instead: boolean): void {
    const wasEmpty = this.#line.empty
    this.#line.address(address, instead)
    if (wasEmpty) this.#openGap()
    this.linked = true
  }

  /**
   * Writes the address of a link that contains whole lines: at the end of the line if the link has only one line,
   * otherwise on a line below.
   */
  addressBelow(mark: Mark, address: string): void {
    this.linked = true
    const last = this.#parts.length - 1
    const line = this.#parts[last]
    const first = this.#parts[mark.parts] === '' ? mark.parts + 1 : mark.parts
    if (this.#line.empty && last === first && typeof line === 'string') {
      this.#parts[last] = `${line} <${address}>`
      return
    }
    this.gap(1)
    this.address(`<${address}>`, true)
    this.gap(1)
  }

  /** Adds running text; white space collapses across calls. Returns whether any of it is visible. */
  text(data: string): boolean {
    const wasEmpty = this.#line.empty
    const visible = this.#line.text(data)
    if (wasEmpty && visible) this.#openGap()
    return visible
  }

  /** Adds the alternative text of a picture, as a word of its own. */
  picture(text: string): void {
    this.#line.soften()
    this.text(text)
    this.#line.soften()
  }

  /** Adds text whose line ends are kept, and whose spaces are kept unless `collapse` is set. */
  preformatted(data: string, collapse: boolean): void {
    for (const [index, part] of data.split(/\r\n|\r|\n/).entries()) {
      if (index > 0) this.#newLine()
      if (collapse) this.text(part)
      else {
        const wasEmpty = this.#line.empty
        this.#line.keep(part)
        if (wasEmpty && !this.#line.empty) this.#openGap()
      }
    }
  }

  /**
   * Handles `<br>`. After text it ends the line; on an empty line it leaves that line empty, and a further `<br>` adds
   * nothing.
   */
  lineBreak(): void {
    if (!this.#line.empty) {
      this.#endLine()
      this.#raise(1)
    } else if (this.#gap > 0) this.#raise(2)
  }

  /** Separates the next text from the text before it by this gap. */
  gap(gap: Gap): void {
    if (gap === 0) return
    if (!this.#line.empty) this.#endLine()
    this.#raise(gap)
  }

  /** Adds a line with a gap on both sides, unless the previous line is the same. */
  rule(line: string): void {
    this.gap(2)
    if (this.#parts.at(-1) !== line) this.line(line, line.length)
    this.gap(2)
  }

  /** Adds a complete line of the given width. */
  line(line: string, width: number): void {
    this.#openGap()
    this.#push(line, width)
  }

  /** Adds a finished block. */
  block(block: Block, gap: Gap, prefix: Prefix = NO_PREFIX): void {
    this.gap(gap)
    if (block.height > 0) {
      this.#openGap()
      if (block.linked) this.linked = true
      const only = block.height === 1 ? block.#parts[0] : undefined
      if (typeof only === 'string') this.#push(prefix[0] + only, block.width)
      else {
        this.#parts.push({ block, prefix })
        this.height += block.height
        this.emptyLines += block.emptyLines
        if (block.width > this.width) this.width = block.width
      }
    }
    this.gap(gap)
  }

  /** Ends the last line, and removes empty lines at the end. */
  finish(): this {
    if (!this.#line.empty) this.#endLine()
    while (this.#parts.at(-1) === '') {
      this.#parts.pop()
      this.height--
      this.emptyLines--
    }
    // An array that has grown keeps unused memory. In a table, which has many small blocks, most memory would be
    // unused.
    if (this.#parts.length < 8) this.#parts = this.#parts.slice()
    return this
  }

  /** Passes each line and its prefix to `write`, and stops when `write` returns false. Returns false if it stopped. */
  writeTo(write: (prefix: string, line: string) => boolean, [first, rest]: Prefix = NO_PREFIX): boolean {
    let before = first
    for (const part of this.#parts) {
      const goOn =
        typeof part === 'string'
          ? write(before, part)
          : part.block.writeTo(write, [before + part.prefix[0], rest + part.prefix[1]])
      if (!goOn) return false
      before = rest
    }
    return true
  }

  #openGap(): void {
    if (this.#parts.length === 0) {
      if (this.#gap > this.leadingGap) this.leadingGap = this.#gap
    } else if (this.#gap === 2) this.#emptyLine()
    this.#gap = 0
  }

  /** Handles a line end in preformatted text. */
  #newLine(): void {
    if (!this.#line.empty) this.#endLine()
    else if (this.#parts.length > 0) {
      this.#openGap()
      this.#push('', 0)
    }
  }

  #emptyLine(): void {
    if (this.#parts.at(-1) !== '') this.#push('', 0)
  }

  #endLine(): void {
    const { width } = this.#line
    const line = this.#line.finishLine()
    // The line is empty when its preformatted text was only spaces.
    if (line === '') this.#newLine()
    else this.#push(line, width)
  }

  #push(line: string, width: number): void {
    this.#parts.push(line)
    this.height++
    if (line === '') this.emptyLines++
    if (width > this.width) this.width = width
  }

  #raise(gap: Gap): void {
    if (gap > this.#gap) this.#gap = gap
  }
}
