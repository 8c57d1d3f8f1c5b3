import { type TransferProgress, type TransferredTable, transfer } from '../store/transfer/transfer.ts'
import { type Maintenance, secretKeyFile } from './maintenance.ts'
import { refuseMissing } from './open.ts'
import { verb } from './verb.ts'

export interface DataMigrationRequest {
  /** Path of the SQLite database. */
  from: string
  /** postgres:// URL. */
  to: string
  /** Drops what an earlier, unfinished run has copied. */
  restart: boolean
  onProgress: (progress: TransferProgress) => void
}

export type { TransferProgress }

export interface DataMigrationResult {
  tables: TransferredTable[]
  /** The file with the secret key of the source, which the new nodes need; null: the key is a setting. */
  secretKeyFile: string | null
}

/** Moves an installation from SQLite to PostgreSQL. After an interruption, another call continues where it stopped. */
export const migrateData = verb(
  'operate',
  async (of: Maintenance, move: DataMigrationRequest): Promise<DataMigrationResult> => {
    const source = { engine: 'sqlite', path: move.from } as const
    refuseMissing(source, { verb: 'migrateData' })
    const { tables } = await transfer(move)
    return { tables, secretKeyFile: secretKeyFile(of, source) }
  },
  null,
)
