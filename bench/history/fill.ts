/** Fills the database of a service that is not running yet with weeks of history. */
import type { Installation } from '../../harness/service/installation.ts'
import type { Tenant } from '../../harness/service/tenant.ts'
import { fillSqlite } from './fill-sqlite.ts'
import type { HistoryShape } from './shape.ts'

/** Companies beside the one that is measured. */
const OTHERS = 5

export interface Filling {
  installation: Installation
  /** The company that is measured; a part of the history is its own. */
  tenant: Tenant
  /** postgres:// URL; null: the installation's SQLite file. */
  database: string | null
  shape: HistoryShape
}

/** Takes minutes for millions of emails. `onProgress`: called with the number of emails written, and of all. */
export async function fillHistory(
  { installation, tenant, database, shape }: Filling,
  onProgress?: (written: number, of: number) => void,
): Promise<void> {
  const owners: Tenant[] = [tenant]
  for (let other = 0; other < OTHERS; other++)
    owners.push(await installation.addTenant(`history${other}.test`))
  if (database === null) await fillSqlite(installation.databasePath, owners, shape, onProgress)
  else await (await import('./fill-postgres.ts')).fillPostgres(database, owners, shape, onProgress)
}
