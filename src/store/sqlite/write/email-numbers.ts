import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { one } from '../rows.ts'

/** Emails remembered in one generation; there are two. More than a node has under way. */
const GENERATION = 8_192

export interface EmailPlace {
  num: number
  domainId: string
}

/**
 * Finds the row of an email by its id. Those accepted or claimed by this process a moment ago are remembered: their results
 * come soon, and spare the search through the index of all ids.
 */
export class EmailNumbers {
  #young = new Map<string, EmailPlace>()
  #old = new Map<string, EmailPlace>()
  readonly #find: StatementSync

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT num, domain_id AS domainId FROM emails WHERE id = ?')
  }

  /** Work on this email begins. */
  remember(id: string, place: EmailPlace): void {
    if (this.#young.size === GENERATION) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(id, place)
  }

  find(id: string): EmailPlace | undefined {
    return this.#young.get(id) ?? this.#old.get(id) ?? one<EmailPlace>(this.#find, id)
  }

  /** A number may be another email's by now: a transaction was undone, emails were removed, or another process wrote. */
  forget(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
