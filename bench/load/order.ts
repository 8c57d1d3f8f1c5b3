/** The orders to the load generator, and its answers. */
import type { MessageShape, RequestTarget } from '../message.ts'

export type LoadTarget =
  | ({ protocol: 'http' } & RequestTarget)
  | {
      protocol: 'smtp'
      from: string
      shape: MessageShape
      /** To log in with; absent: the server takes mail from anybody. */
      token?: string
      /** Fields beside the usual ones. */
      header?: string[]
      /** False: one command at a time, for servers whose answers to several come late. */
      pipelining?: boolean
    }
  | {
      /** Bounces, each of another recipient; their numbers count from 0. */
      protocol: 'returned'
      recipients: ReturnedRecipient[]
    }

/** A recipient that bounces. */
export interface ReturnedRecipient {
  address: string
  /** MAIL FROM of its message. */
  path: string
}

export interface LoadOrder {
  port: number
  target: LoadTarget
  connections: number
  /** Number of the first recipient; the others follow. */
  first: number
  /** Requests to send; the run ends with the last answer. */
  count: number
  /** Ends earlier, after so many milliseconds, when given. */
  milliseconds?: number
  /** Ms that each connection rests after an answer. */
  pause?: number
  /** Requests a second, due at even distances whatever the answers do (open loop). Without it each connection waits for its answer. */
  rate?: number
}

export interface LoadReport {
  /** Monotonic ms. */
  startedAt: number
  endedAt: number
  accepted: number
  /** Status and body of the first few answers that were not 200. */
  refusals: string[]
  refused: number
  /** Ms from the request (open loop: from when it was due) to the answer, one for each accepted. */
  latencies: Float64Array
  /** Monotonic ms of the 200 answer, by recipient number minus `first`; 0 where there was none. */
  answeredAt: Float64Array
  /** CPU-ms that the generator itself used. */
  cpu: number
}
