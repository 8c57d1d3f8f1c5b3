/** The data of each type of record that is asked for (RFC 1035 3.3, RFC 3596 2.2, RFC 6698 2.1). */
import ipaddr from 'ipaddr.js'
import { nameAt } from './name.ts'

export interface MxRecord {
  /** Lower-case host name without a final dot; `''` is the root, as in a null MX (RFC 7505). */
  exchange: string
  preference: number
}

/** RFC 6698 2.1. */
export interface TlsaRecord {
  usage: number
  selector: number
  matchingType: number
  data: Buffer
}

export interface RecordData {
  A: string
  AAAA: string
  CNAME: string
  MX: MxRecord
  NS: string
  PTR: string
  TLSA: TlsaRecord
  /** The strings of a record, joined, as for SPF and DKIM (RFC 7208 3.3, RFC 6376 3.6.2.2). */
  TXT: string
}

export type RecordType = keyof RecordData

export const TYPE_NUMBERS: Readonly<Record<RecordType | 'SOA' | 'OPT', number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  OPT: 41,
  TLSA: 52,
}

/**
 * Each reads the data from an offset to the end of `message`, which is cut off there. Throws for data of no such
 * record.
 */
export const READERS: { readonly [Type in RecordType]: (message: Buffer, at: number) => RecordData[Type] } = {
  A: (message, at) => addressOf(message.subarray(at), 4),
  AAAA: (message, at) => addressOf(message.subarray(at), 16),
  CNAME: nameAt,
  MX: (message, at) => ({ exchange: nameAt(message, at + 2), preference: message.readUInt16BE(at) }),
  NS: nameAt,
  PTR: nameAt,
  TLSA: (message, at) => ({
    usage: message.readUInt8(at),
    selector: message.readUInt8(at + 1),
    matchingType: message.readUInt8(at + 2),
    data: Buffer.from(message.subarray(at + 3)),
  }),
  TXT: textOf,
}

function addressOf(octets: Buffer, length: 4 | 16): string {
  if (octets.length !== length) throw new RangeError('An address of another length')
  return length === 4 ? octets.join('.') : ipaddr.fromByteArray([...octets]).toString()
}

/** Octets that are not ASCII stay one character each. A string may have one octet, so each is copied by hand. */
function textOf(message: Buffer, offset: number): string {
  const text = Buffer.alloc(message.length - offset)
  let length = 0
  for (let at = offset; at < message.length; ) {
    const end = at + 1 + message[at]!
    if (end > message.length) throw new RangeError('A string that is too long')
    for (at++; at < end; at++) text[length++] = message[at]!
  }
  return text.toString('latin1', 0, length)
}
