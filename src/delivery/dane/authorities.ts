/**
 * The authorities that DANE-TA records name. A record mostly has a digest only, and the certificate comes from the
 * server (RFC 7672 3.1.2). OpenSSL has to know it before a handshake to judge the chain, so the first connection to a
 * server learns it, and the next one trusts it, and nothing else.
 */
import { hash, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import { SizedEntries } from '../../common/recent-entries.ts'
import type { TlsaRecord } from '../../dns/record.ts'
import type { DaneProof } from './demand.ts'
import { authorityIn, DANE_TA, matchesCertificate, recordKey } from './tlsa.ts'

const MAX_AUTHORITIES = 1_000
/** Octets of certificates that each cache holds: servers decide how large theirs are. */
const MAX_OCTETS = 4 * 1_024 * 1_024
/** Certificates of a chain that are looked at. */
const LONGEST_CHAIN = 10

/** Certificates in DER by record: only those that the record itself names. */
const learned = new SizedEntries<Buffer>(MAX_AUTHORITIES, MAX_OCTETS)
const contexts = new SizedEntries<SecureContext>(MAX_AUTHORITIES, MAX_OCTETS)

function authorityOf(record: TlsaRecord): Buffer | null {
  return authorityIn(record) ?? learned.get(recordKey(record)) ?? null
}

/** Changes when another authority of the proof is known. */
export function authoritiesKey(proof: DaneProof): string {
  return keyOf(knownAuthorities(proof))
}

function keyOf(authorities: Buffer[]): string {
  return authorities.length === 0
    ? ''
    : authorities.map((authority) => hash('sha256', authority, 'base64url')).join('\n')
}

/** The known authorities of a proof. */
export function knownAuthorities({ records }: DaneProof): Buffer[] {
  return records.map(authorityOf).filter((authority) => authority !== null)
}

/** Trusts the known authorities of a proof only, whether or not they are roots. */
export function contextOf(proof: DaneProof): SecureContext {
  const authorities = knownAuthorities(proof)
  const key = keyOf(authorities)
  let context = contexts.get(key)
  if (context === undefined) {
    const ca = authorities.map((authority) => new X509Certificate(authority).toString())
    context = createSecureContext({ ca, allowPartialTrustChain: true })
    const size = authorities.reduce((octets, { length }) => octets + length, 0)
    contexts.put(key, context, size)
  }
  return context
}

/**
 * Looks for authorities in the chain of a server, above its own certificate. A key may have a new certificate, which
 * takes the place of the one that was known.
 */
export function learnAuthorities({ records }: DaneProof, leaf: X509Certificate): void {
  const wanted = records.filter((record) => record.usage === DANE_TA && authorityIn(record) === null)
  for (const { raw } of chainAbove(leaf)) {
    for (const record of wanted)
      if (matchesCertificate(record, raw)) learned.put(recordKey(record), raw, raw.length)
  }
}

function chainAbove(leaf: X509Certificate): X509Certificate[] {
  const chain: X509Certificate[] = []
  let next = leaf.issuerCertificate
  while (next !== undefined && next !== null && chain.length < LONGEST_CHAIN) {
    chain.push(next)
    next = next.issuerCertificate
  }
  return chain
}
