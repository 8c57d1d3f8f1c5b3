/** Tables as text: data as rows with ` | ` between the columns, layout as blocks one below the other. */
import type { Block, Gap } from './block.ts'

interface Cell {
  lines: string[]
  leadingGap: Gap
}

/** Up to this width a layout row of short cells (`Home | Shop | About`, `Total | $ 12`) stays on one line. */
const SHORT_ROW = 160
/** A data cell with more lines than that is prose, and so is its row. */
const CELL_LINES = 4

export class Table {
  readonly #rows: Cell[][] = []
  readonly #presentation: boolean
  #data: boolean
  #rowOpen = false
  /** A table that holds another one is made for layout. */
  nested = false

  /** `role` and `border` are the attributes of the element. */
  constructor(role: string | undefined, border: string | undefined) {
    this.#presentation = role === 'presentation' || role === 'none'
    this.#data = border !== undefined && Number.parseInt(border, 10) > 0
  }

  openRow(): void {
    this.#rows.push([])
    this.#rowOpen = true
  }

  closeRow(): void {
    this.#rowOpen = false
  }

  /** `th`, `thead` and `caption` show that a table is data. */
  markAsData(): void {
    this.#data = true
  }

  addCell(block: Block): void {
    if (!this.#rowOpen) this.openRow()
    this.#rows.at(-1)!.push({ lines: block.finish(), leadingGap: block.leadingGap })
  }

  /**
   * Columns are not padded to equal width: most mail is read in a proportional font, where that helps nobody, and a
   * narrow screen breaks the lines anyway.
   */
  writeTo(target: Block): void {
    const data = this.#data && !this.#presentation && !this.nested
    target.gap(data ? 2 : 1)
    for (const row of this.#rows) {
      const filled = row.filter((cell) => cell.lines.length > 0)
      if (filled.length === 0) continue
      // Empty cells keep their place in data, where position means something; in a layout they are spacing.
      if (data && row.every((cell) => cell.lines.length <= CELL_LINES)) {
        target.block([joinCells(row)], 1)
      } else if (filled.length > 1 && isShort(filled)) {
        target.block([joinCells(filled)], 1)
      } else {
        for (const cell of filled) target.block(cell.lines, isLoose(cell) ? 2 : 1)
      }
    }
    target.gap(data ? 2 : 1)
  }
}

function joinCells(cells: Cell[]): string {
  return cells
    .map((cell) => cell.lines.filter((line) => line !== '').join(' / '))
    .join(' | ')
    .trimEnd()
}

function isShort(cells: Cell[]): boolean {
  let width = 0
  for (const { lines } of cells) {
    if (lines.length > 1) return false
    width += lines[0]!.length + 3
  }
  return width <= SHORT_ROW
}

function isLoose(cell: Cell): boolean {
  return cell.lines.length > 1 || cell.leadingGap === 2 || cell.lines[0]!.length > 80
}
