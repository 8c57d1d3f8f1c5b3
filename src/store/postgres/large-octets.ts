/**
 * Large values are read in pieces. `pg` receives octets as one hexadecimal text and parses it at once, which for a
 * message of 24 MB would hold the event loop for 100 ms. The columns are stored uncompressed and outside the row
 * (STORAGE EXTERNAL), so reading a piece costs only its own octets.
 */
import type { FieldDeclaration } from '../../email/fields.ts'
import { LARGE_TEXT } from '../../mail/large-text.ts'
import { selected } from '../email-columns.ts'
import type { DatabaseSession, Statement, Value } from './database.ts'

/** Octets of one piece: parsed in about a millisecond. */
const PIECE = 256 * 1024

/** JSON: the length of each large value of the row, by its name in the SELECT; null: the row has none. */
interface WithLarge {
  large: string | null
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

  /** For a SELECT: the values, NULL where one is large, and the column of `WithLarge`. */
  get selected(): string {
    const all = Object.entries(this.#octets)
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
   * Runs a statement with these columns, and completes its rows. `keyOf`: the parameters that find a row. A value that
   * retention has removed since stays null.
   */
  async read<Row>(
    session: Pick<DatabaseSession, 'run'>,
    statement: Statement | string,
    values: readonly Value[],
    keyOf: (row: Row) => readonly Value[],
  ): Promise<Row[]> {
    const rows = await session.run<Row & WithLarge>(statement, values)
    for (const [index, row] of rows.entries())
      if (row.large !== null) rows[index] = await this.#complete(session, row, row.large, keyOf(row))
    return rows
  }

  /** `large`: in JSON, the length of each large value of the row. */
  async #complete<Row>(
    { run }: Pick<DatabaseSession, 'run'>,
    row: Row,
    large: string,
    key: readonly Value[],
  ): Promise<Row> {
    const values: Record<string, Uint8Array> = {}
    for (const [name, length] of Object.entries(JSON.parse(large) as Record<string, number>)) {
      const octets = new Uint8Array(length)
      const piece = `substr(${this.#octets[name]}, $${key.length + 1}::integer, ${PIECE})`
      for (let at = 0; at < length; at += PIECE) {
        const sql = `SELECT ${piece} AS piece ${this.#from}`
        const [found] = await run<{ piece: Uint8Array | null }>(sql, [...key, at + 1])
        if (found?.piece == null) return row
        octets.set(found.piece, at)
      }
      values[name] = octets
    }
    return { ...row, ...values }
  }
}

/** The columns of an email `e` for a SELECT, and how to read its large values by its id. */
export function emailOctets(fields: readonly FieldDeclaration[]): { selected: string; large: LargeOctets } {
  const isOctets = ({ type }: FieldDeclaration) => type.column === 'octets' || type.column === 'bytea'
  const octets = fields.filter(isOctets).map(({ name, column }) => [name, `e.${column}`])
  const large = new LargeOctets(Object.fromEntries(octets), 'FROM emails e WHERE e.id = $1')
  const others = selected(
    fields.filter((field) => !isOctets(field)),
    () => 'e',
  )
  return { selected: `${others}, ${large.selected}`, large }
}
