/** The email that a path names, where whoever asks may know of it. */
import { noSuchEmail } from '../../../operate/find.ts'
import type { HttpCore } from '../../core.ts'
import { originOf } from '../../email-origin.ts'
import type { Asker } from '../../endpoint.ts'
import { currentOperationOf } from '../../operation.ts'
import type { ShownEmail } from '../../shown-emails/copy.ts'

/** Throws `not_found`, also where it is another company's than the path says. */
export async function emailNamed(
  core: HttpCore,
  { caller, company }: Asker<'company'>,
  { email }: { email: string },
): Promise<ShownEmail> {
  const { id, origin } = await originOf(core.deps, email)
  // An operator who looks at one company sees what it sees.
  const own = caller.kind === 'operator' ? company : caller.principal.companyId
  if (origin === null || (own !== null && origin.companyId !== own)) throw noSuchEmail(email)
  return { id, origin, op: await currentOperationOf(core, caller) }
}
