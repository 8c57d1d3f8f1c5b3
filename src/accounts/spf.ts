/** The result of an SPF record for some addresses, through everything that it includes (RFC 7208). */
import { BlockList, isIP } from 'node:net'

/** The part of a resolver that is asked. `failed`: DNS did not answer. */
export interface SpfResolver {
  txt(name: string): Promise<SpfAnswer<string>>
  mx(name: string): Promise<SpfAnswer<{ exchange: string }>>
  addresses(name: string): Promise<SpfAnswer<{ address: string }>>
}

export type SpfAnswer<T> =
  | { kind: 'found'; records: T[]; alias?: string }
  | { kind: 'absent'; reason: string }
  | { kind: 'failed'; reason: string }

export interface SpfVerdict {
  /** The term that allows each address, as its record writes it; null: the record does not allow the address. */
  allowedBy: ReadonlyMap<string, string | null>
  /** Look-ups that the whole record may need: receivers stop at `MAX_SPF_LOOKUPS`. */
  lookups: number
  /** The reason why receivers ignore the record (permerror), as a sentence; null: there is none. */
  fault: string | null
  /** The name for which DNS did not answer; null: it always did. */
  silent: string | null
}

/** RFC 7208 4.6.4: terms that cause look-ups, in all records together. */
export const MAX_SPF_LOOKUPS = 10
/** Look-ups after which the rest of a record is left unread: what it says would not help any more. */
const MAX_READ = 20
/** RFC 7208 4.6.4: hosts of one `mx`. */
const MAX_HOSTS = 10
/**
 * Names without an answer of DNS after which the rest is left unread: each costs seconds, and the result is unknown.
 */
const MAX_SILENT = 3

/** The record among TXT values (RFC 7208 4.5). */
export function spfRecordsIn(found: readonly string[]): string[] {
  return found.filter((text) => /^v=spf1(\s|$)/i.test(text))
}

/** The terms after `v=spf1`. */
export function spfTerms(record: string): string[] {
  return record.trim().split(/\s+/).slice(1)
}

/**
 * Reads the record of `name` for mail from these addresses. The look-ups of all terms are counted, also of those after
 * the one that allows an address: receivers of mail from other hosts get to them.
 */
export async function readSpf(
  name: string,
  record: string,
  addresses: readonly string[],
  resolver: SpfResolver,
): Promise<SpfVerdict> {
  const walk = new Walk(resolver)
  const results = await walk.read(name, record, addresses)
  const { lookups, silent } = walk
  const fault = walk.fault ?? (lookups > MAX_SPF_LOOKUPS ? tooMany(lookups) : null)
  const allowedBy = addresses.map((address) => {
    const result = results.get(address)
    return [address, result?.qualifier === '+' ? result.term : null] as const
  })
  return { allowedBy: new Map(allowedBy), lookups, fault, silent }
}

function tooMany(lookups: number): string {
  const count = lookups >= MAX_READ ? `${MAX_READ} or more` : String(lookups)
  return (
    `The SPF record needs ${count} DNS look-ups, but receivers stop at ${MAX_SPF_LOOKUPS} and ignore it (RFC 7208 4.6.4). ` +
    'Remove terms that are not needed any more, or give services a subdomain each.'
  )
}

interface RecordMatch {
  qualifier: string
  term: string
}
type Matches = Map<string, RecordMatch>

/** The name may have macros, with slashes among their delimiters (RFC 7208 7.1). */
const MECHANISM =
  /^([+?~-]?)([a-z0-9]+)(?::((?:%\{[^}]*\}|%(?!\{)|[^%/])*))?((?:\/\d{1,3})?(?:\/\/\d{1,3})?)$/i

class Walk {
  readonly #resolver: SpfResolver
  lookups = 0
  fault: string | null = null
  silent: string | null = null
  #silences = 0

  constructor(resolver: SpfResolver) {
    this.#resolver = resolver
  }

  /** The first term that matches each address. An address that no term matches has no entry. */
  async read(name: string, record: string, addresses: readonly string[]): Promise<Matches> {
    const matches: Matches = new Map()
    let redirect: string | null = null
    let open = addresses
    for (const term of spfTerms(record)) {
      redirect = /^redirect=(.+)$/i.exec(term)?.[1] ?? redirect
      // RFC 7208 6: other modifiers do not change the result.
      if (/^[a-z][\w.-]*=/i.test(term)) continue
      const parts = MECHANISM.exec(term)
      if (parts === null) {
        this.#note(`The SPF record of ${name} has an invalid term: ${term}`)
        return matches
      }
      const [, sign = '', kind = '', target = '', ranges = ''] = parts
      const qualifier = sign === '' ? '+' : sign
      const matched = await this.#matched(kind.toLowerCase(), target || name, ranges, open, term, name)
      for (const [address, by] of matched) matches.set(address, { qualifier, term: by })
      open = open.filter((address) => !matched.has(address))
      // RFC 7208 5.1: terms after `all` are ignored, and 6.1: so is `redirect` then.
      if (kind.toLowerCase() === 'all') return matches
    }
    if (redirect === null) return matches
    const target = await this.#recordOf(redirect, `redirect=${redirect}`)
    if (target === null) return matches
    return new Map([...matches, ...(await this.read(redirect, target, open))])
  }

