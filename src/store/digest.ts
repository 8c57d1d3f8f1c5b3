/**
 * What is made of the log of events for those who search and count: which emails and events have something in common,
 * and how many events there were when. Made behind the hot path, which gets no index for any of this.
 *
 * Places of emails and numbers of events are kept in lists: one for each term (an address, a tag, a type of event, ...)
 * and segment of the order, as two octets for each place within the segment. To a list something is only added.
 */

/** Places of emails, and numbers of events, in one segment. */
export const EMAILS_A_SEGMENT = 8_192
export const EVENTS_A_SEGMENT = 4_096

/**
 * Of what a list is, and how it is found. Of a term that few lists have, the lists of all segments lie side by side
 * (`major` is the term); of one of which there are many, such as an address, those of one segment do: what is written
 * at one time then lies together.
 */
export const LIST = { emailsByFew: 0, emailsByMany: 1, eventsByFew: 2, eventsByMany: 3 } as const
export type ListKind = (typeof LIST)[keyof typeof LIST]

export function isByTerm(kind: ListKind): boolean {
  return kind === LIST.emailsByFew || kind === LIST.eventsByFew
}

export function isOfEvents(kind: ListKind): boolean {
  return kind === LIST.eventsByFew || kind === LIST.eventsByMany
}

/** The terms there are. Each becomes a number; what two have in common by chance is found, looked at and dropped. */
export const emailTerms = {
  ofDomain: (domainId: string) => termOf('domain', domainId),
  ofAddress: (folded: string) => termOf('to', folded),
  ofTag: (name: string) => termOf('tag', name),
  ofTagValue: (name: string, value: string) => termOf('tag value', name, value),
}
export const eventTerms = {
  ofAny: (domainId: string | null) => termOf('any', domainId ?? ''),
  ofType: (domainId: string | null, type: string) => termOf('type', domainId ?? '', type),
  ofTag: (name: string) => termOf('tag', name),
  ofTagValue: (name: string, value: string) => termOf('tag value', name, value),
}

/** 53 bits of two FNV-1a hashes. */
function termOf(...parts: string[]): number {
  let high = 0x811c9dc5
  let low = 0x01234567
  for (const part of parts) {
    for (let at = 0; at < part.length; at++) {
      const unit = part.charCodeAt(at)
      high = Math.imul(high ^ unit, 0x01000193)
      low = Math.imul(low ^ unit, 0x01000193) ^ (low >>> 15)
    }
    high = Math.imul(high ^ 0x1_0000, 0x01000193)
    low = Math.imul(low ^ 0x1_0000, 0x01000193)
  }
  return (high & 0x1f_ffff) * 0x1_0000_0000 + (low >>> 0)
}

export function segmentOf(place: number, length: number): number {
  return Math.floor(place / length)
}

/** Octets of places within their segment. */
export function packPlaces(offsets: readonly number[]): Uint8Array {
  const octets = new Uint8Array(offsets.length * 2)
  for (const [index, offset] of offsets.entries()) {
    octets[index * 2] = offset >> 8
    octets[index * 2 + 1] = offset & 0xff
  }
  return octets
}

/** The places that a list of a segment has, as they were added. */
export function placesOf(segment: number, length: number, octets: Uint8Array): number[] {
  const places: number[] = []
  for (let at = 0; at + 1 < octets.length; at += 2) {
    places.push(segment * length + octets[at]! * 256 + octets[at + 1]!)
  }
  return places
}

export const COUNT_SIZES = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
export type CountSize = keyof typeof COUNT_SIZES
/** By what counts are told apart: not at all, by tag (its value), by the domain of the recipient. */
export const COUNT_DIMENSIONS = ['all', 'tag', 'recipient-domain'] as const
export type CountDimension = (typeof COUNT_DIMENSIONS)[number]

/** Rows removed in one step, so that it does not hold up commits. */
export const TRIMMED_AT_ONCE = 1_000

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

export interface Digest {
  lists: { company: number; kind: ListKind; major: number; minor: number; places: Uint8Array }[]
  /** When the events of a segment happened: the first and the last, in time. */
  spans: { company: number; segment: number; minAt: number; maxAt: number }[]
  counts: DigestCount[]
}

export interface DigestCount {
  company: number
  size: number
  dimension: string
  start: number
  domainId: string
  value: string
  type: string
  n: number
}

interface Tag {
  name: string
  value: string
}

