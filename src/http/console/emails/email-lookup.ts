/** Look-up of the email in a path, with the rights of the caller. */
import { noSuchEmail } from '../../../operate/find.ts'
import type { Operation } from '../../../operate/verb.ts'
import type { HttpCore } from '../../core.ts'
import { originOf } from '../../email-origin.ts'
import type { CallerOf } from '../../endpoint.ts'
import type { EmailView } from '../../shown-emails/copy.ts'

type EmailCall = Pick<CallerOf<'company'>, 'actingAs' | 'company'> & {
  op: Operation
  params: { email: string }
}

/** Throws `not_found`, also for an email of another company than the path's. */
export async function emailNamed(
  core: HttpCore,
  { op, actingAs: caller, company, params: { email } }: EmailCall,
): Promise<EmailView> {
  const { id, origin } = await originOf(core.deps, email)
  // An operator who views one company sees what its members see.
  const own = caller.kind === 'operator' ? company : caller.principal.companyId
  if (origin === null || (own !== null && origin.companyId !== own)) throw noSuchEmail(email)
  return { id, origin, op }
}
