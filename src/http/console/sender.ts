/** The sender of mail from the console, as a principal for the intake. */
import { keyIdOfPerson, type Principal } from '../../accounts/account.ts'
import type { Visitor } from '../../ingress/admission/visit.ts'
import { OperateError } from '../../operate/error.ts'
import type { HttpCore } from '../core.ts'
import type { CallerOf } from '../endpoint.ts'

/**
 * Throws `not_allowed` for a viewer, and `invalid` when no company is named. The request counts towards the rate of the
 * company and of the person, as a request with a key counts towards that of the key.
 */
export function senderOf(
  { callers }: Pick<HttpCore, 'callers'>,
  request: Visitor,
  { actingAs: caller, company, person, address }: CallerOf<'company'>,
): Principal {
  if (company === null) throw new OperateError('invalid', 'choose the company to send from')
  const scopes = caller.kind === 'operator' ? new Set(['sending'] as const) : caller.principal.scopes
  if (!scopes.has('sending')) throw new OperateError('not_allowed', 'a viewer of the company may not send')
  const sender = { keyId: keyIdOfPerson(person.id), companyId: company, scopes, domainId: null, address }
  callers.countRate(request, sender)
  return sender
}
