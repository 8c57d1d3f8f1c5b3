import { domainOf } from '../mail/address/address-domain.ts'
import type { DeliveryRecipient } from './delivery.ts'

/** The domain of all recipients of a delivery by direct mail. */
export function recipientDomain(recipients: readonly Pick<DeliveryRecipient, 'address'>[]): string {
  return domainOf(recipients[0]?.address ?? '')
}