  /** The addresses that a mechanism matches, each with the term that is responsible. */
  async #matched(
    kind: string,
    target: string,
    ranges: string,
    addresses: readonly string[],
    term: string,
    name: string,
  ): Promise<Map<string, string>> {
    const within = (list: BlockList) =>
      new Map(addresses.filter((address) => holds(list, address)).map((address) => [address, term]))
    switch (kind) {
      case 'all':
        return new Map(addresses.map((address) => [address, term]))
      case 'ip4':
        return within(this.#blocks([target], ranges, term))
      case 'ip6':
        // Alone, the length of an IPv6 range has one slash; `a` and `mx` write it with two.
        return within(this.#blocks([target], ranges === '' ? '' : `/${ranges}`, term))
      case 'a':
        return within(this.#blocks(await this.#addressesOf(target), ranges, term))
      case 'mx':
        return within(this.#blocks(await this.#hostsOf(target), ranges, term))
      case 'include':
        return await this.#included(target, addresses, term)
      case 'ptr':
      case 'exists':
        // Their matches depend on the message and on reverse names: they count as look-ups, and allow no address here.
        this.lookups++
        return new Map()
      default:
        this.#note(`The SPF record of ${name} has an unknown term: ${term}`)
        return new Map()
    }
  }

  /** RFC 7208 5.2: `include` matches where the included record allows. */
  async #included(target: string, addresses: readonly string[], term: string): Promise<Map<string, string>> {
    const record = await this.#recordOf(target, term)
    if (record === null) return new Map()
    const inner = await this.read(target, record, addresses)
    return new Map([...inner].filter(([, { qualifier }]) => qualifier === '+').map(([at]) => [at, term]))
  }

  /** The one SPF record of another name; null: there is none that can be used. */
  async #recordOf(name: string, term: string): Promise<string | null> {
    const answer = await this.#ask(name, () => this.#resolver.txt(name))
    if (answer === null) return null
    const records = spfRecordsIn(answer)
    if (records.length === 1) return records[0]!
    // RFC 7208 5.2 and 6.1: a record that includes a name without a single one is ignored as a whole.
    const count = records.length === 0 ? 'no' : String(records.length)
    this.#note(`${term} names a domain with ${count} SPF record${records.length > 1 ? 's' : ''}`)
    return null
  }

  async #addressesOf(name: string): Promise<string[]> {
    const answer = await this.#ask(name, () => this.#resolver.addresses(name))
    return (answer ?? []).map(({ address }) => address)
  }

  async #hostsOf(name: string): Promise<string[]> {
    const hosts = (await this.#ask(name, () => this.#resolver.mx(name))) ?? []
    const found = await Promise.all(
      hosts.slice(0, MAX_HOSTS).map(async ({ exchange }) => {
        const answer = await this.#resolver.addresses(exchange)
        if (answer.kind === 'failed') this.#wasSilent(exchange)
        return answer.kind === 'found' ? answer.records : []
      }),
    )
    return found.flat().map(({ address }) => address)
  }

  /** Makes a look-up that is counted. Null: there is no answer that can be used. */
  async #ask<T>(name: string, look: () => Promise<SpfAnswer<T>>): Promise<T[] | null> {
    this.lookups++
    // RFC 7208 7: a macro stands for a part of the message.
    if (this.lookups > MAX_READ || this.#silences >= MAX_SILENT || name.includes('%')) return null
    const answer = await look()
    if (answer.kind === 'failed') this.#wasSilent(name)
    return answer.kind === 'failed' ? null : answer.kind === 'found' ? answer.records : []
  }

  #wasSilent(name: string): void {
    this.silent ??= name
    this.#silences++
  }

  #blocks(addresses: readonly string[], ranges: string, term: string): BlockList {
    const list = new BlockList()
    const [, four = '32', six = '128'] = /^(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(ranges) ?? []
    for (const text of addresses) {
      const version = isIP(text)
      const bits = Number(version === 4 ? four : six)
      if (version === 0 || bits > (version === 4 ? 32 : 128)) {
        this.#note(`The SPF record has an invalid address: ${term}`)
        continue
      }
      list.addSubnet(text, bits, version === 4 ? 'ipv4' : 'ipv6')
    }
    return list
  }

  #note(fault: string): void {
    this.fault ??= `${fault}. Receivers ignore the whole record (RFC 7208 2.6.7).`
  }
}

function holds(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
