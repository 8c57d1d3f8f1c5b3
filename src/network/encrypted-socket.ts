/** The server's side of TLS on a connection. */
import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket, type TLSSocketOptions } from 'node:tls'
import { TlsTransport } from './tls-transport.ts'

/** Ms for a handshake. */
const WITHIN = 10_000

/** The properties of a socket that describe its two ends; TLS over any other stream lacks them. */
const ENDS = ['remoteAddress', 'remotePort', 'remoteFamily', 'localAddress', 'localPort'] as const

interface EncryptionOptions {
  secureContext: SecureContext
  /** The party in whose turns its octets are read: a company or an address. */
  party: string
  /** RFC 7301: the protocols offered inside TLS. */
  protocols?: string[]
  /** Octets buffered for a connection that is not consumed; beyond them it is not read. */
  readAhead: number
}

/**
 * Starts TLS on the connection. Calls `done` when the handshake is done, before any later octets are read. When the
 * handshake fails, `done` gets null and, unless the client just left, the error; the connection is closed.
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
    secure.off('close', gone)
    if (isOver) return
    isOver = true
    done(heard, error)
  }
  const fail = (error?: NodeJS.ErrnoException) => {
    secure.destroy()
    transport.destroy()
    end(null, error)
  }
  const gone = () => fail()
  const timer = setTimeout(gone, WITHIN)
  // These handlers stay, so that a connection that breaks later also ends. Node.js reports an undecipherable record to
  // servers of its own only, through `_tlsError`.
  secure.on('error', fail)
  secure.on('_tlsError', fail)
  secure.once('close', gone)
  secure.once('secure', () => end(secure))
}
