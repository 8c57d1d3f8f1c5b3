import type { Route } from '../../../accounts/account.ts'
import { type RouteScope, StoreConflict } from '../../store.ts'
import { one } from '../rows.ts'
import { Operation } from './parts.ts'

/** Routes of companies and domains; as all about accounts, a change of them raises the accounts version. */
export class Routes extends Operation {
  readonly #bump = this.db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'accounts'")
  readonly #owner = this.db.prepare('SELECT company FROM domains WHERE id = ?')
  readonly #set = this.db.prepare(
    'INSERT OR REPLACE INTO routes (company, domain_id, id, url, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #remove = this.db.prepare('DELETE FROM routes WHERE company = ? AND domain_id = ?')

  set({ id, companyId, domainId, url, sealed, createdAt }: Route): void {
    const company = this.parts.companies.number(companyId)
    if (domainId !== null && one<{ company: number }>(this.#owner, domainId)?.company !== company) {
      throw new StoreConflict(`The company ${companyId} has no domain with the id ${domainId}`)
    }
    this.#set.run(company, domainId ?? '', id, url, sealed, createdAt)
    this.#changed()
  }

  /** False when there is none. */
  remove({ companyId, domainId }: RouteScope): boolean {
    const removed = this.#remove.run(this.parts.companies.number(companyId), domainId ?? '').changes > 0
    if (removed) this.#changed()
    return removed
  }

  #changed(): void {
    this.#bump.run()
    this.parts.changes.accounts = true
  }
}
