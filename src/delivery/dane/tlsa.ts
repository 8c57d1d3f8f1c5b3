/** TLSA records (RFC 6698) as SMTP uses them (RFC 7672), and the certificates that they match. */
import { createHash, createPublicKey, hash, X509Certificate } from 'node:crypto'
import type { TlsaRecord } from '../../dns/record.ts'
import { isOneElement, publicKeyOf } from './certificate.ts'

/** The certificate usages that SMTP knows (RFC 7672 3.1). */
export const DANE_TA = 2
export const DANE_EE = 3

const CERTIFICATE = 0
const PUBLIC_KEY = 1
const FULL = 0
/** Matching types with their digest and its octets. */
const DIGESTS = [
  { matchingType: 1, algorithm: 'sha256', octets: 32 },
  { matchingType: 2, algorithm: 'sha512', octets: 64 },
]
/** Records that are compared; no host needs more. */
const MAX_RECORDS = 50
/** Octets of a whole certificate or key in a record. */
const LARGEST = 16 * 1_024

/**
 * The records by which a server can be proven. Those of other usages are unusable (RFC 7672 3.1.3), and so are those of
 * unknown types or wrong length. Beside a stronger digest of the same usage and selector the weaker one does not count
 * (RFC 7671 9).
 */
export function usableRecords(records: readonly TlsaRecord[]): TlsaRecord[] {
  const usable = records.slice(0, MAX_RECORDS).filter(isUsable)
  return usable.filter(
    (record) =>
      record.matchingType === FULL ||
      !usable.some(
        ({ usage, selector, matchingType }) =>
          usage === record.usage && selector === record.selector && matchingType > record.matchingType,
      ),
  )
}

function isUsable({ usage, selector, matchingType, data }: TlsaRecord): boolean {
  if (usage !== DANE_TA && usage !== DANE_EE) return false
  if (selector !== CERTIFICATE && selector !== PUBLIC_KEY) return false
  if (matchingType !== FULL) {
    return DIGESTS.some((digest) => digest.matchingType === matchingType && digest.octets === data.length)
  }
  // OpenSSL ignores octets behind a certificate or key, but no certificate would match them.
  if (data.length > LARGEST || !isOneElement(data)) return false
  try {
    if (selector === PUBLIC_KEY) createPublicKey({ key: data, format: 'der', type: 'spki' })
    else new X509Certificate(data)
    return true
  } catch {
    return false
  }
}

/** Whether a record names this certificate, in DER. */
export function matchesCertificate(
  { selector, matchingType, data }: TlsaRecord,
  certificate: Buffer,
): boolean {
  const selected = selector === CERTIFICATE ? certificate : publicKeyOf(certificate)
  if (selected === null) return false
  const digest = DIGESTS.find((each) => each.matchingType === matchingType)
  return (digest === undefined ? selected : createHash(digest.algorithm).update(selected).digest()).equals(
    data,
  )
}

/** The authority's certificate, if the record is one itself. */
export function authorityIn({ usage, selector, matchingType, data }: TlsaRecord): Buffer | null {
  return usage === DANE_TA && selector === CERTIFICATE && matchingType === FULL ? data : null
}

/** Equal for equal records. Short, because caches keep it and the zone's owner decides the length of a record. */
export function recordKey({ usage, selector, matchingType, data }: TlsaRecord): string {
  return `${usage} ${selector} ${matchingType} ${hash('sha256', data, 'base64url')}`
}
