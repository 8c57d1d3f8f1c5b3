/** Reads a mail that came in: its report, and the facts that find and prove its email. Pure. */
import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { AddressError, parseAddressList } from '../mail/address/address.ts'
import { domainOf } from '../mail/address/address-domain.ts'
import { decodeText } from '../mail/raw/decode.ts'
import { fieldValue, type RawField, readParameters } from '../mail/raw/header.ts'
import { type OpenReport, openReport } from '../mail/report/open-report.ts'
import { readOpened } from '../mail/report/read-report.ts'
import type { MailReport } from '../mail/report/report.ts'
import { signedFields } from './signed-mail.ts'

export interface ReadMail {
  report: MailReport
  /** From and Subject, as people read them. */
  from: string
  subject: string
  /** The address of From; '' if it has none, or several. */
  author: string
  /** Distinguishes reports with the same words: the Message-ID, or the date. */
  label: string
  /** The same for the same mail, whichever way it came. */
  digest: string
  /** Addresses that it was sent to, by its header. */
  addressees: string[]
  /**
   * The clients that servers on the way got it from, by Received: addresses, or a name where a field has no address.
   */
  clients: string[]
  /** Its signatures (RFC 6376 3.5), if they can prove all that the report was read from. */
  signatures: DkimReference[]
  /** Lower-case names of the fields that they have to cover. */
  covering: string[]
}

/** The names of a DKIM key. */
export interface DkimReference {
  domain: string
  selector: string
  /** The domain that it signs for (i=): `domain`, or one below it. */
  signedFor: string
}

/** Characters of From and Subject that are kept. */
const MAX_TEXT = 500
const MAX_ADDRESSEES = 20
/** The newest fields are the first, and servers give up a mail with a hundred (RFC 5321 6.3). */
const MAX_RECEIVED = 100
/** Characters of a Received field that are read. */
const MAX_OF_RECEIVED = 1_000
/** The most signatures: mail that passed several servers has some, and mail with more is not verified. */
const MAX_SIGNATURES = 10

