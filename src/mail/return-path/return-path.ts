/**
 * Return paths: the addresses in MAIL FROM to which bounces come back (RFC 5321 3.6.3). Each names its email in a code
 * that only this installation can make, so a bounce that arrives there is about mail that was really sent.
 */
import { timingSafeEqual } from 'node:crypto'
import { Hmac } from '../hmac.ts'
import { UUID_OCTETS, uuidAt, uuidOctets } from '../uuid.ts'
import { base32, fromBase32 } from './base32.ts'

/** The purpose for which the secret of return paths is derived from the key of the installation. */
export const RETURN_PATHS = 'return paths'

/** Days for which a return path is accepted. Servers give up on a message after about five (RFC 5321 4.5.4.1). */
export const RETURN_PATH_DAYS = 60

interface TokenSubject {
  /** A UUID in lower case. */
  emailId: string
  /**
   * The index of the recipient within the email. Null: the email has only one, or several got it in one transaction,
   * and the report has to tell which of them it is about.
   */
  recipient: number | null
  /** Unix ms when the email was accepted; only its day counts. The same at every attempt. */
  at: number
}

export interface ReturnPath extends TokenSubject {
  /** The domain of all recipients of the transaction; null: they have several, or the recipient is named. */
  domain: string | null
}

/** A return path that was read. It has a mark of the domain: see `isForDomain`. */
export interface ReadReturnPath extends TokenSubject {
  domainMark: number | null
}

/** Secret octets that make and recognise the return paths of an installation; 32 or more, used for nothing else. */
export class ReturnPathKey {
  readonly hmac: Hmac

  constructor(secret: Uint8Array) {
    this.hmac = new Hmac(secret)
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** The first letter of the local part, which distinguishes return paths from other addresses of their host. */
const MARK = 'b'
/**
 * Octets: the id, the day since 1970, the recipient, which is 0 when none is named and counts from 1. If the highest
 * bit of the day is set, which no day before 2059 needs, the mark of a domain takes the place of the recipient.
 */
const ID = UUID_OCTETS
const HAS_DOMAIN = 0x8000
const CLAIM = ID + 2 + 2
const MAX_RECIPIENTS = 65_535
/**
 * Octets of the HMAC. 80 bits cannot be guessed over SMTP, and keep the local part at 49 octets: RFC 5321 4.5.3.1.1
 * allows 64, and forwarders add to it.
 */
const SIGNATURE = 10
const LOCAL_PART = new RegExp(`^${MARK}([a-z2-7]{${((CLAIM + SIGNATURE) * 8) / 5}})$`, 'i')

/**
 * The address for MAIL FROM.
 *
 * @param host the return-path host of the domain, as A-labels
 */
export function returnPath(key: ReturnPathKey, path: ReturnPath, host: string): string {
  return `${returnPathCode(key, path)}@${host}`
}

/**
 * The local part of a return path, which is also the ENVID of the transaction (RFC 3461 4.4). Letters and digits only,
 * and their case does not matter: servers on the way may change it.
 */
export function returnPathCode(key: ReturnPathKey, path: ReturnPath): string {
  const { emailId, recipient, domain, at } = path
  const octets = Buffer.allocUnsafe(CLAIM + SIGNATURE)
  uuidOctets(emailId).copy(octets)
  const day = Math.floor(at / DAY_MS)
  if (recipient === null && domain !== null) {
    octets.writeUInt16BE(day | HAS_DOMAIN, ID)
    octets.writeUInt16BE(markOf(key, emailId, domain), ID + 2)
  } else {
    octets.writeUInt16BE(day, ID)
    octets.writeUInt16BE(recipient === null || recipient >= MAX_RECIPIENTS ? 0 : recipient + 1, ID + 2)
  }
  signatureOf(key, octets).copy(octets, CLAIM)
  return `${MARK}${base32(octets)}`
}

/**
 * The email (and recipient) that a return path names, at whatever host. `forged`: not made with this key. `expired`: of
 * an email that is too old. Null: the address is not a return path.
 *
 * @param now Unix ms
 */
export function readReturnPath(
  key: ReturnPathKey,
  address: string,
  now: number,
): ReadReturnPath | 'forged' | 'expired' | null {
  return readReturnPathCode(key, address.slice(0, Math.max(address.lastIndexOf('@'), 0)), now)
}

/** The same for the local part alone. */
export function readReturnPathCode(
  key: ReturnPathKey,
  code: string,
  now: number,
): ReturnType<typeof readReturnPath> {
  const encoded = LOCAL_PART.exec(code)?.[1]
  if (encoded === undefined) return null
  const octets = fromBase32(encoded)
  if (octets === null || !timingSafeEqual(octets.subarray(CLAIM), signatureOf(key, octets))) return 'forged'
  const day = octets.readUInt16BE(ID)
  const at = (day & ~HAS_DOMAIN) * DAY_MS
  if (now >= at + (RETURN_PATH_DAYS + 1) * DAY_MS) return 'expired'
  const named = octets.readUInt16BE(ID + 2)
  const emailId = uuidAt(octets)
  if ((day & HAS_DOMAIN) !== 0) return { emailId, recipient: null, domainMark: named, at }
  return { emailId, recipient: named === 0 ? null : named - 1, domainMark: null, at }
}

/** Equal for return paths that name the same email and recipient or domain. */
export function returnPathId({ emailId, recipient, domainMark }: ReadReturnPath): string {
  return `${emailId} ${recipient ?? ''} ${domainMark ?? ''}`
}

/**
 * Whether a return path was made for a transaction with recipients of this domain. Without a mark it may have been for
 * any domain.
 */
export function isForDomain(
  key: ReturnPathKey,
  { emailId, domainMark }: Pick<ReadReturnPath, 'emailId' | 'domainMark'>,
  domain: string,
): boolean {
  return domainMark === null || domainMark === markOf(key, emailId, domain)
}

/** The mark of a domain differs for each email, so that nobody can look for a domain by the mark in another email. */
function markOf(key: ReturnPathKey, emailId: string, domain: string): number {
  const text = Buffer.from(`domain ${domain}`)
  return key.hmac.octets(Buffer.concat([uuidOctets(emailId), text])).readUInt16BE(0)
}

function signatureOf(key: ReturnPathKey, octets: Buffer): Buffer {
  return key.hmac.octets(octets.subarray(0, CLAIM)).subarray(0, SIGNATURE)
}
