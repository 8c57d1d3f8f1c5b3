/** The input and output that all routes share. */

import type { Delivery, DeliveryResult } from '../delivery.ts'
import type { PreparedMessage } from '../prepare.ts'
import type { Dialogue } from '../smtp/dialogue.ts'
import type { HandoverGuard } from '../smtp/transaction.ts'
import type { SessionAtDot } from './session-at-dot.ts'

/** One delivery with its recipients, and the state that its attempt shares. */
export interface RouteRequest {
  delivery: Delivery
  /** MAIL FROM. */
  sender: string
  /** See Transaction. */
  envelopeId?: () => string
  message: PreparedMessage
  dialogue: Dialogue
  /** False once nothing may be handed over any more: the lease is over, or the node is stopping. */
  mayHandOver: () => boolean
  /** Asked right before each final dot, when nothing else stands in its way. */
  handOver?: HandoverGuard
  /** The session that the delivery is to begin on, behind the final dot of the one before. */
  behind?: SessionAtDot
  /** Called when the next delivery may begin on this session. */
  onDot?: (session: SessionAtDot) => void
  /** After `onDot`: goes on with another server, so that it needs a session of its own again. */
  onApart?: () => void
  /**
   * Set by the route: ends the attempt if its server keeps it waiting, because other mail needs the session. True when
   * it waits for the answer to its final dot.
   */
  cutShort?: () => boolean
  /** Aborted when the node stops: no session is opened any more. */
  stopping: AbortSignal
}

/** The part of a delivery's result that the route reports. */
export type RouteResult = Omit<
  DeliveryResult,
  'dialogue' | 'startedAt' | 'duration' | 'condemned' | 'handedOver'
>

export interface Route {
  deliver(request: RouteRequest): Promise<RouteResult>
  /** Ends every session, whatever it is doing. */
  destroy(): void
}
