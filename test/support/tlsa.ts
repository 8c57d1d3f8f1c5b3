import { createHash, X509Certificate } from 'node:crypto'
import type { Certificate } from '../../harness/certificate.ts'

/** A TLSA record for the key of the certificate, by its SHA-256 digest (RFC 6698 2.1). `usage` 3: DANE-EE; 2: DANE-TA. */
export function tlsaOf({ cert }: Pick<Certificate, 'cert'>, usage = 3): string {
  const key = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  return `${usage} 1 1 ${createHash('sha256').update(key).digest('hex')}`
}
