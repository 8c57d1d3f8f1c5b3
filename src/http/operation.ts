/** Operations on behalf of the caller. */
import type { Principal } from '../accounts/account.ts'
import type { Caller } from '../operate/authority.ts'
import type { Operation } from '../operate/verb.ts'
import type { HttpCore } from './core.ts'

/**
 * With the present accounts: a change made before the request counts, on any node. Verbs that need only the caller's
 * account use `operationOfKey`.
 */
export async function currentOperation(core: HttpCore, caller: Principal): Promise<Operation> {
  return await currentOperationOf(core, { kind: 'member', principal: caller })
}

/** The same for a person with a session. */
export async function currentOperationOf({ deps }: HttpCore, caller: Caller): Promise<Operation> {
  await deps.accounts.look()
  return deps.operation(caller)
}

/** For the holder of a key, with the accounts that this node knows, without waiting. */
export function operationOfKey({ deps }: Pick<HttpCore, 'deps'>, principal: Principal): Operation {
  return deps.operation({ kind: 'member', principal })
}
