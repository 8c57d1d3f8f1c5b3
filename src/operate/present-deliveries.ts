import type { DeliveryOwed, OwedQuestion } from '../delivery/delivery.ts'

/** The deliveries of this process. */
export interface PresentDeliveries {
  /** The token of their leases; null: there is none now. */
  readonly token: number | null
  owed(question: OwedQuestion): Promise<DeliveryOwed[]>
}
