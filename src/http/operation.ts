/** Verbs in the name of who asks. */
import type { Principal } from '../accounts/account.ts'
import type { Caller } from '../operate/authority.ts'
import type { Operation } from '../operate/verb.ts'
import type { HttpCore } from './core.ts'

/**
 * On the accounts as they stand now: what was changed before the request counts, on whatever node. Verbs that need no
 * account but the caller's take `operationOfKey`.
 */
export async function currentOperation(core: HttpCore, caller: Principal): Promise<Operation> {
  return await currentOperationOf(core, { kind: 'member', principal: caller })
}

/** The same for whoever has signed in. */
export async function currentOperationOf({ deps }: HttpCore, caller: Caller): Promise<Operation> {
  await deps.accounts.look()
  return deps.operation(caller)
}

/** Of the holder of a key, on the accounts as this node knows them: it waits for nothing. */
export function operationOfKey({ deps }: Pick<HttpCore, 'deps'>, principal: Principal): Operation {
  return deps.operation({ kind: 'member', principal })
}
