import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket, type TLSSocketOptions } from 'node:tls'

/**
 * Octets after which a connection that nobody reads is left alone. A record of TLS may have a single octet, and each is
 * deciphered and kept by itself: a connection holds back its client by a few of them.
 */
const READ_AHEAD = 1_024
/** Ms for a handshake. */
const WITHIN = 10_000

/** Calls `begin` when the handshake of a connection may begin; not if its client leaves before. */
export type HandshakeTurn = (socket: Socket, begin: () => void) => void

/**
 * TLS on the connection from its turn on, as its server. Null when the handshake fails; then the connection is gone.
 */
export async function encrypted(
  socket: Socket,
  secureContext: SecureContext,
  turn: HandshakeTurn,
): Promise<TLSSocket | null> {
  const begun = await new Promise<boolean>((resolve) => {
    const left = () => resolve(false)
    socket.once('close', left)
    turn(socket, () => {
      socket.off('close', left)
      resolve(true)
    })
  })
  if (!begun) return null
  return new Promise((resolve) => {
    const secure = new TLSSocket(socket, {
      isServer: true,
      secureContext,
      highWaterMark: READ_AHEAD,
    } as TLSSocketOptions)
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
