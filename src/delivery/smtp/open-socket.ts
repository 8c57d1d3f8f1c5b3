/** The TCP sockets of SMTP connections, to a server or to a proxy before it. */
import { connect, type Socket } from 'node:net'
import type { OutgoingProxy } from '../../network/proxy/proxy.ts'
import type { SmtpTarget } from './target.ts'

/**
 * The receive buffer of unencrypted connections. All of them can share it, because its content is read at once and a
 * remainder is copied. Otherwise every reply would come in a 64 KB buffer of its own.
 */
const received = Buffer.allocUnsafeSlow(16 * 1024)

const options = {
  // Commands are small and each is waited for: Nagle's algorithm would only add delayed acknowledgements.
  noDelay: true,
  // Detects a peer that vanished while the session was idle, well before a transaction waits minutes for the answer to
  // MAIL.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
}

/** `onOctets`: its argument is used again for the octets that come next. */
export function socketToServer(
  { address, port, localAddress }: SmtpTarget,
  onOctets: (octets: Buffer) => void,
): Socket {
  return connect({
    ...options,
    host: address,
    port,
    ...(localAddress !== undefined && { localAddress }),
    onread: {
      buffer: received,
      callback: (length) => {
        onOctets(received.subarray(0, length))
        return true
      },
    },
  })
}

export function socketToProxy({ host, port }: OutgoingProxy): Socket {
  return connect({ ...options, host, port })
}
