/** The orders to the abusers' process, and its answers. */

export interface Target {
  port: number
  /** Where mail is taken in over SMTP. */
  submissionPort: number
  /** Where bounces are taken in, and an address that takes them. */
  bouncePort: number
  bounceAddress: string
  /** The abuser's own company: what any customer has, a key for everything among it. */
  token: string
  companyId: string
  domain: string
  /** Of somebody who may only look at the console. */
  viewer: string
  /** Id of an email of 24 MB, and of one that waits for tomorrow. */
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

/** Answers by status; `cut`: connections that the service ended without one. */
export type Statuses = Record<string, number>

export interface AbuseReport {
  statuses: Record<string, Statuses>
  /** Octets written in all. */
  octets: number
}
