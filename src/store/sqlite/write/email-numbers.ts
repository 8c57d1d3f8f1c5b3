import { OnConnection } from '../connection.ts'
import { one } from '../rows.ts'
import type { Remembered } from './memory.ts'

/** Emails remembered at most: more than a node has under way. */
const MOST = 16_384

export interface EmailPlace {
  num: number
  company: number
  domainId: string
}

/**
 * Finds the row of an email by its id. Those accepted or claimed by this process a moment ago are remembered until
 * their first result comes: that spares the usual one the search through the index of all ids.
 */
export class EmailNumbers extends OnConnection implements Remembered {
  readonly #recent = new Map<string, EmailPlace>()
  readonly #find = this.db.prepare('SELECT num, company, domain_id AS domainId FROM emails WHERE id = ?')

  /** Work on this email begins. */
  remember(id: string, place: EmailPlace): void {
    if (this.#recent.size === MOST) this.#recent.clear()
    this.#recent.set(id, place)
  }

  find(id: string): EmailPlace | undefined {
    const known = this.#recent.get(id)
    if (known === undefined) return one<EmailPlace>(this.#find, id)
    this.#recent.delete(id)
    return known
  }

  /**
   * A number may be another email's by now: a transaction was undone, emails were removed, or another process wrote.
   */
  forget(): void {
    this.#recent.clear()
  }
}
