/** Moves an installation from SQLite to PostgreSQL. */
import { StoreDamaged } from '../store.ts'
import { TransferSource } from './source.ts'
import type { TransferTable } from './tables.ts'
import { Target } from './target.ts'

interface TransferRequest {
  /** Path of the SQLite database. */
  from: string
  /** postgres:// URL. */
  to: string
  /** Drops an earlier transfer that was begun. */
  restart: boolean
  onProgress?: (progress: TransferProgress) => void
}

export interface TransferProgress {
  table: string
  step: 'copy' | 'verify'
  rows: number
  of: number
}

export interface TransferredTable {
  name: string
  rows: number
  /** Sum of the SHA-256 of its rows, the same on both sides. 64 hexadecimal digits. */
  sha256: string
}

interface TransferResult {
  tables: TransferredTable[]
}

/**
 * Copies everything, compares both sides, then puts it in place. The source is brought to the newest schema, and
 * otherwise only read. A transfer that was killed continues where it was when it is called again; the target shows
 * nothing until everything is there and has been compared.
 *
 * Rejects with StoreConflict (source or target in use, other data in the target, source changed since the transfer
 * began), StoreUnavailable, or StoreDamaged when the two sides differ.
 */
export async function transfer({ from, to, restart, onProgress }: TransferRequest): Promise<TransferResult> {
  const source = TransferSource.open(from)
  try {
    const target = await Target.open(to, source.state, { restart })
    try {
      for (const table of target.tables) await copy(source, target, table, onProgress)
      const tables: TransferredTable[] = []
      for (const table of target.tables) {
        const verified = await verify(source, target, table)
        tables.push(verified)
        onProgress?.({ table: table.name, step: 'verify', rows: verified.rows, of: verified.rows })
      }
      await target.finish(source.reached)
      return { tables }
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}

async function copy(
  source: TransferSource,
  target: Target,
  table: TransferTable,
  onProgress: TransferRequest['onProgress'],
): Promise<void> {
  const of = source.count(table)
  const { place, rows } = await target.progress(table)
  let copied = rows
  for (const chunk of source.chunks(table, place)) {
    await target.add(table, chunk)
    copied += chunk.rows.length
    onProgress?.({ table: table.name, step: 'copy', rows: copied, of })
  }
}

async function verify(
  source: TransferSource,
  target: Target,
  table: TransferTable,
): Promise<TransferredTable> {
  const wanted = source.digest(table)
  const found = await target.digest(table)
  if (wanted.hex !== found.hex || wanted.rows !== found.rows) {
    throw new StoreDamaged(
      `The table ${table.name} is not the same on both sides: ${wanted.rows} rows in the source, ${found.rows} in the ` +
        `target, digests ${wanted.hex} and ${found.hex}. Nothing was put in place; begin again with --restart`,
    )
  }
  return { name: table.name, rows: wanted.rows, sha256: wanted.hex }
}
