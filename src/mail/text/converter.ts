/** From tags and text to lines: keeps the open elements and decides what each of them writes. */
import { Block, type Mark } from './block.ts'
import { DROPPED, ENDS_PARAGRAPH, gapOf, HEAD_CONTENT, IMPLIED_ENDS, TABLE_PARTS, VOID } from './elements.ts'
import type { Attributes, HtmlEvents } from './html-reader.ts'
import { linkText } from './link.ts'
import { Table } from './table.ts'
import { isSeen, VISIBLE, type Visibility, visibilityOf } from './visibility.ts'

/** Elements open at once; real mail stays below 150. Deeper ones are read as if their tags were not there. */
const MAX_OPEN = 256
/** Lists, quotes and cells within each other; each adds a prefix to its lines or moves them. */
const MAX_CONTAINERS = 24
const RULE = '-'.repeat(40)

interface Frame {
  name: string
  visibility: Visibility
  /** The block that text went to before this element, when it has one of its own. */
  outer?: Block
  /** What the first line of this element's own block starts with, and the others. */
  prefix?: [first: string, rest: string]
  table?: Table
  list?: { ordered: boolean; next: number }
  link?: { href: string; block: Block; mark: Mark; seen: number; pictures: number }
}

export class TextConverter implements HtmlEvents {
  /** Work done: tags, texts, and open elements looked at. A bound on it holds for any input of a given size. */
  steps = 0
  readonly #root = new Block()
  readonly #open: Frame[] = []
  #block = this.#root
  #visibility = VISIBLE
  /** Elements beyond MAX_OPEN, whose end tags are still to come. */
  #beyond = 0
  #containers = 0
  /** Open elements that changed the visibility: below one of them every element is kept, to pair its end tag rightly. */
  #styled = 0
  #paragraphs = 0
  #preformatted = 0
  #afterPre = false
  /** Texts and nameless pictures shown so far. */
  #seen = 0
  #pictures = 0

