/** The places of a row that are covered by cells of the rows above. */

/** The columns and rows that a cell covers. */
export interface CellSpan {
  columns: number
  rows: number
}

/** The columns from `from` up to the one before `to`, for `rows` more rows. */
interface SpanReach {
  from: number
  to: number
  rows: number
}

/** Steps that each cell of a table pays for. A table that needs more of them is not meant to be read. */
const LOOKS_FOR_A_CELL = 4

/** Takes the rows of a table in their order. */
export class EmptyPlaces {
  #reaching: SpanReach[] = []
  #looks = 32

  /**
   * The cells of the row, with undefined for each place before the last of them that a cell from above covers. Work and
   * result are linear in the number of cells: beyond four such places for each cell of the table, no more are kept
   * free.
   */
  around<C extends CellSpan>(row: readonly C[]): (C | undefined)[] {
    this.#looks += LOOKS_FOR_A_CELL * row.length - this.#reaching.length
    if (this.#looks < 0) this.#reaching = []
    const placed: (C | undefined)[] = []
    const reaching: SpanReach[] = []
    let column = 0
    let next = 0
    for (const cell of row) {
      for (
        let reach = this.#reaching[next];
        reach !== undefined && reach.from <= column;
        reach = this.#reaching[next]
      ) {
        placed.push(undefined)
        column = Math.max(column, reach.to)
        reaching.push(reach)
        next++
      }
      placed.push(cell)
      if (cell.rows > 1) reaching.push({ from: column, to: column + cell.columns, rows: cell.rows })
      column += cell.columns
    }
    for (; next < this.#reaching.length; next++) reaching.push(this.#reaching[next]!)
    for (const reach of reaching) reach.rows--
    this.#reaching = reaching.filter(({ rows }) => rows > 0)
    return placed
  }
}
