/** A small DNS server on a loopback port, UDP and TCP, with the answers that a test gives it. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server as TcpServer } from 'node:net'
import type { PrintedRecord } from './verify-dkim.ts'

export type RecordType = 'A' | 'AAAA' | 'MX' | 'NS' | 'TXT' | 'CNAME' | 'PTR' | 'TLSA'
const TYPE_NUMBERS: Record<RecordType, number> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  TLSA: 52,
}
const NS = 2
const SOA = 6
const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 }

export type Answer =
  /**
   * Values as in a zone file: `10 mx.x.test` (MX), `192.0.2.1` (A), text (TXT), a name (CNAME, NS), `3 1 1 <hex>` (TLSA).
   * `secure`: with the AD bit, as a validating resolver answers.
   */
  | { values: string[]; ttl?: number; cname?: string; secure?: true }
  /** No records of this type, and a SOA record with this TTL (RFC 2308). */
  | { absentFor: number }
  /** Only the name server of another zone, as from a server that answers no recursive questions (RFC 1034 4.3.2). */
  | { referral: string }
  | { rcode: keyof typeof RCODES }
  /** No answer. */
  | { silent: true }
  /** TC over UDP, the values over TCP only (RFC 7766 5). */
  | { truncated: string[]; ttl?: number }
  /** Octets after the question, over TCP only, because there may be many. `counts`: those of the three sections of records. */
  | { octets: Buffer; counts: [answers: number, authorities: number, additionals: number] }

/**
 * Zone data: `name/TYPE` to an answer or to plain values. A name with no entry is NXDOMAIN; one with others is NODATA. A
 * plain CNAME is followed, as a resolver does.
 */
export type Zone = Record<string, Answer | string[]>

