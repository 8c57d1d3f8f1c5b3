import type { ChangeFeed } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Database } from './database.ts'
import type { Repairs } from './repairs.ts'

/** What the parts of the store are made of. Each gives some operations of the store. */
export interface Parts {
  database: Database
  companies: CompanyNumbers
  changes: ChangeFeed
  repairs: Repairs
}
