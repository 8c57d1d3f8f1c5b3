/** The messages between the service and the isolated process: plain values that v8.serialize knows. */
import type { LogLine } from '../../common/logging.ts'
import type { DeliveryResult, SigningKey } from '../delivery.ts'
import type { Policy } from '../path/path.ts'
import type { Source } from '../path/source.ts'
import type { FlatDelivery } from '../thread/flat.ts'
import type { CourierOptions } from '../thread/message.ts'

/** A signing key as octets (PKCS #8, DER), because key objects cannot be sent to another process. */
export interface KeyOctets extends Omit<SigningKey, 'privateKey'> {
  privateKey: Uint8Array
}

/** A delivery with the keys, the policy and the source that it names. */
export interface IsolatedDelivery {
  delivery: FlatDelivery
  keys: KeyOctets[]
  policy: Policy
  source: Source
}

export type ToProcess =
  /** Sent once, before anything else. */
  | { kind: 'start'; options: CourierOptions; parent: number }
  /** The node's sending right, as its shared memory holds it. */
  | { kind: 'right'; values: bigint[] }
  | ({ kind: 'deliver' } & IsolatedDelivery)
  | { kind: 'close'; ms: number }

export type FromProcess =
  | { kind: 'started' }
  /** The message of this delivery is composed and signed, or cannot be; the delivery goes on. */
  | { kind: 'prepared'; number: number }
  | { kind: 'result'; number: number; result: DeliveryResult }
  | { kind: 'log'; line: LogLine }
  | { kind: 'closed' }