export function digestOf(events: readonly DigestedEvent[]): Digest {
  const lists = new Lists()
  const spans = new Map<string, Digest['spans'][number]>()
  const counts = new Map<string, DigestCount>()
  for (const event of events) {
    const tags = event.tags === null ? [] : (JSON.parse(event.tags) as Tag[])
    fileEvent(lists, event, tags)
    if (event.recipients !== null) fileEmail(lists, event, tags)
    span(spans, event)
    count(counts, event, tags)
  }
  return { lists: lists.all(), spans: [...spans.values()], counts: [...counts.values()] }
}

function fileEvent(lists: Lists, { company, number, type, domainId }: DigestedEvent, tags: Tag[]): void {
  const add = (kind: ListKind, term: number) => lists.add(company, kind, term, number, EVENTS_A_SEGMENT)
  for (const domain of [null, domainId]) {
    add(LIST.eventsByFew, eventTerms.ofAny(domain))
    add(LIST.eventsByFew, eventTerms.ofType(domain, type))
  }
  for (const term of tagTerms(eventTerms, tags)) add(LIST.eventsByMany, term)
}

function fileEmail(lists: Lists, { company, place, domainId, recipients }: DigestedEvent, tags: Tag[]): void {
  const add = (kind: ListKind, term: number) => lists.add(company, kind, term, place, EMAILS_A_SEGMENT)
  add(LIST.emailsByFew, emailTerms.ofDomain(domainId))
  const addresses = new Set(recipients!.map(({ address }) => emailTerms.ofAddress(address)))
  for (const term of [...addresses, ...tagTerms(emailTerms, tags)]) add(LIST.emailsByMany, term)
}

function tagTerms(terms: typeof emailTerms | typeof eventTerms, tags: Tag[]): Set<number> {
  return new Set(tags.flatMap(({ name, value }) => [terms.ofTag(name), terms.ofTagValue(name, value)]))
}

function span(spans: Map<string, Digest['spans'][number]>, { company, number, at }: DigestedEvent): void {
  const segment = segmentOf(number, EVENTS_A_SEGMENT)
  const key = `${company} ${segment}`
  const known = spans.get(key)
  if (known === undefined) spans.set(key, { company, segment, minAt: at, maxAt: at })
  else {
    known.minAt = Math.min(known.minAt, at)
    known.maxAt = Math.max(known.maxAt, at)
  }
}

function count(counts: Map<string, DigestCount>, event: DigestedEvent, tags: Tag[]): void {
  const { recipients, recipientDomain } = event
  const domains = recipientDomain === null ? [] : [recipientDomain]
  countOnce(counts, event, event.type, 1, domains, tags)
  // What was accepted is counted by recipients, as what becomes of them is.
  if (recipients === null) return
  countOnce(
    counts,
    event,
    'accepted',
    recipients.length,
    recipients.map(({ domain }) => domain),
    tags,
  )
}

function countOnce(
  counts: Map<string, DigestCount>,
  { company, at, domainId }: DigestedEvent,
  type: string,
  n: number,
  recipientDomains: readonly string[],
  tags: Tag[],
): void {
  for (const size of Object.values(COUNT_SIZES)) {
    const start = Math.floor(at / size) * size
    const add = (dimension: CountDimension, value: string, n: number) => {
      const key = [company, size, dimension, start, domainId, value, type].join('\0')
      const known = counts.get(key)
      if (known !== undefined) known.n += n
      else counts.set(key, { company, size, dimension, start, domainId, value, type, n })
    }
    add('all', '', n)
    for (const value of new Set(tags.map(({ value }) => value))) add('tag', value, n)
    for (const domain of recipientDomains) add('recipient-domain', domain, 1)
  }
}

class Lists {
  readonly #lists = new Map<
    string,
    { company: number; kind: ListKind; major: number; minor: number; offsets: number[] }
  >()

  add(company: number, kind: ListKind, term: number, place: number, length: number): void {
    const segment = segmentOf(place, length)
    const [major, minor] = isByTerm(kind) ? [term, segment] : [segment, term]
    const key = `${company} ${kind} ${major} ${minor}`
    let list = this.#lists.get(key)
    if (list === undefined) {
      list = { company, kind, major, minor, offsets: [] }
      this.#lists.set(key, list)
    }
    list.offsets.push(place - segment * length)
  }

  /** In the order in which they are kept. */
  all(): Digest['lists'] {
    return [...this.#lists.values()]
      .sort((a, b) => a.company - b.company || a.kind - b.kind || a.major - b.major || a.minor - b.minor)
      .map(({ offsets, ...list }) => ({ ...list, places: packPlaces(offsets) }))
  }
}
