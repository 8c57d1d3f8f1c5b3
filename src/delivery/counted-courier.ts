import type { SendingRight } from '../cluster/sending-right.ts'
import type { UnrecordedMessages } from '../cluster/unrecorded-messages.ts'
import { notAttempted } from '../email/not-attempted.ts'
import type { Courier, Delivery, DeliveryResult } from './delivery.ts'
import { mayHaveArrived, releasedOutcome, unansweredOutcome } from './outcome.ts'

/**
 * Wraps a courier in another process, where unrecorded deliveries cannot be counted right before the final dot: each
 * delivery takes its place among the unrecorded ones before it begins.
 */
export class CountedCourier implements Courier {
  readonly #courier: Courier
  readonly #unrecorded: UnrecordedMessages
  readonly #right: Pick<SendingRight, 'holds'>
  #closed = false

  constructor(courier: Courier, unrecorded: UnrecordedMessages, right: Pick<SendingRight, 'holds'>) {
    this.#courier = courier
    this.#unrecorded = unrecorded
    this.#right = right
  }

  async deliver(delivery: Delivery): Promise<DeliveryResult> {
    const startedAt = Date.now()
    const mayHandOver = () => !this.#closed && this.#right.holds(delivery.leaseToken)
    const place = this.#unrecorded.place(delivery.email.companyId, mayHandOver)
    if (!(await place.take())) {
      // The place may have been granted just as the node lost the right to use it.
      place.release(false)
      return unansweredOutcome(delivery, startedAt, (position) =>
        releasedOutcome(position, notAttempted('the delivery could not start in time')),
      )
    }
    const result = await this.#courier.deliver(delivery)
    // A condemned delivery goes into quarantine, and is not recorded as an attempt.
    const arrived = result.condemned === undefined && result.outcomes.some(mayHaveArrived)
    return place.release(arrived) ? { ...result, handedOver: true } : result
  }

  close(ms: number): Promise<void> {
    this.#closed = true
    return this.#courier.close(ms)
  }
}
