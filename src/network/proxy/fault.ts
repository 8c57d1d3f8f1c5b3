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

  constructor(kind: ProxyFaultKind, message: string) {
    super(message)
    this.kind = kind
  }
}
