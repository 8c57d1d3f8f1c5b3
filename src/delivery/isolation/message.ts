/** What the service and the isolated process say to each other. Plain values that v8.serialize knows. */
import type { DeliveryRoute } from '../../config/settings.ts'
import type { Delivery, DeliveryResult, SigningKey } from '../delivery.ts'

/** What the process builds its courier from. */
export interface IsolatedOptions {
  route: DeliveryRoute
  dnsServers: string[]
  hostname: string
  smtpPort: number
  allowPrivateNetworks: boolean
  /** The secret of boundaries. */
  boundarySecret: Uint8Array
}

/** A delivery whose keys are octets (PKCS #8, DER): key objects do not cross. */
export interface IsolatedDelivery extends Omit<Delivery, 'signing'> {
  signing: (Omit<SigningKey, 'privateKey'> & { privateKey: Uint8Array })[]
}

export type ToProcess =
  /** Once, before anything else. */
  | { kind: 'start'; options: IsolatedOptions; parent: number }
  /** The node's sending right as its shared memory has it. */
  | { kind: 'right'; values: bigint[] }
  | { kind: 'deliver'; number: number; delivery: IsolatedDelivery }
  | { kind: 'close'; ms: number }

export type FromProcess =
  | { kind: 'started' }
  /** The message of this delivery is composed and signed, or cannot be; it is on its way. */
  | { kind: 'prepared'; number: number }
  | { kind: 'result'; number: number; result: DeliveryResult }
  | { kind: 'log'; level: 'warn' | 'error'; message: string; detail: Record<string, string | number | null> }
  | { kind: 'closed' }
