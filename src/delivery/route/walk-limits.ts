/** How long, and how far, one attempt goes. */
import type { SmtpTimeouts } from '../smtp/timeouts.ts'

export interface WalkLimits {
  timeouts: Partial<SmtpTimeouts>
  /** The most servers that had an address to connect to. */
  maxServers: number
  addressesPerServer: number
  /** Milliseconds from the start after which no further server is tried. */
  attempt: number
  /**
   * Milliseconds that a server has for each answer, and for opening a session, when other mail needs the session.
   * Healthy servers that test a client let it wait for six seconds at the greeting.
   */
  silence: number
}

export const walkLimits: WalkLimits = {
  timeouts: {},
  maxServers: 6,
  addressesPerServer: 4,
  attempt: 15 * 60_000,
  silence: 10_000,
}
