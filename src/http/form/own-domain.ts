/** Look-up of the domain in a path, with the rights of the caller. */
import type { Principal, SendingDomain } from '../../accounts/account.ts'
import { Refusal } from '../../intake/refusal.ts'
import { AddressError, parseDomain } from '../../mail/address/address.ts'
import type { Operation } from '../../operate/verb.ts'
import type { HttpCore } from '../core.ts'
import { currentOperation } from '../operation.ts'

/**
 * The domain, and an operation for verbs with the present accounts: what was removed a moment ago, on any node, is
 * already absent.
 */
export async function onOwnDomain(
  core: HttpCore,
  caller: Principal,
  name: string,
): Promise<{ op: Operation; domain: SendingDomain }> {
  const op = await currentOperation(core, caller)
  return { op, domain: await ownDomain(core, caller, name) }
}

/**
 * Rejects with a Refusal when the domain is unknown or belongs to another company, or when the key is restricted to
 * another domain.
 */
export async function ownDomain(core: HttpCore, caller: Principal, name: string): Promise<SendingDomain> {
  const domain = find(core, caller, name)
  if (domain !== undefined) return domain
  // The domain may have been added a moment ago.
  await core.deps.accounts.catchUp()
  const found = find(core, caller, name)
  if (found !== undefined) return found
  throw new Refusal({ code: 'domain_unknown', domain: name })
}

function find(
  { deps }: HttpCore,
  { companyId, domainId }: Principal,
  name: string,
): SendingDomain | undefined {
  const domain = deps.accounts.directory.domainNamed(aLabel(name), companyId)
  return domainId === null || domainId === domain?.id ? domain : undefined
}

/** An invalid name becomes '', which no domain has. */
function aLabel(name: string): string {
  try {
    return parseDomain(name)
  } catch (error) {
    if (error instanceof AddressError) return ''
    throw error
  }
}
