/** Queries and answers as octets (RFC 1035 4), by `dns-packet`. */
import { randomBytes, randomInt } from 'node:crypto'
import * as packet from 'dns-packet'
import { nameOf } from './name.ts'
import { type PacketData, READERS, type RecordData, type RecordType } from './record.ts'

export interface Query {
  octets: Buffer
  /** Where the question ends. */
  questionEnd: number
}

export type QuestionType = RecordType | 'SOA'

interface QueryOptions {
  /** EDNS(0) (RFC 6891). */
  edns: boolean
  /** Asks whether the answer is validated: the AD bit (RFC 6840 5.7), and DO for servers that set AD only then. */
  validated: boolean
}

const HEADER = 12
const NOERROR = 0
const NXDOMAIN = 3
/** Octets of an answer over UDP that no network has to cut into fragments (DNS flag day 2020). */
const PAYLOAD = 1232
const RD = 0x0100
const AD = 0x0020
const TC = 0x0200
const QR = 0x8000
/**
 * Larger answers are refused: over TCP a stranger can send 64 KiB, and no name that mail needs has a quarter of that.
 */
const MAX_OCTETS = 16 * 1024
/** The most records of an answer that are read: no name needs more, and any zone can have thousands. */
const MAX_RECORDS = 128

/** `name` is a valid name. An attacker who sees no query has to guess its ID, its port and the case of each letter. */
export function makeQuery(name: string, type: QuestionType, { edns, validated }: QueryOptions): Query {
  const opt = {
    type: 'OPT' as const,
    name: '.',
    udpPayloadSize: PAYLOAD,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: validated ? packet.DNSSEC_OK : 0,
    flag_do: validated,
    options: [],
  }
  const octets = packet.encode({
    type: 'query',
    id: randomInt(0x10000),
    flags: RD | (validated ? AD : 0),
    questions: [{ name: inRandomCase(name), type, class: 'IN' }],
    additionals: edns ? [opt] : [],
  })
  const labels = name === '' ? 0 : Buffer.byteLength(name) + 1
  return { octets, questionEnd: HEADER + labels + 1 + 4 }
}

/** draft-vixie-dnsext-dns0x20: servers copy the question, so its case is proof that they saw it. */
function inRandomCase(name: string): string {
  const coins = randomBytes(name.length)
  return name.replace(/[a-z]/g, (letter, at: number) => (coins[at]! & 1 ? letter.toUpperCase() : letter))
}

/**
 * `recased`: an answer whose question has its letters in another case. A server that changes the case is asked over
 * TCP.
 */
type ReplyMatch = 'exact' | 'recased' | 'other'

/**
 * Whether `reply` answers the query. A failure may come without the question (RFC 1035 4.1.1), but the answer that a
 * name does not exist may not: it ends mail, so a forger must have guessed the case of the letters too.
 */
export function matchReply({ octets, questionEnd }: Query, reply: Buffer): ReplyMatch {
  if (reply.length < HEADER || !reply.subarray(0, 2).equals(octets.subarray(0, 2))) return 'other'
  if ((reply.readUInt16BE(2) & QR) === 0) return 'other'
  if (reply.readUInt16BE(4) === 0) return isFailure(rcodeOf(reply)) ? 'exact' : 'other'
  const asked = octets.subarray(HEADER, questionEnd)
  const answered = reply.subarray(HEADER, questionEnd)
  if (answered.equals(asked)) return 'exact'
  const same = answered.toString('latin1').toLowerCase() === asked.toString('latin1').toLowerCase()
  return same ? 'recased' : 'other'
}

function isFailure(rcode: number): boolean {
  return rcode !== NOERROR && rcode !== NXDOMAIN
}

export function isTruncated(reply: Buffer): boolean {
  return (reply.readUInt16BE(2) & TC) !== 0
}

/** The AD bit. */
export function isMarkedValid(reply: Buffer): boolean {
  return (reply.readUInt16BE(2) & AD) !== 0
}

/** The lower four bits, which are all there is without EDNS. */
export function rcodeOf(reply: Buffer): number {
  return reply.readUInt16BE(2) & 0x0f
}

interface ResourceRecord<Data> {
  name: string
  /** Seconds for which the record may be cached. */
  ttl: number
  data: Data
}

/** The records of the requested type. */
export interface DnsAnswer<Type extends RecordType = RecordType> {
  rcode: number
  /** The AD bit. */
  isValidated: boolean
  records: ResourceRecord<RecordData[Type]>[]
  /** CNAME records; none if CNAME is the type that was asked for. */
  aliases: ResourceRecord<string>[]
  /** The first SOA record of the authorities: its TTL and last field, in seconds. */
  soa: { ttl: number; minimum: number } | null
  /** Whether the authority section has NS records. */
  hasNameServers: boolean
}

/** Reads the first records. Throws for octets that are not a message. */
export function readAnswer<Type extends RecordType>(reply: Buffer, type: Type): DnsAnswer<Type> {
  if (reply.length > MAX_OCTETS || reply.readUInt16BE(4) > 1) throw new RangeError('Too much')
  const { answers = [], authorities = [], additionals = [] } = packet.decode(withFewRecords(reply))
  // `dns-packet` reads an address or a text beyond the end of the message, and returns what there is of it.
  if (packet.decode.bytes > reply.length) throw new RangeError('The message ends within a record')
  const opt = additionals.find((record) => record.type === 'OPT')
  const soa = authorities.find((record) => record.type === 'SOA')
  return {
    // RFC 6891 6.1.3: the upper eight bits.
    rcode: ((opt?.type === 'OPT' ? opt.extendedRcode : 0) << 4) | rcodeOf(reply),
    isValidated: isMarkedValid(reply),
    records: recordsOf(answers, type),
    aliases: type === 'CNAME' ? [] : recordsOf(answers, 'CNAME'),
    soa: soa?.type === 'SOA' ? { ttl: soa.ttl ?? 0, minimum: soa.data.minimum ?? 0 } : null,
    hasNameServers: authorities.some((record) => record.type === 'NS'),
  }
}

/** The message with lower record counts, at which the reader stops. */
function withFewRecords(reply: Buffer): Buffer {
  const counts = [6, 8, 10].map((at) => reply.readUInt16BE(at))
  if (counts.reduce((sum, count) => sum + count) <= MAX_RECORDS) return reply
  const message = Buffer.from(reply)
  let room = MAX_RECORDS
  for (const [section, count] of counts.entries()) {
    message.writeUInt16BE(Math.min(count, room), 6 + 2 * section)
    // A section begins where the one before it ends.
    room = count > room ? 0 : room - count
  }
  return message
}

function recordsOf<Type extends RecordType>(
  answers: packet.Answer[],
  type: Type,
): ResourceRecord<RecordData[Type]>[] {
  return answers.flatMap((record) => {
    if (record.type !== type || !('class' in record) || record.class !== 'IN') return []
    const {
      name,
      ttl = 0,
      data,
    } = record as unknown as { name: string; ttl?: number; data: PacketData[Type] }
    return { name: nameOf(name), ttl, data: READERS[type](data) }
  })
}
