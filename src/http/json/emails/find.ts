/** Look-up of the email that a request names, with the rights of the caller. */
import type { Principal } from '../../../accounts/account.ts'
import { lacksReadScope, mayRead } from '../../../accounts/reading.ts'
import { Fault } from '../../../ingress/fault.ts'
import { Refusal } from '../../../intake/refusal.ts'
import { type EmailOrigins, originOf } from '../../email-origin.ts'
import type { EmailReference } from '../../stored-files/files.ts'

/** Paths under `/emails` of the original API that name no email. Without a route here, they must not be read as ids. */
const OTHER_PATHS: ReadonlySet<string> = new Set(['batch', 'metrics', 'receiving'])

/** Throws a Fault for a path that this service does not have. */
export function requireEmailPath(given: string): void {
  if (OTHER_PATHS.has(given)) throw new Fault({ code: 'path_unknown' })
}

/**
 * Throws the same Fault for an unknown email, one of another company, and an invalid id; a Refusal for a caller without
 * read access.
 */
export async function requireReadable(
  { store }: { store: EmailOrigins },
  caller: Principal,
  given: string,
): Promise<EmailReference> {
  requireEmailPath(given)
  // Checked before any look-up, so that the Refusal reveals nothing about the email.
  if (lacksReadScope(caller)) throw new Refusal({ code: 'scope_missing', scope: 'reading' })
  const { id, origin } = await originOf({ store }, given)
  if (origin === null || !mayRead(caller, origin)) throw unknownEmail()
  return { id, origin }
}

export function unknownEmail(): Fault {
  return new Fault({ code: 'email_unknown' })
}
