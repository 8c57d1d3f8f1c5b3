/** The names under which the bounces of a delivery come back. */
import {
  type ReturnPath,
  type ReturnPathKey,
  returnPath,
  returnPathCode,
} from '../mail/return-path/return-path.ts'
import type { Delivery } from './delivery.ts'
import { recipientDomain } from './recipient-domain.ts'

type NamedDelivery = Pick<Delivery, 'email' | 'recipients' | 'message' | 'path'>

export function mailFrom(delivery: NamedDelivery, key: ReturnPathKey | null): string {
  const { sender, returnPathHost } = delivery.email
  if (returnPathHost === null || key === null) return sender
  return returnPath(key, returnPathOf(delivery), returnPathHost)
}

/**
 * ENVID (RFC 3461 4.4): servers repeat it in reports as Original-Envelope-Id (RFC 3464 2.2.1). It finds the email where
 * the bounce goes to the author's own address, or to any other that is not the return path.
 */
export function envelopeId(delivery: NamedDelivery, key: ReturnPathKey): string {
  return returnPathCode(key, returnPathOf(delivery))
}

/**
 * The same at every attempt, because greylisting servers know a message by it. So it names a recipient only where each
 * has a transaction of its own: a transaction for several may have a single one left when it is tried again. Direct
 * mail has a transaction for each domain, and names that: otherwise a recipient at one domain could report on
 * recipients at another domain. A relay takes recipients of several domains at once.
 */
function returnPathOf({ email, recipients, message, path }: NamedDelivery): ReturnPath {
  const { id: emailId, createdAt } = email
  // Only in batch sending does a message have an addressee.
  const recipient = message.addressee ? recipients[0]!.position : null
  const domain = path.site.kind === 'direct' ? recipientDomain(recipients) : null
  return { emailId, recipient, domain, at: createdAt }
}
