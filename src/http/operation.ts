/** Verbs in the name of who asks. */
import type { Principal } from '../accounts/account.ts'
import type { Operation } from '../operate/verb.ts'
import type { HttpCore } from './core.ts'

/**
 * On the accounts as they stand now: what was changed before the request counts, on whatever node. Verbs that need no
 * account but the caller's take `deps.operation`, which waits for nothing.
 */
export async function currentOperation({ deps }: HttpCore, caller: Principal): Promise<Operation> {
  await deps.accounts.look()
  return deps.operation(caller)
}
