import { StoreConflict } from '../store.ts'
import type { Database } from './database.ts'

/**
 * The small integers by which the database refers to companies, and back. Companies are never removed or renumbered.
 */
export class CompanyNumbers {
  readonly #database: Database
  readonly #numbers = new Map<string, number>()
  readonly #ids = new Map<number, string>()

  constructor(database: Database) {
    this.#database = database
  }

  /** The numbers of the companies that exist. They are remembered. */
  async find(ids: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const unknown = [...new Set(ids)].filter((id) => !this.#numbers.has(id))
    if (unknown.length > 0) {
      const sql = 'SELECT num, id FROM companies WHERE id IN (SELECT json_array_elements_text($1::json))'
      this.#remember(await this.#database.look(sql, [JSON.stringify(unknown)]))
    }
    return this.#numbers
  }

  /** Rejects with StoreConflict when there is no such company. */
  async number(id: string): Promise<number> {
    const number = (await this.find([id])).get(id)
    if (number === undefined) throw new StoreConflict(`There is no company with the id ${id}`)
    return number
  }

  /** For a filter: null when no company is named, undefined when the id is unknown. */
  async filter(id: string | null | undefined): Promise<number | null | undefined> {
    return id === null || id === undefined ? null : (await this.find([id])).get(id)
  }

  /** The ids of these numbers, which come from the database. */
  async ids(numbers: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    for (const number of numbers) {
      if (this.#ids.has(number)) continue
      this.#remember(await this.#database.look('SELECT num, id FROM companies'))
      break
    }
    return this.#ids
  }

  #remember(rows: { num: number; id: string }[]): void {
    for (const { num, id } of rows) {
      this.#numbers.set(id, num)
      this.#ids.set(num, id)
    }
  }
}
