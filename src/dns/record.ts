/** The data of each type of record that is asked for (RFC 1035 3.3, RFC 3596 2.2, RFC 6698 2.1). */
import type { MxData, TlsaData, TxtData } from 'dns-packet'
import { nameOf } from './name.ts'

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

/** The data as `dns-packet` decodes it. */
export interface PacketData {
  A: string
  AAAA: string
  CNAME: string
  MX: MxData
  NS: string
  PTR: string
  TLSA: TlsaData
  TXT: TxtData
}

export const READERS: { readonly [Type in RecordType]: (data: PacketData[Type]) => RecordData[Type] } = {
  A: (address) => address,
  AAAA: (address) => address,
  CNAME: nameOf,
  MX: ({ exchange, preference = 0 }) => ({ exchange: nameOf(exchange), preference }),
  NS: nameOf,
  PTR: nameOf,
  TLSA: ({ usage, selector, matchingType, certificate }) => ({
    usage,
    selector,
    matchingType,
    data: Buffer.from(certificate),
  }),
  TXT: textOf,
}

/** Octets that are not ASCII stay one character each. */
function textOf(data: TxtData): string {
  const strings = Array.isArray(data) ? data : [data]
  return strings.map((string) => (typeof string === 'string' ? string : string.toString('latin1'))).join('')
}
