/** Makes of some events of the log what is kept of them (digest.ts). */
import {
  COUNT_SIZES,
  type CountDimension,
  type Digest,
  type DigestCount,
  EMAILS_A_SEGMENT,
  EVENTS_A_SEGMENT,
  emailTerms,
  eventTerms,
  isByTerm,
  LIST,
  type ListKind,
  packPlaces,
  packShared,
  segmentOf,
  sharedBy,
} from './digest.ts'

/** An event with what it is filed under. */
export interface DigestedEvent {
  number: number
  /** The company's number. */
  company: number
  type: string
  at: number
  /** Of its email. */
  place: number
  domainId: string
  /** JSON. */
  tags: string | null
  /** Of the recipient; null when it is about the email as a whole. */
  recipientDomain: string | null
  /** Of all recipients, when the email begins with this event; else null. */
  recipients: { address: string; domain: string }[] | null
}

interface Tag {
  name: string
  value: string
}

/** A term with so many places in one segment has a list of its own there. */
const OWN_LIST = 8
/** What emails are counted as. */
const ACCEPTED = 'accepted'

export function makeDigest(events: readonly DigestedEvent[]): Digest {
  const lists = new Lists()
  const spans = new Spans()
  const logged = new Groups(EVENTS_A_SEGMENT)
  const begun = new Groups(EMAILS_A_SEGMENT)
  for (const event of events) {
    const { company, number, type, at, place, recipientDomain, recipients } = event
    spans.add(company, segmentOf(number, EVENTS_A_SEGMENT), at)
    const tally = logged.of(event, type).add(number, at)
    tally.n++
    if (recipientDomain !== null) tally.countDomain(recipientDomain)
    if (recipients === null) continue
    // What was accepted is counted by recipients, as what becomes of them is.
    const accepted = begun.of(event, ACCEPTED).add(place, at)
    accepted.n += recipients.length
    const offset = [place % EMAILS_A_SEGMENT]
    const segment = segmentOf(place, EMAILS_A_SEGMENT)
    for (const { address, domain } of recipients) {
      accepted.countDomain(domain)
      lists.add(company, LIST.emailsByMany, segment, emailTerms.ofAddress(address), offset)
    }
  }
  const counts = new Counts()
  for (const group of logged.all()) {
    const { domainId, type, tags } = group
    const few = [null, domainId].flatMap((domain) => [
      eventTerms.ofAny(domain),
      eventTerms.ofType(domain, type),
    ])
    group.file(lists, LIST.eventsByFew, few)
    group.file(lists, LIST.eventsByMany, tagTerms(eventTerms, tags))
    group.count(counts)
  }
  for (const group of begun.all()) {
    group.file(lists, LIST.emailsByFew, [emailTerms.ofDomain(group.domainId)])
    group.file(lists, LIST.emailsByMany, tagTerms(emailTerms, group.tags))
    group.count(counts)
  }
  return { lists: lists.all(), spans: spans.all(), counts: counts.all() }
}

function tagTerms(terms: typeof emailTerms | typeof eventTerms, tags: Tag[]): Set<number> {
  return new Set(tags.flatMap(({ name, value }) => [terms.ofTag(name), terms.ofTagValue(name, value)]))
}

type Common = Pick<DigestedEvent, 'company' | 'domainId' | 'tags'>

/** Events that have everything in common but number, time and recipient; emails likewise. */
class Groups {
  readonly #length: number
  readonly #groups = new Map<string, Group>()

  /** `length`: of a segment. */
  constructor(length: number) {
    this.#length = length
  }

  of(common: Common, type: string): Group {
    const { company, domainId, tags } = common
    const key = `${company} ${type} ${domainId} ${tags}`
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = new Group(common, type, this.#length)
      this.#groups.set(key, group)
    }
    return group
  }

  all(): Iterable<Group> {
    return this.#groups.values()
  }
}

/** What is filed and counted of a group is worked out once for all of it. */
class Group {
  readonly company: number
  readonly domainId: string
  readonly type: string
  readonly tags: Tag[]
  readonly #length: number
  readonly #segments = new Map<number, number[]>()
  readonly #minutes = new Map<number, Tally>()

  constructor({ company, domainId, tags }: Common, type: string, length: number) {
    this.company = company
    this.domainId = domainId
    this.type = type
    this.tags = tags === null ? [] : (JSON.parse(tags) as Tag[])
    this.#length = length
  }

