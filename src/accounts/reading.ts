/** Which emails may a key read back? */
import type { Principal } from './account.ts'

/** Whose email it is and who handed it in. */
export interface EmailOrigin {
  companyId: string
  domainId: string
  keyId: string
}

/** Whether the key lacks the scope for reading anything at all, which it may be told. */
export function readsNothing({ scopes }: Principal): boolean {
  return !scopes.has('reading') && !scopes.has('sending')
}

/** Whether it is mail of the key's company, and of the one domain where the key is restricted to it. */
export function isOwn(
  { companyId, domainId }: Pick<Principal, 'companyId' | 'domainId'>,
  email: Pick<EmailOrigin, 'companyId' | 'domainId'>,
): boolean {
  return email.companyId === companyId && (domainId === null || email.domainId === domainId)
}

/**
 * `reading` reads all emails of the company, or of the one domain the key is restricted to. A key with `sending` alone
 * reads what it sent itself. Whoever gets `false` must be answered as if the email did not exist.
 */
export function mayRead(principal: Principal, email: EmailOrigin): boolean {
  if (!isOwn(principal, email)) return false
  if (principal.scopes.has('reading')) return true
  return principal.scopes.has('sending') && email.keyId === principal.keyId
}

/**
 * Whether a key may give an email another time, or cancel it: one with `management` every email that is its own, one
 * with `sending` those that it may read as well. Whoever gets `false` must be answered as if the email did not exist.
 */
export function maySchedule(principal: Principal, email: EmailOrigin): boolean {
  if (principal.scopes.has('management')) return isOwn(principal, email)
  return principal.scopes.has('sending') && mayRead(principal, email)
}
