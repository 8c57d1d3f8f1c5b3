/** TLS on a connection, as its server. */
import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket, type TLSSocketOptions } from 'node:tls'
import { TlsTransport } from './tls-transport.ts'

/** Ms for a handshake. */
const WITHIN = 10_000

/** What a connection tells of its two ends; TLS over anything but a socket tells nothing. */
const ENDS = ['remoteAddress', 'remotePort', 'remoteFamily', 'localAddress', 'localPort'] as const

export interface EncryptionOptions {
  secureContext: SecureContext
  /** Whose turns it takes while its octets are read: a company or an address. */
  party: string
  /** RFC 7301: the protocols that are spoken within. */
  protocols?: string[]
  /** Octets after which a connection that nobody reads is left alone. */
  readAhead: number
}

/**
 * TLS from here on. Calls `done` when the handshake is, before anything that comes behind it is read; with null when it
 * has failed, and the connection is gone; then `error` says why, unless the client has left.
 */
export function encrypt(
  socket: Socket,
  { secureContext, party, protocols, readAhead }: EncryptionOptions,
  done: (secure: TLSSocket | null, error?: NodeJS.ErrnoException) => void,
): void {
  const options = {
    isServer: true,
    secureContext,
    highWaterMark: readAhead,
    ...(protocols && { ALPNProtocols: protocols }),
  }
  const transport = new TlsTransport(socket, party)
  const secure = new TLSSocket(transport, options as TLSSocketOptions)
  for (const name of ENDS) Object.defineProperty(secure, name, { value: socket[name] })
  let isOver = false
  const end = (heard: TLSSocket | null, error?: NodeJS.ErrnoException) => {
    clearTimeout(timer)
    secure.off('close', closed)
    if (isOver) return
    isOver = true
    done(heard, error)
  }
  const fail = (error?: NodeJS.ErrnoException) => {
    secure.destroy()
    transport.destroy()
    end(null, error)
  }
  // The argument of `close` is a boolean, not an error.
  const closed = () => fail()
  const timer = setTimeout(fail, WITHIN)
  // These stay: a connection that breaks later on ends as well. Of a record that cannot be deciphered Node.js tells
  // servers of its own, by this event alone.
  secure.on('error', fail)
  secure.on('_tlsError', fail)
  secure.once('close', closed)
  secure.once('secure', () => end(secure))
}
