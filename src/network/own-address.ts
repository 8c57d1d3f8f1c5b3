import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'

/**
 * Whether a socket of this machine can have the address. The list of interfaces does not tell: it lacks addresses that
 * are only routed here, and all but the first of a loopback network.
 */
export function isOwnAddress(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', ipv6Only: isIPv6(address) })
  socket.once('error', () => {
    socket.close()
    resolve(false)
  })
  socket.bind({ port: 0, address, exclusive: true }, () => socket.close(() => resolve(true)))
  return promise
}
