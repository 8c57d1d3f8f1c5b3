import type { NodeBeat } from '../store/store.ts'
import type { Operation } from './operation.ts'
import { verb } from './verb.ts'

/** The processes that share the database, by fencing token. */
export const listNodes = verb(
  'operate',
  (op: Operation, _input: object): Promise<NodeBeat[]> => op.store.nodes(),
)
