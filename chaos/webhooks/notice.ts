/** What the receiver of webhooks and the run say to each other, and what is asked of either. */
import { createHash } from 'node:crypto'
import type { Rule } from '../other-side.ts'

/** What the receiver does: an answer, or something worse. `slow` answers rightly in the end. */
export const RECEIVER_DEEDS = [
  '500',
  '429',
  '406',
  'redirect',
  'close',
  'reset',
  'hang',
  'garbage',
  'cut',
  'slow',
] as const
export type ReceiverDeed = (typeof RECEIVER_DEEDS)[number]

export interface ReceiverRule extends Rule {
  deed: ReceiverDeed
  /** Endpoints concerned, by index. */
  endpoints: number[]
}

/** An endpoint as the receiver has to know it. */
export interface ReceivingEndpoint {
  dialect: 'json' | 'form'
  /** What requests to it are signed with. */
  secret: string
}

/** One request that came whole. */
export interface Notice {
  /** Index. */
  endpoint: number
  /** Of the message (JSON dialect) or the event (form dialect). */
  id: string
  /** `digestOf` what it tells. */
  body: number
  /** It was answered with 2xx, or in the form dialect with the 406 that ends it. */
  taken: boolean
  /** Sentences; empty when everything is right. */
  wrong: string[]
}

export type ToReceiver = { kind: 'start'; seed: number; endpoints: ReceivingEndpoint[] }

export type FromReceiver = { kind: 'noticed'; notices: Notice[] }

export interface ReceiverAddress {
  port: number
}

/** 48 bits of a text, as a number. */
export function digestOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}
