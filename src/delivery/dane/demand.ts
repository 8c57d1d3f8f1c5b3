import { hash } from 'node:crypto'
import type { TlsaRecord } from '../../dns/record.ts'
import type { Resolver } from '../../dns/resolver.ts'
import { recordKey, usableRecords } from './tlsa.ts'

/** How DANE proves that a server is the right one. */
export interface DaneProof {
  /** At least one; all of them usable. */
  records: TlsaRecord[]
  /**
   * Names that the certificate may have under an authority: the one that has the records comes first, and is told to
   * the server (RFC 7672 3.2.2, 8.1).
   */
  names: string[]
}

type DaneAnswer =
  /** The host is not protected by DANE. */
  | { kind: 'none' }
  /** TLS is mandatory; `proof` is null when no record can be used (RFC 7672 2.2). */
  | { kind: 'demand'; proof: DaneProof | null }
  /** The look-up of the addresses failed, so it is not known whether records count: nothing may be sent to the host. */
  | { kind: 'no-addresses'; reason: string }
  /** Whether there are records is not known now, so nothing may be sent to the host (RFC 7672 2.1.2). */
  | { kind: 'failed'; name: string; reason: string }

/**
 * Looks for the TLSA records of a mail host whose name was found in a validated answer. Records count only in a
 * validated answer, and are asked for only when the addresses of the host are validated as well: name servers of
 * unsigned zones may fail on types that they do not know (RFC 7672 2.2.2).
 */
export async function daneOf(
  { domain, host, port }: { domain: string; host: string; port: number },
  resolver: Pick<Resolver, 'addresses' | 'tlsa'>,
): Promise<DaneAnswer> {
  const addresses = await resolver.addresses(host)
  // Asked again a moment later, the addresses may be found, and the mail would leave without DANE.
  if (addresses.kind === 'failed') return { kind: 'no-addresses', reason: addresses.reason }
  if (addresses.kind !== 'found' || addresses.secure !== true) return { kind: 'none' }
  // RFC 7672 2.2.2: the name at the end of the aliases first, then the name in the MX record.
  const bases = addresses.alias === undefined ? [host] : [addresses.alias, host]
  for (const base of bases) {
    const name = `_${port}._tcp.${base}`
    const found = await resolver.tlsa(name)
    if (found.kind === 'failed') return { kind: 'failed', name, reason: found.reason }
    if (found.kind === 'absent' || found.secure !== true) continue
    const records = usableRecords(found.records)
    const names = [...new Set([base, host, domain])]
    return { kind: 'demand', proof: records.length > 0 ? { records, names } : null }
  }
  return { kind: 'none' }
}

/** Equal for proofs that the same certificates give. Short, like the key of a record. */
export function proofKey({ records, names }: DaneProof): string {
  return hash('sha256', [...names, ...records.map(recordKey).sort()].join('\n'), 'base64url')
}
