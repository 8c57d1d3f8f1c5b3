import { hostPort } from '../host-port.ts'

/** A proxy on the way out: connections through it come from an address of another machine. */
export interface OutgoingProxy {
  /** `proxy`: the PROXY protocol of HAProxy, version 2. */
  protocol: 'socks5' | 'proxy'
  /** Name or address. It may be in a private network. */
  host: string
  port: number
  /** The user for SOCKS5 (RFC 1929); null: no login is needed. */
  user: string | null
  password: string | null
}

/** The connection that a proxy is asked to make. Both addresses are of one family. */
export interface ProxiedConnection {
  /** The source address. The PROXY protocol sends it to the proxy; SOCKS5 cannot. */
  from: string
  to: { address: string; port: number }
}

/** Milliseconds that a proxy has to answer. */
export const PROXY_ANSWERS_MS = 5_000

/** `socks5://10.0.0.5:1080`, without credentials. */
export function proxyName({ protocol, host, port }: OutgoingProxy): string {
  return `${protocol}://${hostPort(host, port)}`
}
