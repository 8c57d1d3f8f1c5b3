/** Converts tags and text to lines: keeps the open elements and decides what each of them writes. */
import { Block, type Mark, type Prefix } from './block.ts'
import { CELLS, closesItself, HEAD, type Kind, kindOf, PARAGRAPH, TABLE } from './elements.ts'
import { type Attributes, type HtmlEvents, NO_ATTRIBUTES, span, whole } from './html-reader.ts'
import { Line } from './line.ts'
import { linkLabel } from './link.ts'
import { type OpenElement, OpenElements } from './open-elements.ts'
import { INITIAL, isPreformatted, type Style, showsPictures, showsText, styleOf } from './style.ts'
import { HtmlTable } from './table.ts'

/**
 * The deepest nesting of lists, quotes and cells, which real mail does not reach. Deeper ones are written as plain
 * elements.
 */
const MAX_CONTAINERS = 32
const RULE = '-'.repeat(40)
/** The limits of browsers for a cell's span (HTML standard 4.9.11). */
const MAX_COLUMNS = 1000
const MAX_ROWS = 65_534

interface ElementState extends OpenElement {
  readonly style: Style
  /** Writes the end of the element, apart from its gap. */
  readonly end: (() => void) | undefined
}

interface ListState {
  ordered: boolean
  next: number
}

/**
 * The cost is linear, whatever elements are open: open elements are found by name, lines are only appended to, and
 * inner blocks are written once, at the end.
 */
export class TextConverter implements HtmlEvents {
  readonly #line = new Line()
  readonly #root = new Block(this.#line)
  readonly #open = new OpenElements<ElementState>()
  #block = this.#root
  #style = INITIAL
  /** Open list items. */
  #items = 0
  /**
   * Open elements that changed the style: inside one of them every element is kept, so that end tags are paired
   * correctly.
   */
  #styled = 0
  #containers = 0
  #table: HtmlTable | undefined
  #list: ListState | undefined
  /** True right after the tag of preformatted text. */
  #afterPre = false
  /** Texts and nameless pictures shown so far. */
  #seen = 0
  #pictures = 0

