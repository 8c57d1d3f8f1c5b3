import type { Principal } from '../../../accounts/account.ts'
import { visibleAccounts } from '../../../operate/authority.ts'
import { noSuchDomain } from '../../../operate/find.ts'
import type { Operation } from '../../../operate/verb.ts'
import type { HttpCore } from '../../core.ts'
import { currentOperation } from '../../operation.ts'

/**
 * The operation for a verb on this domain. This dialect names a domain by its id; a text that is no id matches no
 * domain.
 */
export async function operationOnDomain(core: HttpCore, caller: Principal, id: string): Promise<Operation> {
  const op = await currentOperation(core, caller)
  requireDomain(op, id)
  return op
}

/** Throws `not_found`. */
export function requireDomain(op: Operation, id: string): void {
  if (!visibleAccounts(op).domains.some((domain) => domain.id === id)) throw noSuchDomain(id)
}
