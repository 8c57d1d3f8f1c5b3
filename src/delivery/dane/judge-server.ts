import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls'
import { knownAuthorities, learnAuthorities } from './authorities.ts'
import type { DaneProof } from './demand.ts'
import { DANE_EE, matchesCertificate } from './tlsa.ts'

/** The certificate may have any of the names. For `checkServerIdentity` of node:tls. */
export function hasOneOfNames({ names }: DaneProof, certificate: PeerCertificate): Error | undefined {
  const refusals = names.map((name) => checkServerIdentity(name, certificate))
  return refusals.includes(undefined) ? undefined : refusals[0]
}

/**
 * Why the server of a TLS connection is not proven to be the right one; null when it is. The connection was made with
 * the context of the proof.
 */
export function daneDoubt(proof: DaneProof, socket: TLSSocket): string | null {
  const leaf = socket.getPeerX509Certificate()
  if (leaf === undefined) return 'the server has no certificate'
  // RFC 7672 3.1.1: the record stands for the certificate, whose names and dates do not count.
  const own = proof.records.filter(({ usage }) => usage === DANE_EE)
  if (own.some((record) => matchesCertificate(record, leaf.raw))) return null
  // An authority is never the server's own certificate.
  const isAuthority = knownAuthorities(proof).some((authority) => authority.equals(leaf.raw))
  if (socket.authorized && !isAuthority) return null
  learnAuthorities(proof, leaf)
  // The names are compared only if the chain ends at an authority of the records.
  const error: unknown = socket.authorizationError
  const code = error instanceof Error && 'code' in error ? error.code : error
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `the certificate is not valid for ${proof.names[0]}`
  return `the certificate matches no TLSA record of ${proof.names[0]}`
}
