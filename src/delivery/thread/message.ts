/** What the main thread and a delivery thread say to each other. */
import type { LogLine } from '../../common/logging.ts'
import type { DeathCause } from '../../workers/error.ts'
import type { SigningKey } from '../delivery.ts'
import type { Policy, Source } from '../path/path.ts'
import type { MessageCapabilities, OutgoingMessage } from '../smtp/transaction.ts'
import type { FlatDelivery, FlatResult } from './flat.ts'

/** What a thread or process builds its courier from: plain values. */
export interface CourierOptions {
  dnsServers: string[]
  smtpPort: number
  allowPrivateNetworks: boolean
  softBounce?: boolean
  retrySchedule: readonly number[]
  /** The secret of boundaries. */
  boundarySecret: Uint8Array
}

export interface ThreadOptions extends CourierOptions {
  /** Memory of the node's sending right. */
  right: SharedArrayBuffer
  /** Memory of what is handed over and not recorded. */
  unrecorded: SharedArrayBuffer
}

/** `thread`: its number, from 1. */
export type ThreadData = ThreadOptions & { thread: number }

export type ToThread =
  /** Sent once, before the first delivery that names it; the next, too. */
  | { kind: 'key'; key: SigningKey }
  | { kind: 'policy'; policy: Policy; source: Source }
  /** All keys and policies: no delivery that comes after this one names what came before it. */
  | { kind: 'forget' }
  | { kind: 'deliver'; deliveries: FlatDelivery[] }
  | { kind: 'composed'; request: number; composed: Composed }
  | { kind: 'close'; ms: number }

export type FromThread =
  | { kind: 'results'; results: FlatResult[] }
  | { kind: 'log'; line: LogLine }
  /** For a large message, which does not cross: it is composed by a worker, at the word of the main thread. */
  | { kind: 'compose'; request: number; delivery: number; capabilities: MessageCapabilities }
  | { kind: 'closed' }

/** Error classes do not cross threads; what counts of them does. */
export type Composed =
  | { message: OutgoingMessage }
  | { died: DeathCause; detail: string }
  | { busy: string }
  | { error: string }
