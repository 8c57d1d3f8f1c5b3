import type { Delivery, DeliveryResult } from './delivery.ts'

/** Hands a delivery to its destination. Never rejects for a fault of the other side: that is an outcome. */
export interface Courier {
  deliver(delivery: Delivery): Promise<DeliveryResult>
  /** Finishes or gives back what is open, at the latest after `ms`. */
  close(ms: number): Promise<void>
}
