/** A small authoritative-looking DNS server on a loopback port, UDP and TCP, whose answers the test writes down. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server as TcpServer } from 'node:net'

export type RecordType = 'A' | 'AAAA' | 'MX' | 'TXT' | 'CNAME' | 'PTR'
const TYPE_NUMBERS: Record<RecordType, number> = { A: 1, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28 }
const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 }

export type Answer =
  /** Values as in a zone file: `10 mx.x.test` (MX), `192.0.2.1` (A), text (TXT), a name (CNAME). */
  | { values: string[]; ttl?: number; cname?: string }
  | { rcode: keyof typeof RCODES }
  /** Says nothing at all. */
  | { silent: true }
  /** TC over UDP, the values over TCP only (RFC 7766 5). */
  | { truncated: string[] }

/** Zone data: `name/TYPE` to an answer or to plain values. A name with no entry is NXDOMAIN; one with others is NODATA. */
export type Zone = Record<string, Answer | string[]>

export interface FakeDns {
  /** `127.0.0.1:<port>`, as `POSTROAD_DNS_SERVERS` takes it. */
  address: string
  zone: Zone
  /** Every question so far: `udp name/TYPE`. */
  queries: string[]
  close(): Promise<void>
}

function encodeName(name: string): Buffer {
  const labels = name === '.' || name === '' ? [] : name.replace(/\.$/, '').split('.')
  const parts = labels.map((label) => {
    const bytes = Buffer.from(label, 'latin1')
    return Buffer.concat([Buffer.from([bytes.length]), bytes])
  })
  return Buffer.concat([...parts, Buffer.from([0])])
}

function encodeAddress6(address: string): Buffer {
  const [head = '', tail] = address.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const middle = tail === undefined ? [] : Array<string>(8 - front.length - back.length).fill('0')
  const bytes = Buffer.alloc(16)
  for (const [i, group] of [...front, ...middle, ...back].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), i * 2)
  }
  return bytes
}

function encodeData(type: RecordType, value: string): Buffer {
  if (type === 'A') return Buffer.from(value.split('.').map(Number))
  if (type === 'AAAA') return encodeAddress6(value)
  if (type === 'CNAME' || type === 'PTR') return encodeName(value)
  if (type === 'MX') {
    const [preference = '0', host = ''] = value.split(' ')
    const head = Buffer.alloc(2)
    head.writeUInt16BE(Number(preference))
    return Buffer.concat([head, encodeName(host)])
  }
  const text = Buffer.from(value)
  const strings: Buffer[] = []
  for (let at = 0; at < text.length; at += 255) {
    const piece = text.subarray(at, at + 255)
    strings.push(Buffer.from([piece.length]), piece)
  }
  return Buffer.concat(strings)
}

function encodeRecord(name: string, type: RecordType, ttl: number, value: string): Buffer {
  const data = encodeData(type, value)
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(TYPE_NUMBERS[type], 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}

function readQuestion(query: Buffer): { name: string; type: RecordType | null; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const number = query.readUInt16BE(at + 1)
  const type = (Object.keys(TYPE_NUMBERS) as RecordType[]).find((t) => TYPE_NUMBERS[t] === number) ?? null
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 }
}

function respond(zone: Zone, queries: string[], query: Buffer, transport: 'udp' | 'tcp'): Buffer | null {
  const { name, type, end } = readQuestion(query)
  queries.push(`${transport} ${name}/${type}`)
  const entry = type === null ? undefined : zone[`${name}/${type}`]
  const answer: Answer | undefined = Array.isArray(entry) ? { values: entry } : entry
  let rcode = RCODES.NOERROR
  let truncated = false
  const records: Buffer[] = []
  if (answer === undefined) {
    if (!Object.keys(zone).some((key) => key.startsWith(`${name}/`))) rcode = RCODES.NXDOMAIN
  } else if ('silent' in answer) return null
  else if ('rcode' in answer) rcode = RCODES[answer.rcode]
  else if ('truncated' in answer && transport === 'udp') truncated = true
  else if (type !== null) {
    const ttl = 'ttl' in answer ? (answer.ttl ?? 300) : 300
    const alias = 'cname' in answer ? answer.cname : undefined
    if (alias !== undefined) records.push(encodeRecord(name, 'CNAME', ttl, alias))
    const values = 'truncated' in answer ? answer.truncated : answer.values
    for (const value of values) records.push(encodeRecord(alias ?? name, type, ttl, value))
  }
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // QR, RD, RA; TC and RCODE (RFC 1035 4.1.1).
  header.writeUInt16BE(0x8180 | (truncated ? 0x0200 : 0) | rcode, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, query.subarray(12, end), ...records])
}

/** Starts on a free port of 127.0.0.1. `zone` may be changed while it runs. */
export async function startDns(zone: Zone): Promise<FakeDns> {
  const queries: string[] = []
  const tcp: TcpServer = createServer((socket) => {
    let pending = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (data) => {
      pending = Buffer.concat([pending, data])
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const length = pending.readUInt16BE(0)
        const reply = respond(server.zone, queries, pending.subarray(2, 2 + length), 'tcp')
        pending = pending.subarray(2 + length)
        if (reply === null) continue
        const prefix = Buffer.alloc(2)
        prefix.writeUInt16BE(reply.length)
        socket.write(Buffer.concat([prefix, reply]))
      }
    })
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const bound = tcp.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  const udp: UdpSocket = createSocket('udp4')
  udp.on('message', (query, from) => {
    const reply = respond(server.zone, queries, query, 'udp')
    if (reply !== null) udp.send(reply, from.port, from.address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  const server: FakeDns = {
    address: `127.0.0.1:${port}`,
    zone,
    queries,
    async close() {
      udp.close()
      tcp.close()
      await Promise.all([once(udp, 'close'), once(tcp, 'close')])
    },
  }
  return server
}
