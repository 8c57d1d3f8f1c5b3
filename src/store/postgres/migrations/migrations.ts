import { sql as first } from './0001-first.ts'
import { sql as repeated } from './0002-repeated.ts'
import { sql as keyBounds } from './0003-key-bounds.ts'
import { sql as numberedEvents } from './0004-numbered-events.ts'
import { sql as nodeMachine } from './0005-node-machine.ts'
import { sql as holds } from './0006-holds.ts'
import { sql as routes } from './0007-routes.ts'

export interface Migration {
  name: string
  sql: string
}

/** In the order they are applied; the version of a schema is how many of them it has. Only ever added to. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-first', sql: first },
  { name: '0002-repeated', sql: repeated },
  { name: '0003-key-bounds', sql: keyBounds },
  { name: '0004-numbered-events', sql: numberedEvents },
  { name: '0005-node-machine', sql: nodeMachine },
  { name: '0006-holds', sql: holds },
  { name: '0007-routes', sql: routes },
]
