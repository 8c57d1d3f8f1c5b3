/** What the service and the isolated process say to each other. Plain values that v8.serialize knows. */
import type { LogLine } from '../../common/logging.ts'
import type { DeliveryResult, SigningKey } from '../delivery.ts'
import type { Policy, Source } from '../path/path.ts'
import type { FlatDelivery } from '../thread/flat.ts'
import type { CourierOptions } from '../thread/message.ts'

/** A key in octets (PKCS #8, DER): key objects do not cross. */
export interface KeyOctets extends Omit<SigningKey, 'privateKey'> {
  privateKey: Uint8Array
}

/** A delivery with what it names. */
export interface IsolatedDelivery {
  delivery: FlatDelivery
  keys: KeyOctets[]
  policy: Policy
  source: Source
}

export type ToProcess =
  /** Once, before anything else. */
  | { kind: 'start'; options: CourierOptions; parent: number }
  /** The node's sending right as its shared memory has it. */
  | { kind: 'right'; values: bigint[] }
  | ({ kind: 'deliver' } & IsolatedDelivery)
  | { kind: 'close'; ms: number }

export type FromProcess =
  | { kind: 'started' }
  /** The message of this delivery is composed and signed, or cannot be; it is on its way. */
  | { kind: 'prepared'; number: number }
  | { kind: 'result'; number: number; result: DeliveryResult }
  | { kind: 'log'; line: LogLine }
  | { kind: 'closed' }
