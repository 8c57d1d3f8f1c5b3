/** What the main thread and a delivery thread say to each other. */
import type { DeliveryRoute } from '../../config/settings.ts'
import type { Delivery, DeliveryResult, SigningKey } from '../delivery.ts'

/** What a thread builds its courier from. */
export interface ThreadOptions {
  route: DeliveryRoute
  dnsServers: string[]
  hostname: string
  smtpPort: number
  allowPrivateNetworks: boolean
}

/** A delivery on its way to a thread: keys are sent once and then named. */
export type ThreadDelivery = Omit<Delivery, 'signing'> & { signing: string[] }

export type ToThread =
  | { kind: 'key'; key: SigningKey }
  | { kind: 'deliver'; number: number; delivery: ThreadDelivery }
  | { kind: 'close'; ms: number }

export type FromThread =
  | { kind: 'result'; number: number; result: DeliveryResult }
  | { kind: 'log'; level: 'warn' | 'error'; message: string; detail: Record<string, string | number | null> }
  | { kind: 'closed' }
