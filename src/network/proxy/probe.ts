import { connect, isIPv6 } from 'node:net'
import { ProxyFault } from './fault.ts'
import { type OutgoingProxy, PROXY_ANSWERS_MS, proxyName } from './proxy.ts'
import { openTunnel, reachProxy } from './tunnel.ts'

/**
 * The port of the discard service (RFC 863) on the proxy's own machine: the answer comes at once, and no other machine
 * is involved.
 */
const DISCARD = 9

/**
 * Why the proxy makes no connections from the address, as a sentence without a final dot; null: no problem was found. A
 * SOCKS5 proxy gets a request for a connection to its own machine, because only a request shows whether it accepts the
 * login; it may refuse the request itself. With a PROXY protocol proxy, only the connection to it is tested.
 */
export async function proxyProblem(proxy: OutgoingProxy, from: string): Promise<string | null> {
  const socket = connect({ host: proxy.host, port: proxy.port })
  let answered = false
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    socket.destroy()
  }, PROXY_ANSWERS_MS)
  try {
    if (proxy.protocol === 'proxy') await reachProxy(socket)
    else {
      const to = { address: isIPv6(from) ? '::1' : '127.0.0.1', port: DISCARD }
      await openTunnel(socket, proxy, { from, to }, () => {
        answered = true
      })
    }
    return null
  } catch (error) {
    if (!(error instanceof ProxyFault)) throw error
    if (answered && error.kind !== 'proxy') return null
    return `The proxy ${proxyName(proxy)} ${isLate ? 'does not answer' : error.message}`
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}
