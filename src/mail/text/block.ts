/** A block of text being written: its lines, the blocks inside, and how far they are apart. */
import type { Line } from './line.ts'

/** How far apart two blocks are: on the next line, or with an empty line between. */
export type Gap = 0 | 1 | 2

/** What the first line of a block starts with, and what its other lines do. */
export type Prefix = readonly [first: string, rest: string]
const NO_PREFIX: Prefix = ['', '']

/**
 * A place within a block: the stretch of the line that begins there, and how many parts will be before the next line.
 */
export interface Mark {
  stretch: number
  parts: number
}

interface Inner {
  block: Block
  prefix: Prefix
}

export class Block {
  /** The widest gap asked for before the first line, for whoever puts this block into another. */
  leadingGap: Gap = 0
  /** Lines, those of inner blocks included. */
  height = 0
  /** Empty ones among them. */
  emptyLines = 0
  /** Characters of the longest line, without addresses of links and without prefixes. */
  width = 0
  /** Whether a link shows its address inside. */
  linked = false
  /** In their order. An inner block stays what it is: its lines are written once, at the end, however deep they are. */
  #parts: (string | Inner)[] = []
  readonly #line: Line
  #gap: Gap = 0

  /**
   * All blocks of a document write on one line in turn: before an inner one begins, `gap` ends that of the outer one.
   */
  constructor(line: Line) {
    this.#line = line
  }

  /** Where the writing stands, to ask `since` later. A mark on the same line takes the place of the one before. */
  mark(): Mark {
    // Text that stands before the mark on its line will be a part of its own when that line ends.
    const parts = this.#line.empty ? this.#parts.length : this.#parts.length + 1
    return { stretch: this.#line.mark(), parts }
  }

  /** What was written on the present line since the mark; undefined when more than that was written. */
  since(mark: Mark): string | undefined {
    return this.#line.since(mark.stretch)
  }

  /** Writes the address of a link whose text was written since the mark: after that, or in its place. */
  address(address: string, instead: boolean): void {
    const wasEmpty = this.#line.empty
    this.#line.address(address, instead)
    if (wasEmpty) this.#openGap()
    this.linked = true
  }

  /** Writes the address of a link around whole lines: at the end of the line when it is one, or else below. */
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

  /** Adds running text; white space collapses across calls. Gives whether any of it is visible. */
  text(data: string): boolean {
    const wasEmpty = this.#line.empty
    const visible = this.#line.text(data)
    if (wasEmpty && visible) this.#openGap()
    return visible
  }

  /** Adds text that stands for a picture: a word of its own. */
  picture(text: string): void {
    this.#line.soften()
    this.text(text)
    this.#line.soften()
  }

  /** Adds text whose line ends stay, and whose spaces stay, too, unless they are to `collapse`. */
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

  /** `<br>`: one ends the line; one on a line of its own makes an empty line, more make no more. */
  lineBreak(): void {
    if (!this.#line.empty) {
      this.#endLine()
      this.#raise(1)
    } else if (this.#gap > 0) this.#raise(2)
  }

  /** What comes next is a block of its own, this far from what came before. */
  gap(gap: Gap): void {
    if (gap === 0) return
    if (!this.#line.empty) this.#endLine()
    this.#raise(gap)
  }

  /** Adds a line as a block; where it would only repeat the line before, it is left out. */
  rule(line: string): void {
    this.gap(2)
    if (this.#parts.at(-1) !== line) this.line(line, line.length)
    this.gap(2)
  }

  /** Adds a line of that width that is complete. */
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

  /** Ends the last line. There are no empty ones at either end. */
  finish(): this {
    if (!this.#line.empty) this.#endLine()
    while (this.#parts.at(-1) === '') {
      this.#parts.pop()
      this.height--
      this.emptyLines--
    }
    // An array that grew has room to grow on: for the many small blocks of a table that is most of what they hold.
    if (this.#parts.length < 8) this.#parts = this.#parts.slice()
    return this
  }

  /** Gives each line, and what is to stand before it, to `write`, until that answers false; false when it did. */
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

  /** A line end in preformatted text. */
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
    const line = this.#line.end()
    // Preformatted text may have been nothing but spaces.
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
