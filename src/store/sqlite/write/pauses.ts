import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Pause, PauseScope } from '../../store.ts'
import type { Changes } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'

/** The operator's word that mail stays where it is. Nodes read it, and leave it out of their claims. */
export class Pauses {
  readonly #companies: CompanyNumbers
  readonly #changes: Changes
  readonly #insert: StatementSync
  readonly #delete: StatementSync

  constructor(db: DatabaseSync, companies: CompanyNumbers, changes: Changes) {
    this.#companies = companies
    this.#changes = changes
    this.#insert = db.prepare('INSERT OR IGNORE INTO pauses (company, domain, since) VALUES (?, ?, ?)')
    this.#delete = db.prepare('DELETE FROM pauses WHERE company = ? AND domain = ?')
  }

  pause({ since, ...scope }: Pause): void {
    this.#insert.run(...this.#key(scope), Math.round(since))
    this.#changes.stops = true
  }

  resume(scope: PauseScope): boolean {
    const ended = this.#delete.run(...this.#key(scope)).changes > 0
    if (ended) this.#changes.stops = true
    return ended
  }

  #key({ companyId, domain }: PauseScope): [company: number, domain: string] {
    return [companyId === null ? 0 : this.#companies.number(companyId), domain ?? '']
  }
}
