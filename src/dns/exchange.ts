/** One query to one server: over UDP from a port of its own, and over TCP when the answer does not fit. */
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import { isTruncated, matchReply, type Query } from './message.ts'
import type { NameServer } from './name-server.ts'

/** The reason of an answer that cannot be read. */
export const BADRESP = 'BADRESP'

/**
 * No answer came, or none that can be read. `reason` is a word like those of DNS: TIMEOUT, ECONNREFUSED without its E,
 * ...
 */
export class NoReply extends Error {
  override name = 'NoReply'
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Rejects with NoReply. `timeout` in milliseconds counts for each transport. */
export async function exchange(server: NameServer, query: Query, timeout: number): Promise<Buffer> {
  const reply = await overUdp(server, query, timeout)
  return reply ?? (await overTcp(server, query, timeout))
}

/**
 * Null when the question has to be asked over TCP. The system chooses a random port for each socket, and passes on
 * nothing that comes from elsewhere (RFC 5452 9.2).
 */
function overUdp({ address, port }: NameServer, query: Query, timeout: number): Promise<Buffer | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | null>()
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  const timer = setTimeout(() => reject(new NoReply('TIMEOUT')), timeout)
  socket.on('error', (error) => reject(asNoReply(error)))
  socket.on('message', (reply) => {
    const match = matchReply(query, reply)
    // A reply that does not match may be a forgery, so the true one is still waited for.
    if (match !== 'other') resolve(match === 'recased' || isTruncated(reply) ? null : reply)
  })
  // Node.js reports an address without a route only to this function, and emits no `error` for it.
  socket.connect(port, address, (error?: Error) => {
    if (error) return reject(asNoReply(error))
    socket.send(query.octets, (failure) => {
      if (failure) reject(asNoReply(failure))
    })
  })
  return promise.finally(() => {
    clearTimeout(timer)
    socket.close()
  })
}

/** RFC 7766: each message is preceded by its length. Only somebody who sees the connection can answer. */
function overTcp({ address, port }: NameServer, query: Query, timeout: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const socket = connect({ host: address, port })
  const timer = setTimeout(() => reject(new NoReply('TIMEOUT')), timeout)
  const arrived: Buffer[] = []
  let octets = 0
  socket.on('error', (error) => reject(asNoReply(error)))
  socket.on('close', () => reject(new NoReply('EOF')))
  socket.on('data', (piece) => {
    arrived.push(piece)
    octets += piece.length
    if (octets < 2) return
    const all = Buffer.concat(arrived)
    const length = all.readUInt16BE(0)
    arrived.splice(0, arrived.length, all)
    if (octets < 2 + length) return
    const reply = all.subarray(2, 2 + length)
    if (matchReply(query, reply) === 'other') reject(new NoReply(BADRESP))
    else resolve(reply)
  })
  const prefix = Buffer.alloc(2)
  prefix.writeUInt16BE(query.octets.length)
  socket.write(Buffer.concat([prefix, query.octets]))
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

function asNoReply(error: NodeJS.ErrnoException): NoReply {
  return new NoReply((error.code ?? 'EIO').replace(/^E/, ''))
}
