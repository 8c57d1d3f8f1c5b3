/**
 * BIMI records: the logo that receivers show beside mail of a domain
 * (draft-brand-indicators-for-message-identification).
 */
import { recordsOfVersion, tagsOf } from '../mail/dns-tags.ts'
import type { DmarcPolicy } from './dmarc.ts'

export const BIMI_EXAMPLE = 'v=BIMI1; l=https://HOST/LOGO.svg; a=https://HOST/CERTIFICATE.pem'

/** The name of the record that counts for mail without a selector of its own. */
export function bimiName(domain: string): string {
  return `default._bimi.${domain}`
}

/** The BIMI records among TXT values. */
export function bimiRecordsIn(found: readonly string[]): string[] {
  return recordsOfVersion('BIMI1', found)
}

/**
 * The fault that receivers will find, as a sentence; null: none. `policy`: the DMARC policy of the domain; null: it has
 * none.
 */
export function bimiFault(records: readonly string[], policy: DmarcPolicy | null): string | null {
  const [record, ...others] = records
  if (record === undefined || others.length > 0) {
    return `There are ${records.length} BIMI records, so receivers ignore all of them. Keep one.`
  }
  const tags = tagsOf(record)
  const logo = tags.get('l')
  if (logo === undefined) return 'The record has no logo (tag l=).'
  // An empty location declines to take part.
  if (logo === '') return null
  if (!isHttps(logo)) return 'The logo (tag l=) must be an https:// URL of an SVG file.'
  const evidence = tags.get('a') ?? ''
  if (evidence !== '' && !isHttps(evidence)) return 'The certificate (tag a=) must be an https:// URL.'
  if (policy === 'quarantine' || policy === 'reject') return null
  return 'Receivers show the logo only under the DMARC policy p=quarantine or p=reject.'
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}
