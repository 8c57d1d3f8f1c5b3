import { createHash } from 'node:crypto'
import { StoreConflict } from './store.ts'

/** One step of a schema. A database stores the names of its applied migrations, by number from 1 on. */
export interface Migration {
  name: string
  sql: string
}

/**
 * The stored name includes a digest of the statements, without comments and whitespace. Otherwise a rewritten first
 * schema under its old name would be taken for the schema of an existing database.
 */
export function migration(name: string, sql: string): Migration {
  const words = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim()
  return { name: `${name}-${createHash('sha256').update(words).digest('hex').slice(0, 12)}`, sql }
}

export interface AppliedMigration {
  version: number
  name: string
}

/**
 * The version of a schema: the number of migrations it has. `applied`: the database's own list, in order. Throws
 * StoreConflict when the database has other migrations than these.
 */
export function versionOf(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  place: string,
): number {
  for (const { version, name } of applied) {
    const known = migrations[version - 1]?.name ?? name
    if (name === known) continue
    throw new StoreConflict(
      `The schema of the database ${place} has "${name}" where this Postroad has "${known}": it was written by a version ` +
        'from before the first release, or by a program derived from this one, and cannot be brought up to date; run the ' +
        'version that wrote it, or name a new database in POSTROAD_DATABASE_URL',
    )
  }
  const version = applied.at(-1)?.version ?? 0
  if (version <= migrations.length) return version
  throw new StoreConflict(
    `The database ${place} has schema ${version}, but this Postroad supports schemas up to ${migrations.length}: it was written by a newer ` +
      'version; run that version, or restore a backup made before the upgrade',
  )
}
