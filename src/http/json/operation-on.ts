/** The operation for a verb on the object that a path names. */
import type { Principal } from '../../accounts/account.ts'
import type { Operation } from '../../operate/verb.ts'
import type { HttpCore } from '../core.ts'
import { currentOperation } from '../operation.ts'

/** `require`: throws or rejects with `not_found` when the object does not exist for the caller. */
export function operationOn(
  require: (op: Operation, id: string) => unknown,
): (core: HttpCore, caller: Principal, id: string) => Promise<Operation> {
  return async (core, caller, id) => {
    const op = await currentOperation(core, caller)
    await require(op, id)
    return op
  }
}
