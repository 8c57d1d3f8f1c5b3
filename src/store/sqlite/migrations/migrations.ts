import { sql as first } from './0001-first.ts'
import { sql as nodes } from './0002-nodes.ts'
import { sql as lessToWrite } from './0003-less-to-write.ts'
import { sql as keyBounds } from './0004-key-bounds.ts'
import { sql as sending } from './0005-sending.ts'
import { sql as eventNumbers } from './0006-event-numbers.ts'
import { sql as nodeMachine } from './0007-node-machine.ts'
import { sql as holdsAndCancellations } from './0008-holds-and-cancellations.ts'
import { sql as routes } from './0009-routes.ts'

export interface Migration {
  name: string
  sql: string
}

/** In order; the schema version is the number of those applied. A released one is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-first', sql: first },
  { name: '0002-nodes', sql: nodes },
  { name: '0003-less-to-write', sql: lessToWrite },
  { name: '0004-key-bounds', sql: keyBounds },
  { name: '0005-sending', sql: sending },
  { name: '0006-event-numbers', sql: eventNumbers },
  { name: '0007-node-machine', sql: nodeMachine },
  { name: '0008-holds-and-cancellations', sql: holdsAndCancellations },
  { name: '0009-routes', sql: routes },
]
