import type { ChangeFeed } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Database } from './database.ts'
import type { Repairs } from './repairs.ts'

/** The shared parts that the operations of the store are built on. */
export interface StoreParts {
  database: Database
  companies: CompanyNumbers
  changes: ChangeFeed
  repairs: Repairs
}
