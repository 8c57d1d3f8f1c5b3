/** Tables as text: data as rows with ` | ` between the columns, layout as blocks below each other. */
import type { Block } from './block.ts'
import { type CellSpan, EmptyPlaces } from './empty-places.ts'

interface HtmlCell extends CellSpan {
  block: Block
  /** Made with `th`. */
  header: boolean
}

/** A layout row of short cells (`Home | Shop | About`, `Total | $ 12`) up to this width stays on one line. */
const SHORT_ROW = 160
/** A data cell with more lines than this is prose, and so is its row. */
const CELL_LINES = 4
/** A cell wider than this is prose, when only the looks suggest that the table holds data. */
const CELL_WIDTH = 80
const FIGURE_WIDTH = 16

export class HtmlTable {
  readonly #rows: HtmlCell[][] = []
  readonly #presentation: boolean
  #data: boolean
  #rowOpen = false
  /** A table that holds another table is for layout. */
  nested = false

  /** `role` and `border` are the attributes of the element. */
  constructor(role: string | undefined, border: string | undefined) {
    this.#presentation = role === 'presentation' || role === 'none'
    this.#data =
      role === 'table' || role === 'grid' || (border !== undefined && Number.parseInt(border, 10) > 0)
  }

  openRow(): void {
    this.#rows.push([])
    this.#rowOpen = true
  }

  closeRow(): void {
    this.#rowOpen = false
  }

  /** `thead` and `caption` show that a table is data. */
  markAsData(): void {
    this.#data = true
  }

  /** Adds a cell whose block is finished. */
  addCell(cell: HtmlCell): void {
    if (!this.#rowOpen) this.openRow()
    this.#rows.at(-1)!.push(cell)
  }

  /**
   * Columns are not padded to equal width: most mail is read in a proportional font, where padding does not help, and a
   * narrow screen breaks the lines anyway.
   */
  writeTo(target: Block): void {
    const data = this.#isData()
    const places = new EmptyPlaces()
    target.gap(data ? 2 : 1)
    for (const row of this.#rows) {
      const filled = row.filter(isFilled)
      if (data) {
        // Empty cells keep their place in data, where position has a meaning; in a layout they are spacing.
        const placed = places.around(row)
        if (filled.length === 0) continue
        if (row.length > 1 && filled.every(({ block }) => block.height <= CELL_LINES)) {
          writeRow(placed, target)
          continue
        }
      } else if (filled.length > 1 && isShort(filled)) {
        writeRow(filled, target)
        continue
      }
      for (const { block } of filled) target.block(block, isLoose(block) ? 2 : 1)
    }
    target.gap(data ? 2 : 1)
  }

  #isData(): boolean {
    if (this.#presentation || this.nested) return false
    return this.#data || this.#hasHeaders() || this.#isUniform()
  }

  /** `th` beside `td` is a heading. Some page builders use tables of nothing but `th` for layout. */
  #hasHeaders(): boolean {
    let headers = false
    let others = false
    for (const row of this.#rows) {
      for (const cell of row) {
        if (!isFilled(cell)) continue
        if (cell.header) headers = true
        else others = true
      }
    }
    return headers && others
  }

  /**
   * Rows of short cells, all with the same number of columns. When cells of several columns have several lines, the
   * table is data only below headings: without headings these are pictures with captions, or boxes beside each other.
   */
  #isUniform(): boolean {
    let columns = 0
    let rows = 0
    let headed = false
    for (const row of this.#rows) {
      const filled = row.filter(isFilled)
      if (filled.length === 0 || row.length === 1) continue
      const width = row.reduce((sum, cell) => sum + cell.columns, 0)
      if (columns !== 0 && width !== columns) return false
      columns = width
      if (!filled.every(({ block }) => isBrief(block))) return false
      if (rows === 0) headed = filled.length === row.length && filled.every(({ block }) => isHeading(block))
      if (!headed && !isOneLine(filled)) return false
      rows++
    }
    return rows > 1
  }
}

const isFilled = ({ block }: HtmlCell) => block.height > 0
const isBrief = (block: Block) =>
  isFigure(block) || (block.height <= CELL_LINES && block.emptyLines === 0 && block.width <= CELL_WIDTH)
/** A number or a price, or an old and a new one. */
function isFigure(block: Block): boolean {
  if (block.height > CELL_LINES || block.width > FIGURE_WIDTH || block.linked) return false
  return block.writeTo((_, line) => line === '' || /\d/.test(line))
}
const isHeading = (block: Block) => block.height === 1 && !block.linked

function writeRow(cells: (HtmlCell | undefined)[], target: Block): void {
  let width = 0
  const texts = cells.map((cell) => {
    const lines: string[] = []
    cell?.block.writeTo((prefix, line) => {
      if (line !== '') lines.push(prefix + line)
      return true
    })
    width += (cell?.block.width ?? 0) + 3
    return lines.join(' / ')
  })
  target.gap(1)
  target.line(texts.join(' | ').trimEnd(), width)
  if (cells.some((cell) => cell?.block.linked)) target.linked = true
  target.gap(1)
}

/** In a row that reads as one line, at most one cell has several lines, figures aside. */
function isOneLine(cells: HtmlCell[]): boolean {
  const tall = cells.filter(({ block }) => block.height > 1)
  const wide = tall.filter(({ block }) => !isFigure(block))
  return wide.length <= 1 && (wide.length === 1 || tall.length <= 1)
}

function isShort(cells: HtmlCell[]): boolean {
  if (!isOneLine(cells)) return false
  let width = 0
  for (const { block } of cells) {
    if (block.height > CELL_LINES || (block.emptyLines > 0 && !isFigure(block))) return false
    block.writeTo((_, line) => {
      width += line.length + 3
      return true
    })
  }
  return width <= SHORT_ROW
}

const isLoose = (block: Block) => block.height > 1 || block.leadingGap === 2 || block.width > 80
