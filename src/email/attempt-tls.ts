/** The encryption that the connection of an attempt required, and the one that it had. */

/**
 * `required`: encrypted, with any certificate. `verified`: encrypted, and the server is proven to be the right one.
 */
type TlsRequirement = 'none' | 'opportunistic' | 'required' | 'verified'

/**
 * The origin of a demand: a route or a site of the operator, the message or its sending domain, or a policy of the
 * recipient's domain.
 */
export type TlsSource = 'default' | 'route' | 'site' | 'message' | 'domain' | 'mta-sts' | 'dane'

export interface AttemptTls {
  /** `TLSv1.3`; null: the connection was not encrypted. */
  version: string | null
  cipher: string | null
  demand: TlsRequirement
  source: TlsSource
  /** The server is proven to be the right one: by its certificate, or by DANE. */
  verified: boolean
  /**
   * Why it is not proven, or why the connection could not be encrypted; null when it is proven, or when the connection
   * is not encrypted.
   */
  doubt: string | null
}

/** The text that the store keeps. */
export function tlsText(tls: AttemptTls | null): string | null {
  return tls === null ? null : JSON.stringify(tls)
}

export function tlsOfText(text: string | null): AttemptTls | null {
  return text === null ? null : (JSON.parse(text) as AttemptTls)
}
