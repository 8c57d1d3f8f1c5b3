/** The orders to the sink process, and its answers. */
import type { SinkBehaviour } from './behaviour.ts'

export type SinkOrder =
  /** Listens at these addresses, all at the same port; answers with the port. */
  | { listen: { host: string; behaviour: SinkBehaviour }[]; seed: number }
  /**
   * Expects recipients `first` to `first + count - 1`; answers `ready` at once. With `patience`, the report follows when all have
   * arrived, or after that many milliseconds without an arrival; without it, the report follows on request.
   */
  | { first: number; count: number; patience?: number }
  | { report: true }
  /** All servers accept all mail from now on, and open sessions end; answers `ready` at once. */
  | { heal: true }
  /** All servers return to the behaviour that they were started with; answers `ready` at once. */
  | { spoil: true }
  /** Keeps the octets of the next message; answers `ready` at once. */
  | { keepNext: true }
  /** Reports the octets that were kept. */
  | { kept: true }

export interface SinkReport {
  arrived: number
  /** Messages for a recipient that had one already. */
  doubled: number
  /** The first few of them. */
  doubles: number[]
  /** Messages for recipients that the load generator did not send to. */
  strangers: number
  /** Monotonic ms of the first arrival, by recipient number minus `first`; 0 where there was none. */
  arrivedAt: Float64Array
  /** Octets of a message on the wire, on average. */
  octets: number
  /** CPU-ms that the sink itself used. */
  cpu: number
}
