import type { DatabaseSync } from 'node:sqlite'
import { bind, COLD_READS } from '../../cold/operations.ts'
import { readPort, run } from '../port.ts'
import type { Reads } from '../protocol.ts'
import { digest } from './digest.ts'
import { idempotency } from './idempotency.ts'
import { log } from './log.ts'
import { queue } from './queue.ts'
import { search } from './search.ts'
import { WorkReader } from './work.ts'

/** All reading operations on one connection, with their statements prepared once. */
export function readOperations(db: DatabaseSync): Reads {
  const works = new WorkReader(db)
  const shared: Pick<Reads, keyof typeof COLD_READS> = bind(COLD_READS, readPort(db), run)
  return {
    ...shared,
    ...digest(db),
    ...idempotency(db),
    ...log(db),
    ...queue(db),
    ...search(db),
    readWork: (id, copy) => works.readWork(id, copy),
  }
}
