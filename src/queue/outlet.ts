/** The ways out of the queue, and the deliveries that have taken one. */
import { monotonic } from '../common/clock.ts'
import type { Courier } from '../delivery/delivery.ts'
import type { ReadyDelivery } from './deliveries.ts'
import type { ReadyQueues } from './ready-queues.ts'
import type { DeliveryStart } from './throttle.ts'

/** Ready deliveries and the courier that sends them. */
export interface Outlet {
  queues: ReadyQueues
  courier: Courier
}

/** A delivery that a courier has. */
export interface BegunDelivery {
  /** The delivery as the ready queues gave it. */
  taken: ReadyDelivery
  /** The part of `taken` that is sent. */
  ready: ReadyDelivery
  begun: DeliveryStart
}

/** The delivery begins now. */
export function startOf(queues: ReadyQueues, { path, email }: ReadyDelivery): DeliveryStart {
  const busy = { all: queues.busyOn(path), company: queues.busyOn(path, email.companyId) }
  return { at: monotonic(), busy }
}

/** The fields for the log. */
export function describeDelivery({ email, path, messageSize }: ReadyDelivery): object {
  return { emailId: email.id, companyId: email.companyId, site: path.site.name, octets: messageSize }
}
