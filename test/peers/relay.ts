/** A mail server that hands all its mail in at Postroad. */
import type { RelayTarget } from './relays-page.ts'

export interface RelayOptions extends RelayTarget {
  certificate: { cert: string; key: string }
  /** Where it listens. */
  host: string
  listenAt: number
}

export interface Relay extends AsyncDisposable {
  /** What waits is tried now. */
  retry(): Promise<void>
  readonly log: string
}
