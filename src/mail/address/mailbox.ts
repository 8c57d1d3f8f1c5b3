/** One address with its display name (RFC 5322 3.4), and their limits. */

/** RFC 5321 4.5.3.1.1. */
export const MAX_LOCAL = 64
/** RFC 5321 4.5.3.1.3: a path is 256 octets with its angle brackets. */
export const MAX_ADDRESS = 254
/** Octets of a display name: as many as fit on one unfolded header line (RFC 5322 2.1.1). */
export const MAX_NAME = 998

export interface Mailbox {
  /** Display name, unquoted; empty when there is none. At most 998 octets. */
  name: string
  /** Local part: quoted (RFC 5321 4.1.2) only where it must be. Case is kept. */
  local: string
  /** Lower-case A-labels. */
  domain: string
  /** `local@domain`: the address for the envelope. */
  address: string
  /** The mailbox as the sender wrote it, without the space around it. */
  text: string
}
