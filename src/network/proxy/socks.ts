/** Asks a SOCKS5 proxy (RFC 1928, RFC 1929) for a connection. */
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { SocksClient } from 'socks'
import { CONNECT_FAULTS } from '../connect-fault.ts'
import { ProxyFault } from './fault.ts'
import type { OutgoingProxy, ProxiedConnection } from './proxy.ts'

/** Milliseconds after which the library gives up. The caller's time is over before. */
const LONGEST_MS = 120_000

/** Replies about the server (RFC 1928 6), by the names that the library gives them, as errors of a socket. */
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
 * `socket` is connected to the proxy. At the end it is paused, with everything that came behind the proxy's answers
 * still to be read. Throws ProxyFault, with the socket destroyed. `onAnswer` is called when the proxy answers for the
 * first time.
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
    // Never a name: the address was looked up and judged here.
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
    // The error of the library holds the credentials, so its message alone goes further.
    throw faultOf((error as Error).message, answered)
  }
  await keepRest(socket)
}

/** In its next turn the library emits what came with the last answer, and lets the socket flow. */
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
    return new ProxyFault('server', CONNECT_FAULTS[code] ?? `cannot be reached: ${code}`, code)
  }
  const known = BEFORE.find(([pattern]) => pattern.test(message))
  if (known !== undefined) return new ProxyFault('proxy', known[1])
  // OpenSSH closes the connection when it cannot connect.
  if (answered) return new ProxyFault('server', 'cannot be reached: the proxy closed the connection')
  return new ProxyFault('proxy', 'closed the connection')
}
