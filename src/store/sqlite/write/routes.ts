import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Route } from '../../../accounts/account.ts'
import { type RouteScope, StoreConflict } from '../../store.ts'
import { one } from '../rows.ts'
import type { Changes } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'

/** Routes of companies and domains; as all about accounts, a change of them raises the accounts version. */
export class Routes {
  readonly #companies: CompanyNumbers
  readonly #changes: Changes
  readonly #bump: StatementSync
  readonly #owner: StatementSync
  readonly #set: StatementSync
  readonly #remove: StatementSync

  constructor(db: DatabaseSync, companies: CompanyNumbers, changes: Changes) {
    this.#companies = companies
    this.#changes = changes
    this.#bump = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'accounts'")
    this.#owner = db.prepare('SELECT company FROM domains WHERE id = ?')
    this.#set = db.prepare(
      'INSERT OR REPLACE INTO routes (company, domain_id, id, url, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#remove = db.prepare('DELETE FROM routes WHERE company = ? AND domain_id = ?')
  }

  set({ id, companyId, domainId, url, sealed, createdAt }: Route): void {
    const company = this.#companies.number(companyId)
    if (domainId !== null && one<{ company: number }>(this.#owner, domainId)?.company !== company) {
      throw new StoreConflict(`The company ${companyId} has no domain with the id ${domainId}`)
    }
    this.#set.run(company, domainId ?? '', id, url, sealed, createdAt)
    this.#changed()
  }

  /** False when there is none. */
  remove({ companyId, domainId }: RouteScope): boolean {
    const removed = this.#remove.run(this.#companies.number(companyId), domainId ?? '').changes > 0
    if (removed) this.#changed()
    return removed
  }

  #changed(): void {
    this.#bump.run()
    this.#changes.accounts = true
  }
}
