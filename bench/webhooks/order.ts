/** The orders to the process that receives webhooks, and its answers. */

export type ReceiverOrder =
  /** Answers with the port. `hang`: whatever is asked there is never answered. */
  | { listen: { hang: boolean } }
  /** Expects so many webhooks; answers `ready` at once, and reports when all have come or none has for so many ms. */
  | { count: number; secret: string; patience: number }

export interface ReceiverReport {
  arrived: number
  /** Of these with an id that had come before. */
  doubled: number
  /** Signatures that were looked at, and those of them that were wrong. */
  verified: number
  wrong: number
  /** Monotonic ms of the first and the last. */
  firstAt: number
  lastAt: number
  /** Ms from the time that each tells of its event to its arrival. */
  lags: Float64Array
  /** Octets of a body, on average. */
  octets: number
  /** CPU-ms that the receiver itself used. */
  cpu: number
}
