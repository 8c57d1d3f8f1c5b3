/** The TXT record by which a domain asks for TLS reports (RFC 8460 3). */

import { recordsOfVersion } from '../dns-tags.ts'

/** The most URIs that get a report. */
const MAX_URIS = 5
const LONGEST_URI = 1_000

/**
 * The `mailto:` and `https:` URIs of the records of `_smtp._tls.<domain>`; empty when the domain asks for no reports,
 * or has more than one such record.
 */
export function reportUris(records: readonly string[]): string[] {
  const [record, ...others] = recordsOfVersion('TLSRPTv1', records)
  if (record === undefined || others.length > 0) return []
  const rua = record
    .split(';')
    .map((field) => /^[ \t]*rua=(.*)$/.exec(field)?.[1])
    .find((value) => value !== undefined)
  const uris = (rua ?? '').split(',').map((uri) => uri.trim())
  return uris.filter((uri) => uri.length <= LONGEST_URI && /^(?:mailto|https):/i.test(uri)).slice(0, MAX_URIS)
}

/** The address in a `mailto:` URI; null: it has none, or several. */
export function mailtoAddress(uri: string): string | null {
  const encoded = uri.slice('mailto:'.length).split('?')[0]!
  try {
    const address = decodeURIComponent(encoded)
    return /^[^\s,<>"]+@[^\s,<>"@]+$/.test(address) ? address : null
  } catch {
    return null
  }
}
