/** Asks a time server (SNTP, RFC 4330). */
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'

const PATIENCE_MS = 4_000
/** Seconds from 1900 to 1970. */
const ERA = 2_208_988_800

/** How many ms the time server is ahead of this machine; null: it does not answer. */
export async function askTime(address: string, port: number): Promise<number | null> {
  const packet = Buffer.alloc(48)
  // RFC 4330 4: version 4, mode client.
  packet[0] = (4 << 3) | 3
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const late = setTimeout(() => resolve(null), PATIENCE_MS)
  let sentAt = 0
  socket.on('error', () => resolve(null))
  socket.on('message', (answer) => {
    const receivedAt = Date.now()
    // RFC 4330 5: mode server, a known stratum, and the timestamp that was sent.
    if (answer.length < 48 || (answer[0]! & 7) !== 4 || answer[1] === 0 || answer[1]! > 15) return
    if (!answer.subarray(24, 32).equals(packet.subarray(40, 48))) return
    const there = (timeAt(answer, 32) - sentAt + (timeAt(answer, 40) - receivedAt)) / 2
    resolve(there)
  })
  // Node.js reports an address without a route only to this function, and emits no `error` for it.
  socket.connect(port, address, (error?: Error) => {
    if (error) return resolve(null)
    sentAt = Date.now()
    packet.writeUInt32BE((Math.floor(sentAt / 1_000) + ERA) % 2 ** 32, 40)
    packet.writeUInt32BE(Math.floor(((sentAt % 1_000) / 1_000) * 2 ** 32), 44)
    socket.send(packet)
  })
  try {
    return await promise
  } finally {
    clearTimeout(late)
    socket.close()
  }
}

/** Unix ms of a timestamp. RFC 4330 3: without its highest bit, it lies in the era that begins in 2036. */
function timeAt(packet: Buffer, offset: number): number {
  const seconds = packet.readUInt32BE(offset)
  const era = seconds < 2 ** 31 ? 2 ** 32 : 0
  return (seconds + era - ERA) * 1_000 + (packet.readUInt32BE(offset + 4) / 2 ** 32) * 1_000
}
