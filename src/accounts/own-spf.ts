/** The terms with which an SPF record allows the hosts that send a domain's mail (RFC 7208 5). */
import { isIPv6 } from 'node:net'

/** A host that mail leaves from. */
export interface SendingHost {
  /** The name that the host gives in EHLO. */
  name: string
  /**
   * The addresses that the host sends from; empty: the operating system chooses one of those that DNS has for the name.
   */
  addresses: readonly string[]
}

/**
 * Each `a:` costs receivers a look-up, of the ten that a record and everything it includes may need (RFC 7208 4.6.4).
 * With more hosts than this, their addresses are named instead.
 */
const MAX_NAMES = 4

/** The terms that allow these hosts, each once. */
export function ownSpfTerms(hosts: readonly SendingHost[]): string[] {
  const names = new Set(hosts.map(({ name }) => name))
  if (names.size <= MAX_NAMES) return [...names].map((name) => `a:${name}`)
  const terms = hosts.flatMap(({ name, addresses }) =>
    addresses.length === 0 ? [`a:${name}`] : addresses.map(addressTerm),
  )
  return [...new Set(terms)]
}

function addressTerm(address: string): string {
  return `${isIPv6(address) ? 'ip6' : 'ip4'}:${address}`
}

const NAMES = new Intl.ListFormat('en', { type: 'conjunction' })

/** The names of the hosts within a sentence. */
export function hostNames(hosts: readonly SendingHost[]): string {
  return NAMES.format(new Set(hosts.map(({ name }) => name)))
}

export function ownSpf(hosts: readonly SendingHost[]): string {
  return withOwnTerms([], hosts)
}

/** The terms for these hosts that a record with `terms` lacks. */
export function lackingTerms(terms: readonly string[], hosts: readonly SendingHost[]): string[] {
  const present = new Set(terms.map((term) => term.toLowerCase().replace(/^\+/, '')))
  return ownSpfTerms(hosts).filter((term) => !present.has(term))
}

const ALL = /^[+?~-]?all$/i
const REDIRECT = /^redirect=/i

/**
 * One record with the terms of these records and those for the hosts, each once, and with the last `all` or `redirect`
 * at the end. The `redirect` of another record becomes an `include`, because only one can stand at the end.
 */
export function withOwnTerms(records: readonly (readonly string[])[], hosts: readonly SendingHost[]): string {
  // RFC 7208 6.1: beside `all`, a `redirect` is ignored.
  const terms = records.flatMap((terms) =>
    terms.some((term) => ALL.test(term)) ? terms.filter((term) => !REDIRECT.test(term)) : terms,
  )
  const last = terms.findLast(isLastTerm) ?? '~all'
  const allowing = terms
    .filter((term) => term !== last && !ALL.test(term))
    .map((term) => term.replace(REDIRECT, 'include:'))
  return ['v=spf1', ...new Set([...lackingTerms(allowing, hosts), ...allowing]), last].join(' ')
}

/** RFC 7208 5.1: terms after `all` are ignored, and 6.1: `redirect` counts only when nothing else matched. */
export function isLastTerm(term: string): boolean {
  return ALL.test(term) || REDIRECT.test(term)
}
