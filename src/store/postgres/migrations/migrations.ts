import { type Migration, migration } from '../../migration.ts'
import { sql as schema } from './0001-schema.ts'

/** In the order they are applied. Of those that are released none is changed: only ever added to. */
export const MIGRATIONS: readonly Migration[] = [migration('0001-schema', schema)]
