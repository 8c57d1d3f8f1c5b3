/** The orders to the process that receives webhooks, and its answers. */

export type ReceiverOrder =
  /** Listens, and answers with the port. `hang`: no request to the port gets an answer. */
  | { listen: { hang: boolean } }
  /**
   * Expects `count` webhooks. Answers `ready` at once, and reports when all have arrived, or none has for `patience`
   * milliseconds.
   */
  | { count: number; secret: string; patience: number }

export interface ReceiverReport {
  arrived: number
  /** Those among them whose id had arrived before. */
  doubled: number
  /** Signatures that were checked, and how many of them were wrong. */
  verified: number
  wrong: number
  /** Monotonic milliseconds of the first and the last arrival. */
  firstAt: number
  lastAt: number
  /** Milliseconds from the event, whose time each webhook states, to the arrival of the webhook. */
  lags: Float64Array
  /** Octets of a body, on average. */
  octets: number
  /** CPU-ms that the receiver itself used. */
  cpu: number
}
