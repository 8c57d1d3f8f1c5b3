import type { TlsSource } from '../../email/attempt-tls.ts'
import type { OutgoingProxy } from '../../network/proxy/proxy.ts'
import type { DaneProof } from '../dane/demand.ts'
import type { SmtpTimeouts } from './timeouts.ts'

/**
 * - `off`: clear text, STARTTLS is not used even where it is offered.
 * - `opportunistic`: STARTTLS where offered, with any certificate (RFC 7435).
 * - `required`: encrypted or not at all, with any certificate.
 * - `verified`: encrypted, and the certificate is valid for `host`.
 */
export type TlsPolicy = 'off' | 'opportunistic' | 'required' | 'verified'

const BY_STRENGTH: readonly TlsPolicy[] = ['off', 'opportunistic', 'required', 'verified']

/** Whether `other` demands more than `policy`. */
export function isWeaker(policy: TlsPolicy, other: TlsPolicy): boolean {
  return BY_STRENGTH.indexOf(policy) < BY_STRENGTH.indexOf(other)
}

export interface TlsDemand {
  tls: TlsPolicy
  source: TlsSource
  /** The TLSA records that prove the server, if `tls` is `verified` because of DANE. */
  dane?: DaneProof
}

export type AuthMechanism = 'plain' | 'login' | 'cram-md5' | 'xoauth2'

export interface SmtpCredentials {
  user: string
  /** The password; the access token for `xoauth2`. */
  password: string
  /** Null picks the best of the server's mechanisms; `xoauth2` is never picked unless it is named. */
  mechanism: AuthMechanism | null
}

/** A server to open a session with. */
export interface SmtpTarget {
  /** The server's name, for SNI, the certificate and logs. */
  host: string
  /** The IP address to connect to, already checked after the look-up. */
  address: string
  /** The address to connect from; absent: the system chooses. */
  localAddress?: string
  /** The proxy to the machine that has `localAddress`; absent: this machine has it. */
  proxy?: OutgoingProxy
  port: number
  /** TLS from the first byte (RFC 8314). `tls` then only tells whether the certificate must be right. */
  implicitTls: boolean
  tls: TlsPolicy
  /** DANE takes the place of authorities and of the host's name under `verified`. */
  dane?: DaneProof
  /** The origin of `tls`; absent: the default. */
  tlsSource?: TlsSource
  /**
   * Sent over TLS only, unless `tls` is `off`: with that setting the operator allows this network to see them.
   * Under `opportunistic`, a server that offers no STARTTLS gets no credentials, because an attacker can remove the
   * offer.
   */
  credentials: SmtpCredentials | null
  /** Our own name for EHLO: a domain or an address literal. */
  helo: string
  timeouts?: Partial<SmtpTimeouts>
  /** Certificate authorities (PEM) to trust instead of the built-in ones. */
  ca?: string[]
}
