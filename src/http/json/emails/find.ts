/** The email that a request names, when its caller may know of it. */
import type { Principal } from '../../../accounts/account.ts'
import { mayRead, readsNothing } from '../../../accounts/reading.ts'
import { Refusal } from '../../../intake/refusal.ts'
import type { StoredOrigin } from '../../../store/store.ts'
import type { HttpDeps } from '../../deps.ts'
import { originOf } from '../../email-origin.ts'
import { Fault } from '../../fault.ts'

export interface FoundEmail {
  id: string
  origin: StoredOrigin
}

/** Paths of the original under `/emails` that name no email. One without a route here must not be read as an id. */
const OTHER_PATHS: ReadonlySet<string> = new Set(['batch', 'metrics', 'receiving'])

/** Throws a Fault for a path that this service does not have. */
export function requireEmailPath(given: string): void {
  if (OTHER_PATHS.has(given)) throw new Fault({ code: 'path_unknown' })
}

/** Throws a Fault, one for what is unknown, another company's, or no id at all; a Refusal to who reads nothing. */
export async function requireReadable(
  { store }: Pick<HttpDeps, 'store'>,
  caller: Principal,
  given: string,
): Promise<FoundEmail> {
  requireEmailPath(given)
  // Before anything is looked up: it says nothing about the email.
  if (readsNothing(caller)) throw new Refusal({ code: 'scope_missing', scope: 'reading' })
  const { id, origin } = await originOf({ store }, given)
  if (origin === null || !mayRead(caller, origin)) throw unknownEmail()
  return { id, origin }
}

export function unknownEmail(): Fault {
  return new Fault({ code: 'email_unknown' })
}
