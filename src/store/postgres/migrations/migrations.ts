import type { Migration } from '../../migration.ts'
import { sql as schema } from './0001-schema.ts'

/** In the order they are applied. Of those that are released none is changed: only ever added to. */
export const MIGRATIONS: readonly Migration[] = [{ name: '0001-schema', sql: schema }]
