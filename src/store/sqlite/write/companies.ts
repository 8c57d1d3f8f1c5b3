import { StoreConflict } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { one } from '../rows.ts'
import type { StateCache } from './state-caches.ts'

/** The small integers by which the database refers to companies. They are never reused, so they may be remembered. */
export class CompanyNumbers extends OnConnection implements StateCache {
  readonly #numbers = new Map<string, number>()
  readonly #ids = new Map<number, string>()
  readonly #byId = this.db.prepare('SELECT num FROM companies WHERE id = ?')
  readonly #byNumber = this.db.prepare('SELECT id FROM companies WHERE num = ?')

  /** Throws StoreConflict for an unknown id. */
  number(id: string): number {
    const found = this.find(id)
    if (found === undefined) throw new StoreConflict(`There is no company with the id ${id}`)
    return found
  }

  find(id: string): number | undefined {
    const known = this.#numbers.get(id)
    if (known !== undefined) return known
    const num = one<{ num: number }>(this.#byId, id)?.num
    if (num !== undefined) this.#keep(id, num)
    return num
  }

  id(number: number): string {
    const known = this.#ids.get(number)
    if (known !== undefined) return known
    const id = one<{ id: string }>(this.#byNumber, number)?.id
    if (id === undefined)
      throw new Error(`Recipients refer to the company number ${number}, which does not exist`)
    this.#keep(id, number)
    return id
  }

  /** Called after a transaction was rolled back: a company added in that transaction has lost its number. */
  forget(): void {
    this.#numbers.clear()
    this.#ids.clear()
  }

  #keep(id: string, number: number): void {
    this.#numbers.set(id, number)
    this.#ids.set(number, id)
  }
}
