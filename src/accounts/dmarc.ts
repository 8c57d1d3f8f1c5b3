/** Parses DMARC records, and finds the one that applies to a domain (RFC 9989). */

import { recordsOfVersion, tagsOf } from '../mail/dns-tags.ts'

/** The policies, from the mildest to the strictest. */
const POLICIES = ['none', 'quarantine', 'reject'] as const
export type DmarcPolicy = (typeof POLICIES)[number]

export interface DmarcRecord {
  /** `p`, or `sp` of a record that stands above the domain; null: the record has no valid one. */
  policy: DmarcPolicy | null
  /** `aspf=s`: SPF counts only for exactly the domain in From. */
  strictSpf: boolean
  /** `t=y`: receivers apply the next milder policy. */
  isTest: boolean
}

/** The look-up that this module needs. */
interface DmarcResolver {
  txt(name: string): Promise<{ kind: 'found'; records: string[] } | { kind: 'absent' | 'failed' }>
}

/** The DMARC records among TXT values. */
export function dmarcRecordsIn(found: readonly string[]): string[] {
  return recordsOfVersion('DMARC1', found)
}

/** Parses a record. `isAbove`: it is the record of a parent of the domain that sends. */
export function parseDmarc(text: string, { isAbove = false } = {}): DmarcRecord {
  const tags = tagsOf(text.toLowerCase())
  const policy = (isAbove ? tags.get('sp') : undefined) ?? tags.get('p')
  return {
    policy: POLICIES.find((known) => known === policy) ?? null,
    strictSpf: tags.get('aspf') === 's',
    isTest: tags.get('t') === 'y',
  }
}

/** The most names that one tree walk looks up (RFC 9989 4.10). */
const MAX_ASKED = 8

export interface DmarcText {
  /** The domain whose record it is. */
  domain: string
  text: string
}

/**
 * The record above a domain without one of its own: that of its organizational domain, found by the tree walk (RFC 9989
 * 4.10). `failed`: DNS did not answer; null: there is none.
 */
export async function dmarcAbove(
  domain: string,
  resolver: DmarcResolver,
): Promise<DmarcText | 'failed' | null> {
  const labels = domain.split('.')
  // The domain itself has been looked up already. For a long name, the walk skips the labels in the middle.
  const first = Math.max(1, labels.length - (MAX_ASKED - 1))
  const names = labels.slice(first).map((_, index) => labels.slice(first + index).join('.'))
  let found: DmarcText | null = null
  for (const name of names) {
    const at = await dmarcAt(name, resolver)
    if (at === 'failed') return 'failed'
    if (at === null) continue
    const { text } = at
    const psd = tagsOf(text).get('psd')
    // The parents of this name belong to a registry. Their records are not meant for mail of registered domains.
    if (psd === 'y' && found !== null) return found
    found = at
    if (psd === 'n') return found
  }
  return found
}

/** The record of one domain. `failed`: DNS did not answer; null: there is none, or several (RFC 9989 4.10). */
async function dmarcAt(domain: string, resolver: DmarcResolver): Promise<DmarcText | 'failed' | null> {
  const answer = await resolver.txt(`_dmarc.${domain}`)
  if (answer.kind === 'failed') return 'failed'
  const [text, ...others] = answer.kind === 'found' ? dmarcRecordsIn(answer.records) : []
  return text === undefined || others.length > 0 ? null : { domain, text }
}

/**
 * The policy that receivers find for a domain. Null: there is none, or it is not valid; `unknown`: DNS did not answer.
 */
export async function publishedPolicy(
  domain: string,
  resolver: DmarcResolver,
): Promise<DmarcPolicy | null | 'unknown'> {
  const own = await dmarcAt(domain, resolver)
  if (own === 'failed') return 'unknown'
  if (own !== null) return parseDmarc(own.text).policy
  const above = await dmarcAbove(domain, resolver)
  if (above === 'failed') return 'unknown'
  return above === null ? null : parseDmarc(above.text, { isAbove: true }).policy
}