  open(name: string, attributes: Attributes, selfClosing: boolean): void {
    const kind = kindOf(name)
    this.#afterPre = false
    if (this.#open.top?.kind.id === HEAD && !kind.headContent) this.#closeTo(this.#open.depth - 1)
    this.#implyEnds(kind)
    const style = kind.dropped
      ? { ...this.#style, hidden: true }
      : attributes === NO_ATTRIBUTES && !isPreformatted(name)
        ? this.#style
        : styleOf(this.#style, name, attributes)
    if (kind.void) {
      this.#void(name, attributes, style)
      return
    }
    const styled = style !== this.#style
    if (!kind.structural && !styled && this.#styled === 0) return
    if (!style.hidden) this.#gap(kind)
    if (selfClosing && closesItself(name)) return
    if (styled) this.#styled++
    const end = style.hidden ? undefined : this.#begin(name, attributes)
    if (name === 'pre' || name === 'listing') this.#afterPre = true
    this.#style = style
    this.#open.push({ kind, name, style, end })
  }

  close(name: string): void {
    this.#afterPre = false
    if (name === 'br') {
      this.open('br', NO_ATTRIBUTES, false)
      return
    }
    const kind = kindOf(name)
    const place = this.#open.innermost(kind, name)
    // An end tag does not reach out of its cell, nor the end tag of a part of a table out of its table.
    if (place >= 0 && (kind.id === TABLE || place > this.#boundary(kind))) this.#closeTo(place)
    else if (!this.#style.hidden) this.#block.gap(kind.gap)
  }

  text(data: string): void {
    if (this.#open.top?.kind.id === HEAD && data.trim() !== '') this.#closeTo(this.#open.depth - 1)
    const style = this.#style
    if (!showsText(style)) return
    if (style.whiteSpace === 'collapse') {
      if (this.#block.text(data)) this.#seen++
    } else if (/\S/.test(data) || !this.#betweenCells()) {
      // The line end right after the tag is not part of the text (HTML standard 13.1.2.5).
      const kept = this.#afterPre ? data.replace(/^\r?\n/, '') : data
      this.#block.preformatted(kept, style.whiteSpace === 'keep lines')
      this.#seen++
    }
    this.#afterPre = false
  }

  /** Ends all open elements and returns the result. */
  finish(): Block {
    this.#closeTo(0)
    return this.#root.finish()
  }

  #implyEnds(kind: Kind): void {
    if (kind.endsParagraph) {
      const paragraph = this.#open.innermostOf(PARAGRAPH)
      if (paragraph > this.#open.innermostOfAny(CELLS)) this.#closeTo(paragraph)
    }
    if (kind.ends.length === 0) return
    const boundary = this.#open.innermostOfAny(kind.within)
    let outermost = this.#open.depth
    for (const ended of kind.ends) {
      const place = this.#open.innermostOf(ended)
      if (place > boundary && place < outermost) outermost = place
    }
    this.#closeTo(outermost)
  }

  #boundary(kind: Kind): number {
    return kind.tablePart ? this.#open.innermostOf(TABLE) : this.#open.innermostOfAny(CELLS)
  }

  /** White space between the parts of a table is never shown (CSS 2.2 17.2.1). */
  #betweenCells(): boolean {
    const kind = this.#open.top?.kind
    return kind !== undefined && (kind.id === TABLE || (kind.tablePart && !kind.cell))
  }

  #closeTo(place: number): void {
    while (this.#open.depth > place) {
      const { kind, style, end } = this.#open.pop()
      const outer = this.#open.top?.style ?? INITIAL
      if (style !== outer) this.#styled--
      this.#style = outer
      if (style.hidden) continue
      end?.()
      // A cell or row outside of a table is a block of its own.
      if (kind.tablePart && this.#table === undefined) this.#block.gap(1)
      else this.#gap(kind)
    }
  }

  /** Writes the gap before an element. A list within a list has none. */
  #gap(kind: Kind): void {
    this.#block.gap(kind.list && this.#items > 0 ? 1 : kind.gap)
  }

  #void(name: string, attributes: Attributes, style: Style): void {
    if (!showsPictures(style)) return
    if (name === 'br') {
      if (style.whiteSpace === 'collapse') this.#block.lineBreak()
      else this.#block.preformatted('\n', false)
    } else if (name === 'hr') {
      this.#block.rule(RULE)
    } else if (name === 'area') {
      this.#area(attributes)
    } else if (name === 'img') {
      const tiny = (size: string | undefined) => size !== undefined && Number.parseFloat(size) <= 1
      if (tiny(attributes.get('width')) || tiny(attributes.get('height'))) return
      const alt = attributes.get('alt')?.trim() ?? ''
      this.#block.picture(alt)
      if (alt === '') this.#pictures++
      else this.#seen++
    }
  }

  /** A linked area of a picture: a line of its own. */
  #area(attributes: Attributes): void {
    const link = linkLabel(attributes.get('alt')?.trim() ?? '', attributes.get('href') ?? '')
    if (link === undefined) return
    this.#block.gap(1)
    const mark = this.#block.mark()
    this.#block.text(attributes.get('alt') ?? '')
    this.#block.address(link.address, link.instead || this.#block.since(mark) === '')
    this.#block.gap(1)
    this.#seen++
  }

  /** Begins an element that writes more than its gap, and returns the function that ends it. */
  #begin(name: string, attributes: Attributes): (() => void) | undefined {
    switch (name) {
      case 'a':
        return this.#beginLink(attributes.get('href'))
      case 'ul':
      case 'ol':
        return this.#beginList({ ordered: name === 'ol', next: whole(attributes.get('start')) ?? 1 })
      case 'table':
        return this.#beginTable(attributes)
      case 'thead':
      case 'caption':
        this.#table?.markAsData()
        return undefined
      case 'tr': {
        const table = this.#table
        table?.openRow()
        return () => table?.closeRow()
      }
      case 'td':
      case 'th':
        return this.#beginCell(name === 'th', attributes)
      case 'li':
        return this.#beginContainer('item', this.#bullet(whole(attributes.get('value'))))
      case 'dd':
        return this.#beginContainer('details', ['  ', '  '])
      case 'blockquote':
        return this.#beginContainer('quote', ['> ', '> '])
      default:
        return undefined
    }
  }

  #beginContainer(kind: 'item' | 'quote' | 'details', prefix: Prefix): (() => void) | undefined {
    if (this.#containers >= MAX_CONTAINERS) return undefined
    const outer = this.#block
    const inner = new Block(this.#line)
    const items = this.#items
    this.#block = inner
    this.#containers++
    if (kind === 'item') this.#items++
    return () => {
      this.#block = outer
      this.#containers--
      this.#items = items
      outer.block(inner.finish(), kind === 'quote' ? 2 : 1, prefix)
    }
  }

  #beginCell(header: boolean, attributes: Attributes): (() => void) | undefined {
    const table = this.#table
    if (table === undefined || this.#containers >= MAX_CONTAINERS) return undefined
    const outer = this.#block
    const list = this.#list
    outer.gap(1)
    const block = new Block(this.#line)
    this.#block = block
    this.#list = undefined
    this.#containers++
    return () => {
      this.#block = outer
      this.#list = list
      this.#containers--
      const columns = span(attributes.get('colspan'), MAX_COLUMNS)
      table.addCell({
        block: block.finish(),
        header,
        columns,
        rows: span(attributes.get('rowspan'), MAX_ROWS),
      })
    }
  }

  #beginTable(attributes: Attributes): () => void {
    const outer = this.#table
    if (outer !== undefined) outer.nested = true
    this.#block.gap(1)
    const table =
      this.#containers < MAX_CONTAINERS
        ? new HtmlTable(attributes.get('role')?.toLowerCase(), attributes.get('border'))
        : undefined
    this.#table = table
    return () => {
      this.#table = outer
      table?.writeTo(this.#block)
    }
  }

  #beginList(list: ListState): () => void {
    const outer = this.#list
    this.#list = list
    return () => {
      this.#list = outer
    }
  }

  #beginLink(href: string | undefined): (() => void) | undefined {
    if (href === undefined) return undefined
    const block = this.#block
    const mark = block.mark()
    const seen = this.#seen
    const pictures = this.#pictures
    return () => {
      if (this.#seen > seen || this.#pictures > pictures) this.#endLink(href, block, mark, this.#seen > seen)
    }
  }

  #endLink(href: string, block: Block, mark: Mark, visible: boolean): void {
    const inside = block.since(mark)
    const link = linkLabel(visible ? (inside?.trim() ?? '') : '', href)
    if (link === undefined) return
    if (inside !== undefined) block.address(link.address, link.instead)
    else block.addressBelow(mark, link.address)
    this.#seen++
  }

  #bullet(value: number | undefined): Prefix {
    const list = this.#list
    if (list?.ordered !== true) return ['- ', '  ']
    const number = value ?? list.next
    list.next = number + 1
    const first = `${number}. `
    return [first, ' '.repeat(first.length)]
  }
}