  /** Returns the tally of its time. */
  add(place: number, at: number): Tally {
    const segment = segmentOf(place, this.#length)
    const offsets = this.#segments.get(segment)
    if (offsets === undefined) this.#segments.set(segment, [place % this.#length])
    else offsets.push(place % this.#length)
    const minute = Math.floor(at / COUNT_SIZES.minute)
    let tally = this.#minutes.get(minute)
    if (tally === undefined) {
      tally = new Tally()
      this.#minutes.set(minute, tally)
    }
    return tally
  }

  file(lists: Lists, kind: ListKind, terms: Iterable<number>): void {
    for (const term of terms) {
      for (const [segment, offsets] of this.#segments) lists.add(this.company, kind, segment, term, offsets)
    }
  }

  count(counts: Counts): void {
    const values = new Set(this.tags.map(({ value }) => value))
    for (const [minute, { n, domains }] of this.#minutes) {
      const add = (dimension: CountDimension, value: string, n: number) =>
        counts.add(this, minute * COUNT_SIZES.minute, dimension, value, n)
      add('all', '', n)
      for (const value of values) add('tag', value, n)
      for (const [domain, n] of domains) add('recipient-domain', domain, n)
    }
  }
}

class Tally {
  n = 0
  readonly domains = new Map<string, number>()

  countDomain(domain: string): void {
    this.domains.set(domain, (this.domains.get(domain) ?? 0) + 1)
  }
}

class Counts {
  readonly #counts = new Map<string, DigestCount>()

  add(
    { company, domainId, type }: Pick<Group, 'company' | 'domainId' | 'type'>,
    at: number,
    dimension: CountDimension,
    value: string,
    n: number,
  ): void {
    for (const size of Object.values(COUNT_SIZES)) {
      const start = Math.floor(at / size) * size
      const key = [company, size, dimension, start, domainId, value, type].join('\0')
      const known = this.#counts.get(key)
      if (known !== undefined) known.n += n
      else this.#counts.set(key, { company, size, dimension, start, domainId, value, type, n })
    }
  }

  all(): DigestCount[] {
    return [...this.#counts.values()]
  }
}

type Span = Digest['spans'][number]

class Spans {
  readonly #spans = new Map<string, Span>()
  /** Events of a company often follow each other. */
  #last: Span | null = null

  add(company: number, segment: number, at: number): void {
    let span = this.#last
    if (span === null || span.company !== company || span.segment !== segment) {
      const key = `${company} ${segment}`
      span = this.#spans.get(key) ?? { company, segment, minAt: at, maxAt: at }
      this.#spans.set(key, span)
      this.#last = span
    }
    if (at < span.minAt) span.minAt = at
    if (at > span.maxAt) span.maxAt = at
  }

  all(): Span[] {
    return [...this.#spans.values()]
  }
}

/** Offsets in one segment by term. */
interface Terms {
  company: number
  kind: ListKind
  segment: number
  offsets: Map<number, number[]>
}

class Lists {
  readonly #terms = new Map<string, Terms>()
  #last: Terms | null = null

  add(company: number, kind: ListKind, segment: number, term: number, offsets: readonly number[]): void {
    let terms = this.#last
    if (terms === null || terms.company !== company || terms.kind !== kind || terms.segment !== segment) {
      const key = `${company} ${kind} ${segment}`
      terms = this.#terms.get(key) ?? { company, kind, segment, offsets: new Map() }
      this.#terms.set(key, terms)
      this.#last = terms
    }
    const known = terms.offsets.get(term)
    if (known === undefined) terms.offsets.set(term, [...offsets])
    else known.push(...offsets)
  }

  /** In the order in which they are kept. */
  all(): Digest['lists'] {
    return [...this.#terms.values()]
      .flatMap((terms) => (isByTerm(terms.kind) ? byTerm(terms) : bySegment(terms)))
      .sort((a, b) => a.company - b.company || a.kind - b.kind || a.major - b.major || a.minor - b.minor)
  }
}

function byTerm({ company, kind, segment, offsets }: Terms): Digest['lists'] {
  return [...offsets].map(([term, those]) => {
    return { company, kind, major: term, minor: segment, places: packPlaces(those) }
  })
}

function bySegment({ company, kind, segment, offsets }: Terms): Digest['lists'] {
  const lists: Digest['lists'] = []
  const shared = new Map<number, number[]>()
  for (const [term, those] of offsets) {
    if (those.length >= OWN_LIST) {
      lists.push({ company, kind, major: segment, minor: term, places: packPlaces(those) })
      continue
    }
    const minor = sharedBy(term)
    let pairs = shared.get(minor)
    if (pairs === undefined) {
      pairs = []
      shared.set(minor, pairs)
    }
    for (const offset of those) pairs.push(term, offset)
  }
  for (const [minor, pairs] of shared) {
    lists.push({ company, kind, major: segment, minor, places: packShared(pairs) })
  }
  return lists
}
