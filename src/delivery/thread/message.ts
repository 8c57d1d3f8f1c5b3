/** The messages between the main thread and a delivery thread. */
import type { LogLine } from '../../common/logging.ts'
import type { GuardedSource } from '../../network/mail-guard.ts'
import type { DeathCause } from '../../workers/error.ts'
import type { DeliveryOwed, OwedQuestion, SigningKey } from '../delivery.ts'
import type { Policy } from '../path/path.ts'
import type { Source } from '../path/source.ts'
import type { MessageCapabilities, OutgoingMessage } from '../smtp/transaction.ts'
import type { FlatDelivery, FlatResult, FlatSharing } from './flat.ts'

/** The options from which a thread or process builds its courier: plain values. */
export interface CourierOptions {
  dnsServers: string[]
  dnsValidating: string[]
  smtpPort: number
  allowPrivateNetworks: boolean
  /** The sources, without the credentials of their proxies. */
  sourceAddresses: readonly GuardedSource[]
  softBounce?: boolean
  retrySchedule: readonly number[]
  /** Secret from which MIME boundaries are derived. */
  boundarySecret: Uint8Array
  /** Secret that return paths are signed with. */
  returnPathSecret: Uint8Array
}

export interface DeliveryThreadOptions extends CourierOptions {
  /** Shared memory of the node's sending right. */
  right: SharedArrayBuffer
  /** Shared memory of the unrecorded deliveries. */
  unrecorded: SharedArrayBuffer
}

/** `thread`: its number, from 1. */
export type DeliveryThreadData = DeliveryThreadOptions & { thread: number }

export type ToThread =
  /** A key or policy is sent once, before the first delivery that names it. */
  | { kind: 'key'; key: SigningKey }
  | { kind: 'policy'; id: string; policy: Policy; source: Source }
  /** Forget all keys and policies: no later delivery names one that was sent before. */
  | { kind: 'forget' }
  | { kind: 'deliver'; deliveries: FlatDelivery[] }
  | { kind: 'composed'; request: number; composed: ComposeResult }
  /** Other mail needs the session of this delivery. */
  | { kind: 'cut-short'; delivery: number }
  | { kind: 'owed'; request: number; question: OwedQuestion }
  | { kind: 'close'; ms: number }

export type FromThread =
  | { kind: 'results'; results: (FlatResult | FlatSharing)[] }
  | { kind: 'log'; line: LogLine }
  /** Asks for a large message, which does not cross with its delivery: the main thread has a worker compose it. */
  | { kind: 'compose'; request: number; delivery: number; capabilities: MessageCapabilities }
  | { kind: 'owed'; request: number; owed: DeliveryOwed[] }
  | { kind: 'closed' }

/** Error classes do not cross threads, so each error is reduced to the facts that matter. */
export type ComposeResult =
  | { message: OutgoingMessage }
  | { died: DeathCause; detail: string }
  | { busy: string }
  | { error: string }
