import type { DeliveryRecipient } from './delivery.ts'

/** The domain of all recipients of a delivery by direct mail. */
export function domainOf(recipients: readonly Pick<DeliveryRecipient, 'address'>[]): string {
  const address = recipients[0]?.address ?? ''
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}
