/** What every route is given and gives back. */

import type { Delivery, DeliveryResult } from '../delivery.ts'
import type { PreparedMessage } from '../prepare.ts'
import type { Dialogue } from '../smtp/dialogue.ts'
import type { HandOver } from '../smtp/transaction.ts'

/** One delivery with its recipients, and what its attempt shares. */
export interface RouteRequest {
  delivery: Delivery
  message: PreparedMessage
  dialogue: Dialogue
  /** False once nothing may be handed over any more: the lease is over, or we are stopping. */
  mayHandOver: () => boolean
  /** Asked right before each final dot, when it is known what stands in the way of that alone. */
  handOver?: HandOver
  /** Aborted when we stop: no session is opened any more. */
  stopping: AbortSignal
}

/** What of its result the route says. */
export type RouteResult = Omit<
  DeliveryResult,
  'dialogue' | 'startedAt' | 'duration' | 'condemned' | 'handedOver'
>

export interface Route {
  deliver(request: RouteRequest): Promise<RouteResult>
  /** Ends every session, whatever it is doing. */
  destroy(): void
}
