/** A server that a delivery may go to: its settings and addresses, which are looked up only when its turn comes. */
import type { AttemptTls } from '../../email/attempt-tls.ts'
import { proofKey } from '../dane/demand.ts'
import type { RouteFailure } from '../outcome.ts'
import type { ConnectionSource } from '../path/source.ts'
import type { SmtpTarget } from '../smtp/target.ts'
import type { TlsOutcome } from '../smtp/tls.ts'
import type { ServerAddresses } from './addresses.ts'
import type { CountedPolicy } from './tls-sessions.ts'

/** The settings for a connection to a server, except its address. */
export type ServerTarget = Omit<SmtpTarget, 'address' | 'localAddress' | 'proxy' | 'timeouts'>

/** The settings for connections to a server, or the reason why it must not be contacted. */
type ServerChoice = ({ kind: 'target'; target: ServerTarget } | { kind: 'none'; failure: RouteFailure }) & {
  /**
   * Makes the policy under which sessions are counted; called only for a session that counts. Absent or null: sessions
   * are not counted.
   */
  counted?: (() => CountedPolicy) | null
}

/** A server to try. Its target and addresses are looked up only when its turn comes. */
export interface Server {
  target: () => Promise<ServerChoice>
  /** The address to try first: an earlier attempt ended there. */
  preferredAddress: string | null
  addresses: () => Promise<ServerAddresses>
  /** Where a connection to `address` leaves from; null or absent: the system chooses. */
  from?: (address: string) => ConnectionSource | null
}

/** A server that sessions are opened with. */
export interface ServerEndpoint {
  target: ServerTarget
  /** The key of its sessions in the pool. */
  key: string
  /** The policy under which its sessions are counted. */
  counted: (() => CountedPolicy) | null
  from: NonNullable<Server['from']>
  /** The address that an earlier attempt ended at. No other address is tried while it is slow to answer. */
  preferred: string | null
}

/** The key under which the sessions of a server are pooled. */
export function sessionKey({ host, port, implicitTls, tls, dane, credentials }: ServerTarget): string {
  const key = `${host}\0${port}\0${implicitTls}\0${tls}\0${credentials?.user ?? ''}`
  return dane === undefined ? key : `${key}\0${proofKey(dane)}`
}

/** The TLS of an attempt, as it is recorded. `used`: null when no session was opened. */
export function attemptTls(
  { tls, tlsSource = 'default' }: ServerTarget,
  used: TlsOutcome | null,
): AttemptTls {
  const demand = { demand: tls === 'off' ? ('none' as const) : tls, source: tlsSource }
  if (used === null) return { version: null, cipher: null, ...demand, verified: false, doubt: null }
  const { protocol: version, cipher, verified, doubt } = used
  return { version, cipher, ...demand, verified, doubt }
}
