/**
 * - `proxy`: the proxy does not answer, or refuses us.
 * - `refusal`: the proxy refuses this connection, or fails at it by itself.
 * - `server`: the proxy cannot reach the server.
 */
type ProxyFaultKind = 'proxy' | 'refusal' | 'server'

/** No connection through a proxy. The message follows the name of the proxy, or of the server for `server`. */
export class ProxyFault extends Error {
  override name = 'ProxyFault'
  readonly kind: ProxyFaultKind
  /** For the kind `server`, the error code that a socket would report. */
  readonly code: string | undefined

  constructor(kind: ProxyFaultKind, message: string, code?: string) {
    super(message)
    this.kind = kind
    this.code = code
  }
}
