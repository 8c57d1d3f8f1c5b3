/** One line of text under construction: collapses white space as a browser does and drops invisible characters. */

const PLAIN = 0
const WHITE = 1
const DROPPED = 2
const JOINER = 3

/** The class of each UTF-16 code unit. */
const CLASSES = new Uint8Array(0x10000)
function classify(kind: number, ...codes: (number | readonly [from: number, to: number])[]): void {
  for (const code of codes) {
    const [from, to] = typeof code === 'number' ? [code, code] : code
    CLASSES.fill(kind, from, to + 1)
  }
}
classify(DROPPED, [0, 0x1f], [0x7f, 0x9f])
classify(WHITE, 0x20, [0x09, 0x0d], 0xa0, 0x2007, 0x202f, 0x2028, 0x2029)
/*
 * Invisible and without meaning in plain text: soft hyphen, zero-width space, BOM, and the fillers of preheaders. Also
 * the two bidirectional overrides, which exist to show characters out of order.
 */
classify(DROPPED, 0xad, 0x34f, 0x180e, 0x200b, 0x202d, 0x202e, 0x2060, 0xfeff)
/* Zero-width (non-)joiner: part of Persian words and of emoji, but filler when no visible character is beside it. */
classify(JOINER, 0x200c, 0x200d)

/** Text in which only ordinary white space needs to be collapsed. */
const ORDINARY =
  /^[\x20-\x7e\t\n\f\r\xa1-\xac\xae-\u033f\u0370-\u180d\u2010-\u2027\u2030-\u205f\u2070-\ufefe]*$/
const BLANK = /^[ \t\n\f\r]*$/
/** White space that is not a single space already. */
const RUNS = /[\t\n\f\r][ \t\n\f\r]*| [ \t\n\f\r]+/g
const NOT_KEPT = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u180e\u200b\u202d\u202e\u2060\ufeff]|\u034f/g
/** Punctuation that stands right after a word. */
const CLOSING = /^[.,;:!?)\]}»”’"'…]+(?:\s|$)/
/** Punctuation that stands right before a word. */
const OPENING = new Set([...'([{«„“‘¿¡'].map((c) => c.charCodeAt(0)))

/** Between two words: nothing, a space, or a space except next to punctuation that belongs to a word. */
type Space = 0 | 1 | 2
const NONE: Space = 0
const SOFT: Space = 1
const SPACE: Space = 2

/**
 * The line is only ever appended to, and read once at its end. A stretch at its end, the text of a link, can be read
 * and replaced; it is kept apart from the text before it, so that nothing is copied again for each link of a line.
 */
export class Line {
  #before = ''
  #stretch = ''
  #stretches = 0
  #space: Space = NONE
  #joiner = ''
  #last = 0
  #addresses = 0
  #kept = false

  /** True when nothing visible was written. */
  get empty(): boolean {
    return this.#stretch === '' && this.#before === ''
  }

  /** Characters of the line without those of addresses. */
  get width(): number {
    return this.#before.length + this.#stretch.length - this.#addresses
  }

  /** Begins a stretch, and ends the one before. */
  mark(): number {
    this.#before += this.#stretch
    this.#stretch = ''
    return ++this.#stretches
  }

  /** The text written since `mark` returned that number; undefined when the stretch has ended since. */
  since(mark: number): string | undefined {
    return mark === this.#stretches ? this.#stretch : undefined
  }

  /** Writes an address: after the stretch, in angle brackets, or in its place. */
  address(address: string, instead: boolean): void {
    const spaceAfter = this.#space
    if (instead) {
      this.#space = this.#stretch.startsWith(' ') ? SPACE : this.#stretch === '' ? this.#space : NONE
      this.soften()
      this.#stretch = ''
      this.#put(address)
    } else {
      this.#space = SPACE
      this.#put(`<${address}>`)
    }
    this.#addresses += address.length
    this.#space = spaceAfter
    this.soften()
  }

  /** The next text is a word of its own, even without a space before it. */
  soften(): void {
    if (this.#space === NONE) this.#space = SOFT
    this.#joiner = ''
  }

  /** Adds running text; white space collapses across calls. Returns whether any of it is visible. */
  text(data: string): boolean {
    if (BLANK.test(data)) {
      if (data !== '') this.#breakWord()
      return false
    }
    if (ORDINARY.test(data)) {
      const collapsed = data.replace(RUNS, ' ')
      const from = collapsed.charCodeAt(0) === 0x20 ? 1 : 0
      const after = collapsed.charCodeAt(collapsed.length - 1) === 0x20
      if (from === 1) this.#breakWord()
      this.#put(collapsed.slice(from, after ? -1 : undefined))
      if (after) this.#breakWord()
      return true
    }
    let visible = false
    let from = 0
    for (let index = 0; index < data.length; index++) {
      const kind = CLASSES[data.charCodeAt(index)]
      if (kind === PLAIN) continue
      if (index > from) {
        this.#put(data.slice(from, index))
        visible = true
      }
      from = index + 1
      if (kind === WHITE) this.#breakWord()
      else if (kind === JOINER && this.#space === NONE && !this.empty) this.#joiner = data[index]!
    }
    if (from === data.length) return visible
    this.#put(data.slice(from))
    return true
  }

  /** Adds text whose spaces are kept. It has no line ends. */
  keep(data: string): void {
    const visible = data.replace(NOT_KEPT, '').replaceAll('\xa0', ' ')
    if (visible === '') return
    this.#put(visible)
    this.#kept = true
  }

  /** Ends the line, and with it the stretch, and returns the text. */
  finishLine(): string {
    const text = this.#kept ? (this.#before + this.#stretch).trimEnd() : this.#before + this.#stretch
    this.#before = ''
    this.#stretch = ''
    this.#stretches++
    this.#space = NONE
    this.#joiner = ''
    this.#addresses = 0
    this.#kept = false
    return text
  }

  #breakWord(): void {
    this.#joiner = ''
    this.#space = SPACE
  }

  #put(visible: string): void {
    if (!this.empty) {
      if (this.#space === SPACE || (this.#space === SOFT && !this.#belongs(visible))) this.#stretch += ' '
      else this.#stretch += this.#joiner
    }
    this.#space = NONE
    this.#joiner = ''
    this.#stretch += visible
    this.#last = visible.charCodeAt(visible.length - 1)
  }

  #belongs(visible: string): boolean {
    return OPENING.has(this.#last) || CLOSING.test(visible)
  }
}