/** Fields with the envelope recipient, as servers on the way write them; and To, which return paths may be in. */
const ADDRESSEES = new Set(['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'to'])
/** Fields that are the same however a mail came here. */
const LASTING = new Set(['message-id', 'date', 'from', 'subject', 'content-type'])

/** A mail that could not be read: it took a worker down. */
export function unreadable(raw: Uint8Array): ReadMail {
  const returned = { messageId: null, feedbackId: null, from: null, envelopeId: null, mailFrom: null }
  return {
    report: { kind: 'none', recipients: [], returned },
    from: '',
    subject: '',
    author: '',
    label: '',
    addressees: [],
    clients: [],
    signatures: [],
    covering: [],
    digest: hash('sha256', raw),
  }
}

export function readMail(raw: Uint8Array): ReadMail {
  const open = openReport(raw)
  const { octets, fields, bodyStart } = open.arrived
  const body = octets.subarray(bodyStart)
  const value = (name: string) => fieldValue(fields, name)
  return {
    report: readOpened(open),
    from: decodeText(value('from').slice(0, 2 * MAX_TEXT)).slice(0, MAX_TEXT),
    subject: decodeText(value('subject').slice(0, 2 * MAX_TEXT)).slice(0, MAX_TEXT),
    author: authorOf(fields),
    label: (value('message-id') || value('date')).slice(0, MAX_TEXT),
    digest: digestOf(fields, body),
    addressees: addresseesOf(fields),
    clients: clientsOf(fields),
    ...signaturesOf(open.arrived),
  }
}

function digestOf(fields: readonly RawField[], body: Buffer): string {
  const lasting = fields.filter(({ lower }) => LASTING.has(lower))
  const header = lasting.map(({ lower, value }) => `${lower}:${value}\n`).join('')
  // Some servers add an empty line at the end.
  let end = body.length
  while (end > 0 && (body[end - 1] === 0x0d || body[end - 1] === 0x0a)) end--
  return hash('sha256', Buffer.concat([Buffer.from(header), body.subarray(0, end)]))
}

function addresseesOf(fields: readonly RawField[]): string[] {
  const found = fields.filter(({ lower }) => ADDRESSEES.has(lower)).map(({ value }) => addressesIn(value))
  return [...new Set(found.flat())].slice(0, MAX_ADDRESSEES)
}

function clientsOf(fields: readonly RawField[]): string[] {
  const received = fields.filter(({ lower }) => lower === 'received').slice(0, MAX_RECEIVED)
  return received.flatMap(({ value }) => clientIn(value.slice(0, MAX_OF_RECEIVED)))
}

/**
 * RFC 5321 4.4: the client says the first name, and the server adds the address. Some servers write it without
 * brackets.
 */
function clientIn(received: string): string[] {
  const [, from = ''] = /^\s*from\s+(.*?)(?:\sby\s|$)/is.exec(received) ?? []
  const addresses = from
    .replace(/IPv6:/gi, ' ')
    .split(/[^0-9a-f:.]+/i)
    .filter((word) => isIP(word) !== 0)
  if (addresses.length > 0) return addresses
  const [name = ''] = from.split(/[\s(;]/)
  return name === '' ? [] : [name.toLowerCase()]
}

function authorOf(fields: readonly RawField[]): string {
  const [from, ...others] = fields
    .filter(({ lower }) => lower === 'from')
    .map(({ value }) => addressesIn(value))
  return others.length === 0 && from?.length === 1 ? from[0]! : ''
}

function addressesIn(text: string): string[] {
  if (text.length > 4_000) return []
  try {
    return parseAddressList(text, MAX_ADDRESSEES).map(({ address }) => address)
  } catch (error) {
    if (error instanceof AddressError) return []
    throw error
  }
}

/**
 * None if one of them has l= (RFC 6376 8.2): anybody can append a report to such a mail. And none if the mail may have
 * got another Content-Type, because another boundary makes a report of any part of the returned email. The signature
 * has to cover From (RFC 6376 5.4), which says that a mail system wrote the report.
 */
function signaturesOf({
  octets,
  fields,
  bodyStart,
}: OpenReport['arrived']): Pick<ReadMail, 'signatures' | 'covering'> {
  const none = { signatures: [], covering: [] }
  const types = fields.filter(({ lower }) => lower === 'content-type')
  const signed = fields.filter(({ lower }) => lower === 'dkim-signature').slice(0, MAX_SIGNATURES + 1)
  if (
    signed.length === 0 ||
    signed.length > MAX_SIGNATURES ||
    types.length > 1 ||
    signedFields(octets) === null
  )
    return none
  const signatures = signed.map(({ value }) => readParameters(`x;${value.replace(/\s+/g, '')}`).parameters)
  if (signatures.some((parameters) => parameters.has('l'))) return none
  const asWritten = beginsAs(types[0]?.value ?? '', octets.subarray(bodyStart))
  const covering = asWritten ? ['from'] : ['from', 'content-type']
  const read = signatures.map((parameters) => {
    const tag = (name: string) => parameters.get(name)?.toLowerCase() ?? ''
    const covered = tag('h').split(':')
    const reference = { domain: tag('d'), selector: tag('s'), signedFor: domainOf(tag('i') || tag('d')) }
    return { reference, fits: covering.every((name) => covered.includes(name)) }
  })
  // The verifier tells only the domains that signed, so one unfit signature rules out all of its domain.
  const unfit = new Set(read.filter(({ fits }) => !fits).map(({ reference }) => reference.domain))
  const references = read.map(({ reference }) => reference)
  return {
    signatures: references.filter(({ domain, selector }) => domain && selector && !unfit.has(domain)),
    covering,
  }
}

/**
 * Whether the body itself shows that the Content-Type, which Google and Yahoo do not sign, is the original one: it
 * begins with the delimiter, or with plain text.
 */
function beginsAs(contentType: string, body: Buffer): boolean {
  const { value: type, parameters } = readParameters(contentType || 'text/plain')
  const start = body.toString('latin1', 0, 500).trimStart()
  if (type === 'text/plain') return !start.startsWith('--')
  const delimiter = `--${parameters.get('boundary') ?? ''}`
  const isDelimited = start.startsWith(delimiter) && /^\s/.test(start.slice(delimiter.length))
  return type.startsWith('multipart/') && delimiter !== '--' && isDelimited
}
