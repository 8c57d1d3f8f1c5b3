import type { Pause, PauseScope } from '../../store.ts'
import { Operation } from './parts.ts'

/** The operator's word that mail stays where it is. Nodes read it, and leave it out of their claims. */
export class Pauses extends Operation {
  readonly #insert = this.db.prepare('INSERT OR IGNORE INTO pauses (company, domain, since) VALUES (?, ?, ?)')
  readonly #delete = this.db.prepare('DELETE FROM pauses WHERE company = ? AND domain = ?')

  pause({ since, ...scope }: Pause): void {
    this.#insert.run(...this.#key(scope), Math.round(since))
    this.parts.changes.stops = true
  }

  resume(scope: PauseScope): boolean {
    const ended = this.#delete.run(...this.#key(scope)).changes > 0
    if (ended) this.parts.changes.stops = true
    return ended
  }

  #key({ companyId, domain }: PauseScope): [company: number, domain: string] {
    return [companyId === null ? 0 : this.parts.companies.number(companyId), domain ?? '']
  }
}
