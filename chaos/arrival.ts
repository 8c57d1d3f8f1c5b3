/** What the sink and the run say to each other. Times are those of `now` in harness/clock.ts: one clock for all processes of the machine. */
import type { Zone } from '../harness/dns.ts'
import type { PublishedKeys } from '../harness/verify-dkim.ts'
import type { Rule } from './other-side.ts'

/** Steps at which the sink can fail. */
export const SINK_STEPS = [
  'connect',
  'ehlo',
  'starttls',
  'mail',
  'rcpt',
  'data',
  'body',
  'dot',
  'answered',
  'rset',
  'quit',
] as const
export type SinkStep = (typeof SINK_STEPS)[number]

/** What it does there: an answer of its class, or something worse. `slow` answers rightly in the end. */
export const SINK_DEEDS = ['4xx', '421', '5xx', 'close', 'reset', 'hang', 'garbage', 'slow'] as const
/** `no-starttls`, at `ehlo`: an attacker takes STARTTLS out of the answer. */
export type SinkDeed = (typeof SINK_DEEDS)[number] | 'no-starttls'

/** What a policy host does in place of its answer. */
export const HOST_DEEDS = ['close', 'hang', 'error', 'garbage'] as const
export type HostDeed = (typeof HOST_DEEDS)[number]

/** `truncated`: the answer fits only into TCP (RFC 7766 5). `diverted`: it names a server of another domain. */
export type DnsAnswer = 'servfail' | 'silent' | 'truncated' | 'absent' | 'diverted' | 'right'

export interface SinkRule extends Rule {
  step: SinkStep
  deed: SinkDeed
  /** Servers concerned, by index. */
  servers: number[]
}

/** How a final dot ended that was not refused: the message counts as arrived in each of these. */
export type Ending =
  /** The reply was handed to the kernel. */
  | 'answered'
  /** It was, and then the connection was reset, which may have destroyed it on its way. */
  | 'answered-reset'
  /** By a fault of the sink, no reply was written, or one that nobody can read. */
  | 'withheld'
  /** The connection had ended before the reply could be written. */
  | 'gone'

/** One transaction whose final dot the sink received and did not refuse. */
export interface Arrival {
  server: number
  /** EHLO name: tells which life of which node it was. */
  helo: string
  /** The address that it came from. */
  from: string
  sender: string
  recipients: string[]
  messageId: string
  /** Of all octets as they came, 48 bits. */
  hash: number
  /** When the dot was received. */
  dotAt: number
  /** When the reply was handed to the kernel, null when it never was. */
  answeredAt: number | null
  ending: Ending
  /** What was wrong with it; empty if nothing. */
  wrong: string[]
  /** Its signatures were verified. */
  verified: boolean
}

/** A recipient (or, at the steps before RCPT, a whole session) was refused for good. */
export interface PermanentRefusal {
  server: number
  recipients: string[]
  at: number
}

export type ToSink =
  | { kind: 'start'; seed: number; keys: [string, string][]; verifyShare: number; zone: Zone }
  /** `names`: of records, as in a zone. */
  | { kind: 'dns'; names: string[]; answer: DnsAnswer }
  /** Null: the host answers rightly, and the policy is announced as another one. */
  | { kind: 'policy-host'; domain: number; deed: HostDeed | null }

export type FromSink = { kind: 'seen'; arrivals: Arrival[]; refusals: PermanentRefusal[] }

export function keysOf(entries: [string, string][]): PublishedKeys {
  return new Map(entries)
}
