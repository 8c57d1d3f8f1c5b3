/** Decides which emails a key may read. */
import type { Principal } from './account.ts'

/** The owner of an email, and the key that submitted it. */
export interface EmailOrigin {
  companyId: string
  domainId: string
  keyId: string
}

/** True when the key lacks any scope for reading, which the caller may be told. */
export function lacksReadScope({ scopes }: Principal): boolean {
  return !scopes.has('reading') && !scopes.has('sending')
}

/** True for mail of the key's company, and of the one domain if the key is restricted to it. */
export function isOwn(
  { companyId, domainId }: Pick<Principal, 'companyId' | 'domainId'>,
  email: Pick<EmailOrigin, 'companyId' | 'domainId'>,
): boolean {
  return email.companyId === companyId && (domainId === null || email.domainId === domainId)
}

/**
 * A key with `reading` reads all emails of the company, or of the one domain it is restricted to. A key with only
 * `sending` reads the emails that it sent itself. After `false` the caller must be answered as if the email did not
 * exist.
 */
export function mayRead(principal: Principal, email: EmailOrigin): boolean {
  if (!isOwn(principal, email)) return false
  if (principal.scopes.has('reading')) return true
  return principal.scopes.has('sending') && email.keyId === principal.keyId
}

/**
 * Decides whether a key may reschedule or cancel an email: with `management` every email that is its own, with
 * `sending` those that it may also read. After `false` the caller must be answered as if the email did not exist.
 */
export function maySchedule(principal: Principal, email: EmailOrigin): boolean {
  if (principal.scopes.has('management')) return isOwn(principal, email)
  return principal.scopes.has('sending') && mayRead(principal, email)
}
