/**
 * On PostgreSQL, large values are read in pieces. `pg` receives octets as one hexadecimal text and parses it at once,
 * which for a message of 24 MB would hold the event loop for 100 ms. The columns are stored uncompressed and outside
 * the row (STORAGE EXTERNAL), so reading a piece costs only its own octets.
 */
import type { FieldDeclaration } from '../../email/fields.ts'
import { LARGE_TEXT } from '../../mail/large-text.ts'
import { selected } from '../email-columns.ts'
import type { ParameterValue, PortSteps, Queries } from './port.ts'
import { type Dialect, dynamicStatement } from './statement.ts'

/** Octets of one piece: parsed in about a millisecond. */
const PIECE = 256 * 1024

/** JSON: the length of each large value of the row, by its name in the SELECT; absent or null: the row has none. */
interface WithLarge {
  large?: string | null
}

/** Columns of octets whose values may be large. */
export class LargeOctets {
  readonly #octets: Readonly<Record<string, string>>
  readonly #from: string

  /**
   * `octets`: the expression of each value, by its name in the SELECT. `from`: the FROM clause and the condition that
   * find one row by parameters.
   */
  constructor(octets: Readonly<Record<string, string>>, from: string) {
    this.#octets = octets
    this.#from = from
  }

  /** For a SELECT: the values, on PostgreSQL NULL where one is large, and the column of `WithLarge`. */
  selected({ engine }: Pick<Dialect, 'engine'>): string {
    const all = Object.entries(this.#octets)
    if (engine === 'sqlite') return all.map(([name, octets]) => `${octets} AS "${name}"`).join(', ')
    const small = all.map(
      ([name, octets]) => `CASE WHEN octet_length(${octets}) < ${LARGE_TEXT} THEN ${octets} END AS "${name}"`,
    )
    const isLarge = all.map(([, octets]) => `octet_length(${octets}) >= ${LARGE_TEXT}`)
    const lengths = all.map(
      ([name, octets], index) => `'${name}', CASE WHEN ${isLarge[index]} THEN octet_length(${octets}) END`,
    )
    return `${small.join(', ')}, CASE WHEN ${isLarge.join(' OR ')}
      THEN json_strip_nulls(json_build_object(${lengths.join(', ')}))::text END AS large`
  }

  /**
   * Reads the large values of rows of a statement with these columns. `keyOf`: the parameters that find a row. A value
   * that retention has removed since stays null.
   */
  *complete<Row>(
    db: Queries,
    rows: readonly Row[],
    keyOf: (row: Row) => readonly ParameterValue[],
  ): PortSteps<Row[]> {
    const complete: Row[] = []
    for (const row of rows) {
      const { large } = row as WithLarge
      complete.push(large ? yield* this.#withLarge(db, row, large, keyOf(row)) : row)
    }
    return complete
  }

  /** `large`: in JSON, the length of each large value of the row. */
  *#withLarge<Row>(db: Queries, row: Row, large: string, key: readonly ParameterValue[]): PortSteps<Row> {
    const values: Record<string, Uint8Array> = {}
    for (const [name, length] of Object.entries(JSON.parse(large) as Record<string, number>)) {
      const octets = new Uint8Array(length)
      const piece = dynamicStatement<{ piece: Uint8Array | null }>(
        `SELECT substr(${this.#octets[name]}, $${key.length + 1}::integer, ${PIECE}) AS piece ${this.#from}`,
      )
      for (let at = 0; at < length; at += PIECE) {
        const found = yield* db.one(piece, ...key, at + 1)
        if (found?.piece == null) return row
        octets.set(found.piece, at)
      }
      values[name] = octets
    }
    return { ...row, ...values }
  }
}

/** The columns of an email `e` for a SELECT on PostgreSQL, and how to read its large values by its id. */
export function emailOctets(fields: readonly FieldDeclaration[]): { selected: string; large: LargeOctets } {
  const isOctets = ({ type }: FieldDeclaration) => type.column === 'octets' || type.column === 'bytea'
  const octets = fields.filter(isOctets).map(({ name, column }) => [name, `e.${column}`])
  const large = new LargeOctets(Object.fromEntries(octets), 'FROM emails e WHERE e.id = $1')
  const others = selected(
    fields.filter((field) => !isOctets(field)),
    () => 'e',
  )
  return { selected: `${others}, ${large.selected({ engine: 'postgres' })}`, large }
}
