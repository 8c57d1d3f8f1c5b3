/** Asks a SOCKS5 proxy (RFC 1928, RFC 1929) for a connection. */
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { SocksClient } from 'socks'
import { connectFault } from '../connect-fault.ts'
import { ProxyFault } from './fault.ts'
import type { OutgoingProxy, ProxiedConnection } from './proxy.ts'

/** Milliseconds after which the library gives up. The caller's own limit is shorter. */
const LONGEST_MS = 120_000

/** Replies about the server (RFC 1928 6), by their names in the library, with the matching error code of a socket. */
const OF_SERVER: Readonly<Record<string, string>> = {
  NetworkUnreachable: 'ENETUNREACH',
  HostUnreachable: 'EHOSTUNREACH',
  ConnectionRefused: 'ECONNREFUSED',
  TTLExpired: 'ETIMEDOUT',
  AddressNotSupported: 'EAFNOSUPPORT',
}
const REFUSALS: Readonly<Record<string, string>> = {
  Failure: 'failed to connect, for a reason of its own',
  NotAllowed: 'does not allow the connection',
  CommandNotSupported: 'makes no connections',
}

/** Errors of the library before the request. */
const BEFORE: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/Authentication failed/, 'refuses the user or the password'],
  [/no accepted authentication type|unknown authentication type/, 'demands another login'],
  [/invalid socks version/, 'does not speak SOCKS5'],
]

/**
 * Expects a socket that is connected to the proxy. It is paused afterwards, and input after the proxy's answers is
 * still unread. Throws ProxyFault, with the socket destroyed. `onAnswer` is called when the proxy answers for the first
 * time.
 */
export async function askSocks(
  socket: Socket,
  { host, port, user, password }: OutgoingProxy,
  { to }: ProxiedConnection,
  onAnswer: () => void,
): Promise<void> {
  let answered = false
  const asked = SocksClient.createConnection({
    command: 'connect',
    proxy: { host, port, type: 5, ...(user !== null && { userId: user, password: password ?? '' }) },
    // An address, never a name: the guard has checked the address.
    destination: { host: to.address, port: to.port },
    existing_socket: socket,
    timeout: LONGEST_MS,
  })
  socket.once('data', () => {
    answered = true
    onAnswer()
  })
  try {
    await asked
  } catch (error) {
    socket.destroy()
    // Only the message of the library's error is used, because the error itself holds the credentials.
    throw faultOf((error as Error).message, answered)
  }
  await keepRest(socket)
}

/**
 * Pauses the socket and puts the input back that came with the last answer. The library emits this input in its next
 * turn, and lets the socket flow.
 */
async function keepRest(socket: Socket): Promise<void> {
  const rest: Buffer[] = []
  const keep = (octets: Buffer) => rest.push(octets)
  socket.on('data', keep)
  await turn()
  socket.pause()
  socket.off('data', keep)
  if (rest.length > 0) socket.unshift(Buffer.concat(rest))
}

function faultOf(message: string, answered: boolean): ProxyFault {
  const reply = /proxy rejected connection - (\w+)/.exec(message)?.[1]
  if (reply !== undefined) {
    const code = OF_SERVER[reply]
    if (code === undefined) return new ProxyFault('refusal', REFUSALS[reply] ?? 'gave an unknown answer')
    return new ProxyFault('server', connectFault(code))
  }
  const known = BEFORE.find(([pattern]) => pattern.test(message))
  if (known !== undefined) return new ProxyFault('proxy', known[1])
  // OpenSSH closes the connection when it cannot connect.
  if (answered) return new ProxyFault('server', 'cannot be reached: the proxy closed the connection')
  return new ProxyFault('proxy', 'closed the connection')
}
