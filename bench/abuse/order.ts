/** The orders to the attacking process, and its reports. */

export interface Target {
  port: number
  /** The port of SMTP submission. */
  submissionPort: number
  /** The port for returned mail, and an address that accepts it. */
  bouncePort: number
  bounceAddress: string
  /** The attacker's own company, with what every customer has. `token`: a key with all scopes. */
  token: string
  companyId: string
  domain: string
  /** The session cookie of a person with the role `viewer`. */
  viewer: string
  /** The ids of an email of 24 MB, and of an email scheduled for tomorrow. */
  email: string
  scheduled: string
}

export interface AbuseOrder {
  target: Target
  /** Names of attacks; the connections are divided among them. */
  attacks: string[]
  connections: number
  milliseconds: number
}

/**
 * The number of answers by status. `cut`: connections that the service ended without an answer; `no handshake`: those that
 * ended before TLS had begun.
 */
export type Statuses = Record<string, number>

export interface AbuseReport {
  statuses: Record<string, Statuses>
  /** Octets written in all. */
  octets: number
}
