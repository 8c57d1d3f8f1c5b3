import type { Route } from '../../accounts/account.ts'
import { type RouteScope, StoreConflict } from '../store.ts'
import { withNotice } from './change-notice.ts'
import type { ChangeFeed } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Database } from './database.ts'

const SET = `INSERT INTO routes (company, domain_id, id, url, sealed, created_at) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (company, domain_id) DO UPDATE
  SET id = excluded.id, url = excluded.url, sealed = excluded.sealed, created_at = excluded.created_at`

/** Routes of companies and domains; as all about accounts, a change of them raises the accounts version. */
export class Routes {
  readonly #database: Database
  readonly #companies: CompanyNumbers
  readonly #changes: ChangeFeed

  constructor(database: Database, companies: CompanyNumbers, changes: ChangeFeed) {
    this.#database = database
    this.#companies = companies
    this.#changes = changes
  }

  async set({ id, companyId, domainId, url, sealed, createdAt }: Route): Promise<void> {
    const company = await this.#companies.number(companyId)
    await withNotice(this.#database, this.#changes, 'accounts', async (session) => {
      const owned = 'SELECT 1 FROM domains WHERE id = $1 AND company = $2'
      if (domainId !== null && (await session.run(owned, [domainId, company])).length === 0) {
        throw new StoreConflict(`The company ${companyId} has no domain with the id ${domainId}`)
      }
      await session.run(SET, [company, domainId ?? '', id, url, sealed, createdAt])
      return true
    })
  }

  /** False when there is none. */
  async remove({ companyId, domainId }: RouteScope): Promise<boolean> {
    const company = await this.#companies.number(companyId)
    return await withNotice(this.#database, this.#changes, 'accounts', async (session) => {
      const sql = 'DELETE FROM routes WHERE company = $1 AND domain_id = $2 RETURNING 1'
      return (await session.run(sql, [company, domainId ?? ''])).length > 0
    })
  }
}