export interface FakeDns {
  /** `127.0.0.1:<port>`, as `POSTROAD_DNS_SERVERS` takes it. */
  address: string
  zone: Zone
  /** Every question so far: `udp name/TYPE`. */
  queries: string[]
  /** The same with the case of the letters and the port of the client: `udp nAmE 50123`. */
  heard: string[]
  /** True: copies questions in lower case. */
  lowersCase: boolean
  /** True: answers have no question. */
  omitsQuestion: boolean
  /** True: answers FORMERR to a query with EDNS (RFC 6891 7). */
  knowsNoEdns: boolean
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
  if (type === 'CNAME' || type === 'NS' || type === 'PTR') return encodeName(value)
  if (type === 'MX') {
    const [preference = '0', host = ''] = value.split(' ')
    const head = Buffer.alloc(2)
    head.writeUInt16BE(Number(preference))
    return Buffer.concat([head, encodeName(host)])
  }
  if (type === 'TLSA') {
    const [usage, selector, matching, hex = ''] = value.split(' ')
    return Buffer.concat([
      Buffer.from([Number(usage), Number(selector), Number(matching)]),
      Buffer.from(hex, 'hex'),
    ])
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
  return encodeOctets(name, TYPE_NUMBERS[type], ttl, encodeData(type, value))
}

function encodeSoa(seconds: number): Buffer {
  const numbers = Buffer.alloc(20)
  numbers.writeUInt32BE(seconds, 16)
  return encodeOctets(
    'test',
    SOA,
    seconds,
    Buffer.concat([encodeName('ns.test'), encodeName('h.test'), numbers]),
  )
}

function encodeOctets(name: string, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}

interface Question {
  /** The question as it was received. */
  written: string
  name: string
  type: RecordType | null
  /** The offset of the end of the question. */
  end: number
}

function readQuestion(query: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const number = query.readUInt16BE(at + 1)
  const type = (Object.keys(TYPE_NUMBERS) as RecordType[]).find((t) => TYPE_NUMBERS[t] === number) ?? null
  const written = labels.join('.')
  return { written, name: written.toLowerCase(), type, end: at + 5 }
}

interface Sections {
  rcode: number
  truncated: boolean
  secure: boolean
  answers: Buffer[]
  authorities: Buffer[]
  raw?: Extract<Answer, { octets: Buffer }>
}

/** Null: no answer. */
function answerOf(zone: Zone, { name, type }: Question, transport: 'udp' | 'tcp'): Sections | null {
  const entry = type === null ? undefined : zone[`${name}/${type}`]
  const answer: Answer | undefined = Array.isArray(entry) ? { values: entry } : entry
  const sections: Sections = { rcode: 0, truncated: false, secure: false, answers: [], authorities: [] }
  const alias = zone[`${name}/CNAME`]
  if (answer === undefined && Array.isArray(alias)) {
    const [end = ''] = alias
    const rest = answerOf(zone, { written: end, name: end, type, end: 0 }, transport)
    const link = encodeRecord(name, 'CNAME', 300, end)
    return rest && { ...rest, answers: [link, ...rest.answers] }
  }
  if (answer === undefined) {
    const exists = Object.keys(zone).some((key) => key.startsWith(`${name}/`))
    return { ...sections, rcode: exists ? RCODES.NOERROR : RCODES.NXDOMAIN }
  }
  if ('silent' in answer) return null
  if ('rcode' in answer) return { ...sections, rcode: RCODES[answer.rcode] }
  if ('absentFor' in answer) return { ...sections, authorities: [encodeSoa(answer.absentFor)] }
  if ('referral' in answer) {
    return { ...sections, authorities: [encodeOctets('test', NS, 300, encodeName(answer.referral))] }
  }
  if (('truncated' in answer || 'octets' in answer) && transport === 'udp') {
    return { ...sections, truncated: true }
  }
  if ('octets' in answer) return { ...sections, raw: answer }
  const {
    values,
    ttl = 300,
    cname,
    secure = false,
  } = 'truncated' in answer
    ? ({ ...answer, values: answer.truncated } as Extract<Answer, { values: string[] }>)
    : answer
  const answers = values.map((value) => encodeRecord(cname ?? name, type!, ttl, value))
  if (cname !== undefined) answers.unshift(encodeRecord(name, 'CNAME', ttl, cname))
  return { ...sections, secure, answers }
}

function respond(server: FakeDns, query: Buffer, transport: 'udp' | 'tcp', port: number): Buffer | null {
  const question = readQuestion(query)
  server.queries.push(`${transport} ${question.name}/${question.type}`)
  server.heard.push(`${transport} ${question.written} ${port}`)
  const hasEdns = query.readUInt16BE(10) > 0
  const sections: Sections | null =
    server.knowsNoEdns && hasEdns
      ? { rcode: RCODES.FORMERR, truncated: false, secure: false, answers: [], authorities: [] }
      : answerOf(server.zone, question, transport)
  if (sections === null) return null
  const { rcode, truncated, secure, answers, authorities, raw } = sections
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  // QR, RD, RA; TC, AD and RCODE (RFC 1035 4.1.1, RFC 6840 5.7).
  header.writeUInt16BE(0x8180 | (truncated ? 0x0200 : 0) | (secure ? 0x0020 : 0) | rcode, 2)
  header.writeUInt16BE(server.omitsQuestion ? 0 : 1, 4)
  header.writeUInt16BE(answers.length, 6)
  header.writeUInt16BE(authorities.length, 8)
  const asked = query.subarray(12, question.end)
  for (const [section, count] of raw?.counts.entries() ?? []) header.writeUInt16BE(count, 6 + 2 * section)
  const copied = server.lowersCase ? Buffer.from(asked.toString('latin1').toLowerCase(), 'latin1') : asked
  const questions = server.omitsQuestion ? [] : [copied]
  return Buffer.concat([header, ...questions, ...answers, ...authorities, raw?.octets ?? Buffer.alloc(0)])
}

/** What DNS answers once these records are published. */
export function zoneOf(records: readonly PrintedRecord[]): Zone {
  const zone: Record<string, string[]> = {}
  for (const { type, name, value, preference } of records) {
    zone[`${name}/${type}`] ??= []
    zone[`${name}/${type}`]!.push(type === 'MX' ? `${preference} ${value}` : value)
  }
  return zone
}

/** Starts on a free port of 127.0.0.1. `zone` may be changed while it runs. */
export async function startDns(zone: Zone): Promise<FakeDns> {
  const tcp: TcpServer = createServer((socket) => {
    let pending = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (data) => {
      pending = Buffer.concat([pending, data])
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        const length = pending.readUInt16BE(0)
        const reply = respond(server, pending.subarray(2, 2 + length), 'tcp', socket.remotePort ?? 0)
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
    const reply = respond(server, query, 'udp', from.port)
    if (reply !== null) udp.send(reply, from.port, from.address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  const server: FakeDns = {
    address: `127.0.0.1:${port}`,
    zone,
    queries: [],
    heard: [],
    lowersCase: false,
    omitsQuestion: false,
    knowsNoEdns: false,
    async close() {
      udp.close()
      tcp.close()
      await Promise.all([once(udp, 'close'), once(tcp, 'close')])
    },
  }
  return server
}
