import type { NodeBeat } from '../store/store.ts'
import { verb } from './verb.ts'

/** The processes that share the database, by fencing token. */
export const listNodes = verb('operate', (op, _input: object): Promise<NodeBeat[]> => op.store.nodes(), null)
