/** What every route is given and gives back. */

import type { DeathCause } from '../../workers/error.ts'
import type { Delivery, HindranceReport, RecipientOutcome } from '../delivery.ts'
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

export interface RouteResult {
  /** One for each of the delivery's recipients. */
  outcomes: RecipientOutcome[]
  server: string | null
  tls: string | null
  captured?: Uint8Array
  /** A worker died of composing the message. */
  died?: DeathCause
  hindrance?: HindranceReport
  /** As in DeliveryResult. */
  notBefore?: number
}

export interface Route {
  deliver(request: RouteRequest): Promise<RouteResult>
  /** Ends every session, whatever it is doing. */
  destroy(): void
}