  open(name: string, attributes: Attributes): void {
    this.steps++
    this.#afterPre = false
    if (this.#open.at(-1)?.name === 'head' && !HEAD_CONTENT.has(name)) this.#closeTo(this.#open.length - 1)
    this.#implyEnds(name)
    const visibility = DROPPED.has(name)
      ? { ...this.#visibility, hidden: true }
      : visibilityOf(this.#visibility, attributes.get('style'), attributes.has('hidden'))
    if (VOID.has(name)) {
      if (isSeen(visibility)) this.#void(name, attributes)
      return
    }
    const styled = visibility !== this.#visibility
    const gap = gapOf(name)
    const structural = gap > 0 || name === 'a' || name === 'table' || TABLE_PARTS.has(name)
    if (!structural && !styled && this.#styled === 0) return
    if (!visibility.hidden && gap > 0) this.#block.gap(name === 'ul' || name === 'ol' ? this.#listGap() : gap)
    if (this.#open.length >= MAX_OPEN) {
      this.#beyond++
      return
    }
    const frame: Frame = { name, visibility }
    if (styled) this.#styled++
    if (name === 'p') this.#paragraphs++
    if (name === 'pre') {
      this.#preformatted++
      this.#afterPre = true
    }
    if (!visibility.hidden) this.#begin(frame, attributes)
    this.#visibility = visibility
    this.#open.push(frame)
  }

  close(name: string): void {
    this.steps++
    this.#afterPre = false
    if (name === 'br') {
      this.open('br', new Map())
      return
    }
    if (this.#beyond > 0 && (gapOf(name) > 0 || TABLE_PARTS.has(name) || name === 'table' || name === 'a')) {
      this.#beyond--
      if (!this.#visibility.hidden) this.#block.gap(gapOf(name))
      return
    }
    for (let index = this.#open.length - 1; index >= 0; index--) {
      this.steps++
      const open = this.#open[index]!.name
      if (open === name) {
        this.#closeTo(index)
        return
      }
      // An end tag does not reach out of its cell, nor that of a part of a table out of its table.
      if (name === 'table') continue
      if (TABLE_PARTS.has(name) ? open === 'table' : open === 'td' || open === 'th') break
    }
    if (!this.#visibility.hidden) this.#block.gap(gapOf(name))
  }

  text(data: string): void {
    this.steps++
    if (this.#open.at(-1)?.name === 'head' && data.trim() !== '') this.#closeTo(this.#open.length - 1)
    if (!isSeen(this.#visibility)) return
    if (this.#preformatted > 0) {
      // The line end right after the tag is not part of the text (HTML standard 13.1.2.5).
      this.#block.preformatted(this.#afterPre ? data.replace(/^\r?\n/, '') : data)
      this.#seen++
    } else {
      this.#block.text(data)
      if (/\S/.test(data)) this.#seen++
    }
    this.#afterPre = false
  }

  /** Ends everything that is open and gives the lines. */
  finish(): string[] {
    this.#closeTo(0)
    return this.#root.finish()
  }

  #implyEnds(name: string): void {
    if (this.#paragraphs > 0 && ENDS_PARAGRAPH.has(name)) this.#endNearest((open) => open === 'p', isCell)
    const implied = IMPLIED_ENDS.get(name)
    if (implied === undefined) return
    this.#endNearest(
      (open) => implied.ends.has(open),
      (open) => implied.within.has(open),
    )
  }

  /** Closes the outermost of the open elements asked for that no boundary hides. */
  #endNearest(wanted: (name: string) => boolean, boundary: (name: string) => boolean): void {
    let found = -1
    for (let index = this.#open.length - 1; index >= 0; index--) {
      this.steps++
      const { name } = this.#open[index]!
      if (wanted(name)) found = index
      else if (boundary(name)) break
    }
    if (found >= 0) this.#closeTo(found)
  }

  #closeTo(index: number): void {
    if (this.#open.length > index) this.#beyond = 0
    while (this.#open.length > index) {
      const frame = this.#open.pop()!
      const outer = this.#open.at(-1)?.visibility ?? VISIBLE
      if (frame.visibility !== outer) this.#styled--
      if (frame.name === 'p') this.#paragraphs--
      if (frame.name === 'pre') this.#preformatted--
      if (!frame.visibility.hidden) this.#end(frame)
      this.#visibility = outer
    }
  }

  #void(name: string, attributes: Attributes): void {
    if (name === 'br') {
      if (this.#preformatted > 0) this.#block.preformatted('\n')
      else this.#block.lineBreak()
    } else if (name === 'hr') {
      this.#block.block([RULE], 2)
    } else if (name === 'img') {
      const tiny = (size: string | undefined) => size !== undefined && Number.parseFloat(size) <= 1
      if (tiny(attributes.get('width')) || tiny(attributes.get('height'))) return
      const alt = attributes.get('alt')?.trim() ?? ''
      this.#block.text(alt)
      if (alt === '') this.#pictures++
      else this.#seen++
    }
  }

  #begin(frame: Frame, attributes: Attributes): void {
    const { name } = frame
    if (name === 'ul' || name === 'ol') {
      frame.list = { ordered: name === 'ol', next: whole(attributes.get('start')) ?? 1 }
    } else if (name === 'a') {
      const href = attributes.get('href')
      if (href === undefined) return
      const block = this.#block
      frame.link = { href, block, mark: block.mark(), seen: this.#seen, pictures: this.#pictures }
    } else if (name === 'thead' || name === 'caption' || name === 'th') {
      this.#table()?.markAsData()
    } else if (name === 'tr') this.#table()?.openRow()
    if (this.#containers >= MAX_CONTAINERS) return
    if (name === 'table') {
      const around = this.#table()
      if (around !== undefined) around.nested = true
      frame.table = new Table(attributes.get('role')?.toLowerCase(), attributes.get('border'))
    } else if (name === 'li') this.#enter(frame, this.#bullet(whole(attributes.get('value'))))
    else if (name === 'dd') this.#enter(frame, ['  ', '  '])
    else if (name === 'blockquote') this.#enter(frame, ['> ', '> '])
    else if (isCell(name) && this.#table() !== undefined) this.#enter(frame)
  }

  #enter(frame: Frame, prefix?: [string, string]): void {
    this.#containers++
    frame.outer = this.#block
    if (prefix !== undefined) frame.prefix = prefix
    this.#block = new Block()
  }

  #end(frame: Frame): void {
    const { name } = frame
    if (frame.outer !== undefined) {
      const inner = this.#block
      this.#block = frame.outer
      this.#containers--
      if (isCell(name)) this.#table()?.addCell(inner)
      else if (frame.prefix !== undefined) this.#indented(inner, frame.prefix, name === 'blockquote' ? 2 : 1)
      return
    }
    if (frame.table !== undefined) frame.table.writeTo(this.#block)
    else if (name === 'tr') this.#table()?.closeRow()
    else if (frame.link !== undefined) this.#endLink(frame.link)
    const gap = name === 'ul' || name === 'ol' ? this.#listGap() : gapOf(name)
    // A cell or row that belongs to no table is a block of its own.
    this.#block.gap(gap === 0 && TABLE_PARTS.has(name) && this.#table() === undefined ? 1 : gap)
  }

  #indented(inner: Block, [first, rest]: [string, string], gap: 1 | 2): void {
    const lines = inner.finish()
    const prefixed = lines.map((line, index) => (index === 0 ? first + line : (rest + line).trimEnd()))
    this.#block.block(prefixed, gap)
  }

  #endLink({ href, block, mark, seen, pictures }: NonNullable<Frame['link']>): void {
    const visible = this.#seen > seen
    if (!visible && this.#pictures === pictures) return
    const inside = block === this.#block ? block.since(mark) : undefined
    const shown = linkText(visible ? (inside?.trim() ?? '') : '', href)
    if (shown === undefined) return
    if (inside !== undefined) block.replace(mark, shown)
    else {
      // A link around several lines keeps them and gets its address below.
      this.#block.gap(1)
      this.#block.text(`<${shown}>`)
    }
    this.#seen++
  }

  #bullet(value: number | undefined): [string, string] {
    for (let index = this.#open.length - 1; index >= 0; index--) {
      this.steps++
      const { list, name } = this.#open[index]!
      if (list === undefined && !isCell(name)) continue
      if (list?.ordered !== true) break
      const number = value ?? list.next
      list.next = number + 1
      const first = `${number}. `
      return [first, ' '.repeat(first.length)]
    }
    return ['- ', '  ']
  }

  /** A list within a list stands directly below its item. */
  #listGap(): 1 | 2 {
    return this.#open.some((frame) => frame.name === 'li' && frame.outer !== undefined) ? 1 : 2
  }

  /** The table that a part of a table belongs to. */
  #table(): Table | undefined {
    for (let index = this.#open.length - 1; index >= 0; index--) {
      this.steps++
      const frame = this.#open[index]!
      if (frame.name === 'table') return frame.table
    }
    return undefined
  }
}

const isCell = (name: string) => name === 'td' || name === 'th'

function whole(value: string | undefined): number | undefined {
  const number = Number.parseInt(value ?? '', 10)
  return Number.isNaN(number) || Math.abs(number) > 999_999 ? undefined : number
}
