/** Lines of text being written: collapses white space as a browser does and keeps blocks apart. */

const isSpace = (code: number) =>
  code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0x2007 || code === 0x202f
/** Invisible and without meaning in plain text: soft hyphen, zero-width space, BOM, and the fillers of preheaders. */
const isInvisible = (code: number) =>
  code === 0xad || code === 0x34f || code === 0x180e || code === 0x200b || code === 0x2060 || code === 0xfeff
/** Zero-width (non-)joiner: part of Persian words and of emoji, but filler where no visible character is beside it. */
const isJoiner = (code: number) => code === 0x200c || code === 0x200d
const isControl = (code: number) => code < 0x20 || (code >= 0x7f && code <= 0x9f)
/** Text that needs none of the above but the collapsing of ordinary white space. */
const ORDINARY =
  /^[\x20-\x7e\t\n\f\r\xa1-\xac\xae-\u033f\u0370-\u180d\u2010-\u2027\u2030-\u205f\u2070-\ufefe]*$/

/** How far apart two blocks are: on the next line, or with an empty line between. */
export type Gap = 0 | 1 | 2

/** A place within a block. */
export interface Mark {
  line: number
  column: number
}

export class Block {
  readonly lines: string[] = []
  /** The widest gap asked for before the first line, for whoever puts this block into another. */
  leadingGap: Gap = 0
  #line = ''
  #space = false
  #joiner = ''
  #gap: Gap = 0
  #breaks = 0
  #ended = 0

  /** True when nothing visible was written. */
  get empty(): boolean {
    return this.lines.length === 0 && this.#line === ''
  }

  /** The gap asked for after the last line. */
  get trailingGap(): Gap {
    return this.#gap
  }

  /** Where the writing stands, to ask `since` later. */
  mark(): Mark {
    return { line: this.#ended, column: this.#line.length }
  }

  /** What was written on the present line since the mark; undefined when that was on an earlier line. */
  since(mark: Mark): string | undefined {
    return mark.line === this.#ended ? this.#line.slice(mark.column) : undefined
  }

  /** Writes `data` in place of what `since` gives; the white space around that stays. */
  replace(mark: Mark, data: string): void {
    const spaceAfter = this.#space
    if (mark.line === this.#ended && this.#line.length > mark.column) {
      this.#space = this.#line[mark.column] === ' '
      this.#line = this.#line.slice(0, mark.column)
    }
    this.text(data)
    this.#space = spaceAfter
  }

  /** Adds running text; white space collapses across calls. */
  text(data: string): void {
    if (ORDINARY.test(data)) {
      const collapsed = data.replace(/[ \t\n\f\r]+/g, ' ')
      if (collapsed === '') return
      if (collapsed === ' ') {
        this.#breakWord()
        return
      }
      const from = collapsed.startsWith(' ') ? 1 : 0
      const to = collapsed.endsWith(' ') ? collapsed.length - 1 : collapsed.length
      if (from === 1) this.#breakWord()
      this.#put(collapsed.slice(from, to))
      if (to < collapsed.length) this.#breakWord()
      return
    }
    let from = 0
    for (let index = 0; index <= data.length; index++) {
      const code = index < data.length ? data.charCodeAt(index) : -1
      const special = code < 0 || isSpace(code) || isInvisible(code) || isJoiner(code) || isControl(code)
      if (!special) continue
      if (index > from) this.#put(data.slice(from, index))
      from = index + 1
      if (code < 0) break
      if (isSpace(code)) this.#breakWord()
      else if (isJoiner(code) && !this.#space && this.#line !== '') this.#joiner = data[index]!
    }
  }

  /** Adds preformatted text: line ends and spaces stay. */
  preformatted(data: string): void {
    for (const [index, part] of data.split(/\r\n|\r|\n/).entries()) {
      if (index > 0) this.#endLine(true)
      const visible = [...part].filter((c) => c === '\t' || !isControl(c.charCodeAt(0))).join('')
      if (visible !== '') this.#put(visible.replaceAll('\xa0', ' '))
    }
  }

  /** `<br>`: one ends the line, two make an empty line; more make no more. */
  lineBreak(): void {
    if (this.#line !== '') {
      this.#endLine(false)
      this.#breaks = 1
      this.#raise(1)
    } else if (this.#breaks > 0 || this.#gap > 0) {
      this.#breaks++
      this.#raise(this.#breaks > 1 ? 2 : 1)
    }
    this.#space = false
  }

  /** What comes next is a block of its own, this far from what came before. */
  gap(gap: Gap): void {
    if (gap === 0) return
    if (this.#line !== '') this.#endLine(false)
    this.#raise(gap)
    this.#space = false
  }

  /** Adds finished lines as a block. */
  block(lines: readonly string[], gap: Gap): void {
    this.gap(gap)
    if (lines.length > 0) {
      this.#openGap()
      this.#ended++
      for (const line of lines) this.lines.push(line)
    }
    this.gap(gap)
  }

  /** Ends the last line and gives all of them, without empty ones at either end. */
  finish(): string[] {
    if (this.#line !== '') this.#endLine(false)
    while (this.lines.at(-1) === '') this.lines.pop()
    return this.lines
  }

  #breakWord(): void {
    this.#joiner = ''
    this.#space = true
  }

  #put(visible: string): void {
    if (this.#line === '') this.#openGap()
    else if (this.#space) this.#line += ' '
    else this.#line += this.#joiner
    this.#space = false
    this.#joiner = ''
    this.#line += visible
  }

  #openGap(): void {
    if (this.lines.length === 0) {
      if (this.#gap > this.leadingGap) this.leadingGap = this.#gap
    } else if (this.#gap === 2 && this.lines.at(-1) !== '') this.lines.push('')
    this.#gap = 0
    this.#breaks = 0
  }

  #endLine(keepEmpty: boolean): void {
    if (keepEmpty && this.#line === '' && this.lines.length > 0) {
      this.#openGap()
      this.lines.push('')
      return
    }
    if (this.#line !== '') {
      this.lines.push(this.#line.trimEnd())
      this.#ended++
    }
    this.#line = ''
    this.#joiner = ''
  }

  #raise(gap: Gap): void {
    if (gap > this.#gap) this.#gap = gap
  }
}
