/** What the main thread and a delivery thread say to each other. */
import type { DeliveryRoute } from '../../config/settings.ts'
import type { SigningKey } from '../delivery.ts'
import type { FlatDelivery, FlatResult } from './flat.ts'

/** What a thread builds its courier from. */
export interface ThreadOptions {
  route: DeliveryRoute
  dnsServers: string[]
  hostname: string
  smtpPort: number
  allowPrivateNetworks: boolean
  /** The secret of boundaries. */
  boundarySecret: Uint8Array
  /** Memory of the node's sending right. */
  right: SharedArrayBuffer
}

export type ToThread =
  /** Sent once, before the first delivery that names it. */
  | { kind: 'key'; key: SigningKey }
  | { kind: 'deliver'; deliveries: FlatDelivery[] }
  | { kind: 'close'; ms: number }

export type FromThread =
  | { kind: 'results'; results: FlatResult[] }
  | { kind: 'log'; level: 'warn' | 'error'; message: string; detail: Record<string, string | number | null> }
  | { kind: 'closed' }
