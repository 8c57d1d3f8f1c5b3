import { OnConnection } from '../connection.ts'
import { one } from '../rows.ts'
import type { StateCache } from './memory.ts'

/** Emails remembered at most: more than a node has under way. */
const MOST = 16_384

export interface EmailPlace {
  num: number
  company: number
  domainId: string
}

/**
 * Finds the row of an email by its id. Emails that this process has just accepted or claimed are remembered until their
 * first result comes: the usual email is spared the search through the index of all ids.
 */
export class EmailNumbers extends OnConnection implements StateCache {
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
   * A number may belong to another email by now: a transaction was rolled back, emails were removed, or another process
   * wrote.
   */
  forget(): void {
    this.#recent.clear()
  }
}
