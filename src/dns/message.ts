/** Queries and answers as octets (RFC 1035 4). */
import { randomBytes, randomInt } from 'node:crypto'
import { encodedName, nameAt, nameEnd } from './name.ts'
import { READERS, type RecordData, type RecordType, TYPE_NUMBERS } from './record.ts'

export interface Query {
  octets: Buffer
  /** Where the question ends. */
  questionEnd: number
}

export interface QueryOptions {
  /** EDNS(0) (RFC 6891). */
  edns: boolean
  /** Asks whether the answer is validated: the AD bit (RFC 6840 5.7), and DO for servers that tell nobody else. */
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
/** The flag DO of an OPT record (RFC 3225 3), with the extended RCODE and the version before it. */
const DO = 0x8000
const IN = 1
/** Octets between the name and the data of a record. */
const FIXED = 10
/**
 * Records of an answer that are used, of the type that was asked for and of aliases each: no name needs more, and any
 * zone can have thousands.
 */
const MOST_RECORDS = 100

/** `name` is a valid name. An attacker who sees no query has to guess its ID, its port and the case of each letter. */
export function makeQuery(name: string, type: RecordType | 'SOA', { edns, validated }: QueryOptions): Query {
  const header = Buffer.alloc(HEADER)
  header.writeUInt16BE(randomInt(0x10000), 0)
  header.writeUInt16BE(RD | (validated ? AD : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(edns ? 1 : 0, 10)
  const ends = Buffer.alloc(4)
  ends.writeUInt16BE(TYPE_NUMBERS[type], 0)
  ends.writeUInt16BE(IN, 2)
  const question = Buffer.concat([header, encodedName(inRandomCase(name)), ends])
  const octets = edns ? Buffer.concat([question, optRecord(validated)]) : question
  return { octets, questionEnd: question.length }
}

/** RFC 6891 6.1.2: of the root, without options. */
function optRecord(validated: boolean): Buffer {
  const record = Buffer.alloc(1 + FIXED)
  record.writeUInt16BE(TYPE_NUMBERS.OPT, 1)
  record.writeUInt16BE(PAYLOAD, 3)
  record.writeUInt32BE(validated ? DO : 0, 5)
  return record
}

/** draft-vixie-dnsext-dns0x20: servers copy the question, so its case is proof that they saw it. */
function inRandomCase(name: string): string {
  const coins = randomBytes(name.length)
  return name.replace(/[a-z]/g, (letter, at: number) => (coins[at]! & 1 ? letter.toUpperCase() : letter))
}

/** `recased`: the answer to the question in other letters. A server that changes them is asked over TCP. */
type ReplyMatch = 'exact' | 'recased' | 'other'

/**
 * Whether `reply` answers the query. A failure may come without the question (RFC 1035 4.1.1), but
 * never the word that a name does not exist: it ends mail, so a forger must have guessed the letters as well.
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

interface DnsRecord<Data> {
  name: string
  /** In seconds. */
  ttl: number
  data: Data
}

/** Of the type that was asked for. */
export interface DnsAnswer<Type extends RecordType = RecordType> {
  rcode: number
  /** The AD bit. */
  isValidated: boolean
  records: DnsRecord<RecordData[Type]>[]
  /** CNAME records, unless they are what was asked for. */
  aliases: DnsRecord<string>[]
  /** The first SOA record of the authorities: its TTL and last field, in seconds. */
  soa: { ttl: number; minimum: number } | null
  /** Among the authorities are name servers. */
  namesServers: boolean
}

/**
 * Reads the records that a look-up uses, and skips all others: an answer may have 64 KiB of a stranger's octets. Throws
 * for octets that are not a message.
 */
export function readAnswer<Type extends RecordType>(reply: Buffer, type: Type): DnsAnswer<Type> {
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((at) => reply.readUInt16BE(at))
  const answer: DnsAnswer<Type> = {
    rcode: rcodeOf(reply),
    isValidated: isMarkedValid(reply),
    records: [],
    aliases: [],
    soa: null,
    namesServers: false,
  }
  let at = HEADER
  for (let count = questions!; count > 0; count--) at = nameEnd(reply, at) + 4
  for (let count = answers!; count > 0; count--) {
    const found = recordAt(reply, at)
    if (found.type === TYPE_NUMBERS[type]) keep(answer.records, found, READERS[type])
    else if (found.type === TYPE_NUMBERS.CNAME) keep(answer.aliases, found, READERS.CNAME)
    at = found.end
  }
  for (let count = authorities!; count > 0; count--) {
    const found = recordAt(reply, at)
    if (found.class === IN && found.type === TYPE_NUMBERS.NS) answer.namesServers = true
    // RFC 1035 3.3.13: behind two names.
    if (found.class === IN && found.type === TYPE_NUMBERS.SOA) {
      answer.soa ??= { ttl: found.ttl, minimum: reply.readUInt32BE(found.end - 4) }
    }
    at = found.end
  }
  let opt: FoundRecord | null = null
  for (let count = additionals!; count > 0; count--) {
    const found = recordAt(reply, at)
    if (found.type === TYPE_NUMBERS.OPT) opt ??= found
    at = found.end
  }
  // RFC 6891 6.1.3: the upper eight bits are where other records have their TTL.
  if (opt !== null) answer.rcode |= (opt.ttl >>> 24) << 4
  return answer
}

interface FoundRecord {
  message: Buffer
  start: number
  type: number
  class: number
  ttl: number
  dataStart: number
  end: number
}

function recordAt(message: Buffer, start: number): FoundRecord {
  const at = nameEnd(message, start)
  const dataStart = at + FIXED
  const end = dataStart + message.readUInt16BE(at + 8)
  if (end > message.length) throw new RangeError('A record without an end')
  const [type, its] = [message.readUInt16BE(at), message.readUInt16BE(at + 2)]
  return { message, start, type, class: its, ttl: message.readUInt32BE(at + 4), dataStart, end }
}

function keep<Data>(
  kept: DnsRecord<Data>[],
  { message, start, class: its, ttl, dataStart, end }: FoundRecord,
  read: (message: Buffer, at: number) => Data,
): void {
  if (its !== IN || kept.length >= MOST_RECORDS) return
  kept.push({ name: nameAt(message, start), ttl, data: read(message.subarray(0, end), dataStart) })
}
