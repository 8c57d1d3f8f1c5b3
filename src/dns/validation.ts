/** Asks whether a resolver validates its answers. c-ares does not report the bit that says so. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { getServers } from 'node:dns'
import { isIPv6 } from 'node:net'

/** Ms. */
const PATIENCE_MS = 3_000
const TRIES = 2
const PORT = 53

/** The given servers, or those of the system. */
export function configuredServers(servers: readonly string[]): readonly string[] {
  return servers.length > 0 ? servers : getServers()
}

/**
 * Asks for the SOA record of the root, which is signed. `server`: `ip` or `ip:port` (`[v6]:port`). Null: there was no
 * answer.
 */
export async function validates(server: string): Promise<boolean | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    const flags = await askRoot(server)
    // RFC 6840 5.7: AD in a query asks for AD in the answer.
    if (flags !== null) return (flags & AD) !== 0
  }
  return null
}

/** RFC 1035 4.1.1, RFC 4035 3.2.3. */
const QR = 0x8000
const RD = 0x0100
const AD = 0x0020

/** The flags of the answer; null: there was none. */
async function askRoot(server: string): Promise<number | null> {
  const { address, port } = placeOf(server)
  const id = randomInt(0x10000)
  const query = Buffer.alloc(17)
  query.writeUInt16BE(id, 0)
  query.writeUInt16BE(RD | AD, 2)
  query.writeUInt16BE(1, 4)
  // The root is the empty name; then type SOA and class IN.
  query.writeUInt16BE(6, 13)
  query.writeUInt16BE(1, 15)
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const late = setTimeout(() => resolve(null), PATIENCE_MS)
  socket.on('error', () => resolve(null))
  socket.on('message', (answer) => {
    if (answer.length < 12 || answer.readUInt16BE(0) !== id) return
    const flags = answer.readUInt16BE(2)
    if ((flags & QR) !== 0) resolve(flags)
  })
  // A connected socket takes answers of this server only, and hears that nobody listens there.
  socket.connect(port, address, () => socket.send(query))
  try {
    return await promise
  } finally {
    clearTimeout(late)
    socket.close()
  }
}

function placeOf(server: string): { address: string; port: number } {
  const [, six, four, port] = /^(?:\[(.+)\]|([\d.]+)):(\d+)$/.exec(server) ?? []
  return {
    address: six ?? four ?? server.replace(/^\[|\]$/g, ''),
    port: port === undefined ? PORT : Number(port),
  }
}
