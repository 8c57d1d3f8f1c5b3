/** The address to which the bounces of a delivery come back. */
import { type ReturnPathKey, returnPath } from '../mail/return-path/return-path.ts'
import type { Delivery } from './delivery.ts'
import { recipientDomain } from './recipient-domain.ts'

/**
 * The same at every attempt, because greylisting servers know a message by it. So it names a recipient only where each
 * has a transaction of its own: a transaction for several may have a single one left when it is tried again. Direct
 * mail has a transaction for each domain, and names that: otherwise a recipient at one domain could report
 * on its recipients at another. A relay takes recipients of several domains at once.
 */
export function mailFrom(
  { email, recipients, message, path }: Pick<Delivery, 'email' | 'recipients' | 'message' | 'path'>,
  key: ReturnPathKey | null,
): string {
  const { id: emailId, sender, returnPathHost, createdAt } = email
  if (returnPathHost === null || key === null) return sender
  // Only in batch sending does a message have an addressee.
  const recipient = message.addressee ? recipients[0]!.position : null
  const domain = path.site.kind === 'direct' ? recipientDomain(recipients) : null
  return returnPath(key, { emailId, recipient, domain, at: createdAt }, returnPathHost)
}
