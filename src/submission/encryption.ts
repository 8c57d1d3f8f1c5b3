import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'

/** Ms for a handshake. */
const WITHIN = 10_000

/** TLS on the connection from here on, as its server. Null when the handshake fails; then the connection is gone. */
export function encrypted(socket: Socket, secureContext: SecureContext): Promise<TLSSocket | null> {
  return new Promise((resolve) => {
    const secure = new TLSSocket(socket, { isServer: true, secureContext })
    const timer = setTimeout(() => fail(), WITHIN)
    const fail = () => {
      clearTimeout(timer)
      secure.destroy()
      socket.destroy()
      resolve(null)
    }
    secure.on('error', fail)
    secure.once('close', fail)
    secure.once('secure', () => {
      clearTimeout(timer)
      secure.off('close', fail)
      resolve(secure)
    })
  })
}
