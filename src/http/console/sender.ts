/** Whoever sends from the console, as the intake knows senders. */
import { keyIdOfPerson, type Principal } from '../../accounts/account.ts'
import { OperateError } from '../../operate/error.ts'
import type { Asker } from '../endpoint.ts'

/** Throws `not_allowed` for who may only look, and `invalid` where no company is named. */
export function senderOf({ caller, company, person, address }: Asker<'company'>): Principal {
  if (company === null) throw new OperateError('invalid', 'choose the company to send from')
  const scopes = caller.kind === 'operator' ? new Set(['sending'] as const) : caller.principal.scopes
  if (!scopes.has('sending')) throw new OperateError('not_allowed', 'a viewer of the company may not send')
  return { keyId: keyIdOfPerson(person.id), companyId: company, scopes, domainId: null, address }
}
