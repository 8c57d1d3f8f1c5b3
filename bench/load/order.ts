/** The orders to the load generator, and its answers. */
import type { MessageShape, RequestTarget } from '../message.ts'

export type LoadTarget =
  | ({ protocol: 'http' } & RequestTarget)
  | {
      protocol: 'smtp'
      from: string
      shape: MessageShape
      /** The API key to log in with; absent: without a login. */
      token?: string
      /** Header fields in addition to the usual ones. */
      header?: string[]
      /** False: one command at a time, for servers that answer a group of commands late. */
      pipelining?: boolean
    }
  | {
      /** Bounces, each about another recipient, numbered from 0. */
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
  /** Milliseconds after which the run ends earlier; absent: it does not. */
  milliseconds?: number
  /** Ms that each connection rests after an answer. */
  pause?: number
  /** Requests per second, due at equal intervals whether or not answers arrive (open loop). Without a rate, each connection waits for its answer. */
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
