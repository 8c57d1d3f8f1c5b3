/**
 * The digest of the log of events, for search and statistics: lists of the emails and events that have something in
 * common, and counts of events by time. It is made apart from the hot path, whose tables need no index for it.
 *
 * Lists hold places of emails and numbers of events: one list for each term (an address, a tag, a type of event, ...)
 * and segment of the order, with two octets for each place within the segment. Terms with few places in a segment share
 * lists: a row for each address would cost more than the rest of an email's digest. Lists are only ever appended to.
 */

/** Stands for all companies together in place of a company's number. */
export const EVERY_COMPANY = 0

/** Places of emails, and numbers of events, per segment. */
export const EMAILS_A_SEGMENT = 8_192
export const EVENTS_A_SEGMENT = 4_096

/**
 * The content of a list, and its key. For a kind with few terms, a term's lists of all segments lie side by side
 * (`major` is the term); for a kind with many terms, such as addresses, the lists of one segment do: rows written at
 * the same time then lie together.
 */
export const LIST = { emailsByFew: 0, emailsByMany: 1, eventsByFew: 2, eventsByMany: 3 } as const
export type ListKind = (typeof LIST)[keyof typeof LIST]

export function isByTerm(kind: ListKind): boolean {
  return kind === LIST.emailsByFew || kind === LIST.eventsByFew
}

export function isOfEvents(kind: ListKind): boolean {
  return kind === LIST.eventsByFew || kind === LIST.eventsByMany
}

/**
 * All terms. Each becomes a number; when two terms share a number by chance, the wrong matches are found, checked and
 * dropped.
 */
export const emailTerms = {
  ofDomain: (domainId: string) => termOf('domain', domainId),
  ofAddress: (folded: string) => termOf('to', folded),
  /** The author's address. */
  ofSender: (folded: string) => termOf('from', folded),
  /** A word of the From or To field, or of the address of one of the first recipients. */
  ofAddressWord: (word: string) => termOf('address word', word),
  /** The domain of a recipient. */
  ofRecipientDomain: (name: string) => termOf('to domain', name),
  ofTag: (name: string) => termOf('tag', name),
  ofTagValue: (name: string, value: string) => termOf('tag value', name, value),
  /** A value under any name: the term of a `tag` with this value, so tags without a name of their own need one list. */
  ofAnyTagValue: (value: string) => termOf('tag value', 'tag', value),
  ofKey: (keyId: string) => termOf('key', keyId),
  /** A word of the subject, as `searched-words.ts` folds it. */
  ofWord: (word: string) => termOf('word', word),
  /** A word of an answer with which a server refused or delayed the email. */
  ofReplyWord: (word: string) => termOf('reply word', word),
  /** Such an event has happened to the email; only for types for which `isFiledByEvent` holds. */
  ofEvent: (type: string) => termOf('event', type),
}
export const eventTerms = {
  ofAny: (domainId: string | null) => termOf('any', domainId ?? ''),
  ofType: (domainId: string | null, type: string) => termOf('type', domainId ?? '', type),
  ofTag: (name: string) => termOf('tag', foldedTag(name)),
  ofTagValue: (name: string, value: string) => termOf('tag value', foldedTag(name), foldedTag(value)),
}

/** Events that nearly every email has: a search for them is as fast without lists. */
const USUAL: ReadonlySet<string> = new Set(['queued', 'sent', 'delivered'])

/** True when emails are listed by events of this type (`emailTerms.ofEvent`). */
export function isFiledByEvent(type: string): boolean {
  return !USUAL.has(type)
}

/** Tags of events are compared without regard to case. */
export function foldedTag(text: string): string {
  return text.toLowerCase()
}

/** A number of 53 bits, from two FNV-1a hashes. */
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

/** Number of shared lists of a segment. */
const SHARED = 64
/** Octets of an entry in a shared list: the rest of the term, then the place. */
const SHARED_OCTETS = 6

/** The key of the shared list that holds this term. */
export function sharedKeyOf(term: number): number {
  return -1 - (Math.floor(term / 0x1_0000_0000) % SHARED)
}

/** The places filed under one of these terms. */
export interface PlaceList {
  kind: ListKind
  terms: readonly number[]
}

/** A part of a list as it is stored. */
export interface ListRow {
  segment: number
  /** The term, or the key of a list that terms share. */
  key: number
  places: Uint8Array
}

/** The keys that rows of the list may have. */
export function keysOf({ kind, terms }: PlaceList): number[] {
  return isByTerm(kind) ? [...terms] : [...new Set([...terms, ...terms.map(sharedKeyOf)])]
}

/** The list's places in these rows; a segment without places is missing. */
export function placesBySegment(
  { kind, terms }: PlaceList,
  rows: readonly ListRow[],
): Map<number, Uint8Array> {
  const found = new Map<number, Uint8Array>()
  const add = (segment: number, places: Uint8Array) => {
    if (places.length === 0) return
    const known = found.get(segment)
    found.set(segment, known === undefined ? places : new Uint8Array(Buffer.concat([known, places])))
  }
  for (const { segment, key, places } of rows) {
    if (isByTerm(kind) || key >= 0) add(segment, places)
    else for (const term of terms) if (sharedKeyOf(term) === key) add(segment, placesOfTerm(term, places))
  }
  return found
}

/**
 * A list keyed by term is rewritten without repetitions from this many octets on, because an email may have the same
 * event any number of times.
 */
export const LONG_LIST = 4 * 2 * EMAILS_A_SEGMENT

/** Each place once. */
export function withoutRepeats(places: Uint8Array): Uint8Array {
  return packPlaces([...new Set(offsetsOf(places))])
}

/** Encodes places within their segment. */
export function packPlaces(offsets: readonly number[]): Uint8Array {
  const octets = new Uint8Array(offsets.length * 2)
  let at = 0
  for (const offset of offsets) {
    octets[at++] = offset >> 8
    octets[at++] = offset & 0xff
  }
  return octets
}

/** Encodes places of several terms for a shared list: terms and places alternate. */
export function packShared(pairs: readonly number[]): Uint8Array {
  const octets = new Uint8Array((pairs.length / 2) * SHARED_OCTETS)
  for (let from = 0, at = 0; from < pairs.length; from += 2, at += SHARED_OCTETS) {
    const term = pairs[from]! >>> 0
    const offset = pairs[from + 1]!
    octets[at] = term >>> 24
    octets[at + 1] = (term >>> 16) & 0xff
    octets[at + 2] = (term >>> 8) & 0xff
    octets[at + 3] = term & 0xff
    octets[at + 4] = offset >> 8
    octets[at + 5] = offset & 0xff
  }
  return octets
}

/** The places of one term in a shared list, encoded as by `packPlaces`. */
export function placesOfTerm(term: number, octets: Uint8Array): Uint8Array {
  const low = term >>> 0
  const [first, second, third, fourth] = [low >>> 24, (low >>> 16) & 0xff, (low >>> 8) & 0xff, low & 0xff]
  const places: number[] = []
  for (let at = 0; at + SHARED_OCTETS <= octets.length; at += SHARED_OCTETS) {
    if (octets[at + 3] !== fourth || octets[at + 2] !== third) continue
    if (octets[at + 1] !== second || octets[at] !== first) continue
    places.push(octets[at + 4]!, octets[at + 5]!)
  }
  return Uint8Array.from(places)
}

/** The places in a list of a segment, in the order in which they were added. */
export function placesOf(segment: number, length: number, octets: Uint8Array): number[] {
  return offsetsOf(octets).map((offset) => segment * length + offset)
}

function offsetsOf(octets: Uint8Array): number[] {
  const offsets: number[] = []
  for (let at = 0; at + 1 < octets.length; at += 2) offsets.push(octets[at]! * 256 + octets[at + 1]!)
  return offsets
}

/** The places that two lists of a segment have in common. */
export function placesInBoth(one: Uint8Array, other: Uint8Array): Uint8Array {
  const [few, many] = one.length < other.length ? [one, other] : [other, one]
  if (few.length === 0) return few
  const wanted = new Set(offsetsOf(few))
  const both: number[] = []
  for (let at = 0; at + 1 < many.length; at += 2) {
    const offset = many[at]! * 256 + many[at + 1]!
    if (wanted.has(offset)) both.push(offset)
  }
  return packPlaces(both)
}

export const COUNT_SIZES = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
export type CountSize = keyof typeof COUNT_SIZES
/**
 * The dimensions of counts. For each sending domain: nothing further (`all`), the tag (its value), the recipient's
 * domain, the reason (email/refusal-reason.ts). For each company, and for all companies together, so that a long time
 * takes few counts: nothing further (`total`), the recipient's domain if it is named (named-destinations.ts; '': all
 * other domains), and the time that delivery took (latency.ts). Reasons of all companies together are kept as well.
 */
export const COUNT_DIMENSIONS = [
  'all',
  'tag',
  'recipient-domain',
  'total',
  'destination',
  'latency',
  'reason',
] as const
export type CountDimension = (typeof COUNT_DIMENSIONS)[number]

/** Rows removed in one step, so that a step does not hold up commits. */
export const TRIMMED_AT_ONCE = 1_000

export interface Digest {
  lists: { company: number; kind: ListKind; major: number; minor: number; places: Uint8Array }[]
  /** The times of the first and last event of a segment. */
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

/** How many counts a row sums up. */
export interface CountSum {
  rows: number
}

/** The rows to show; null when they are sums of more than `most` counts. */
export function unlessMore<Row extends object>(
  found: readonly (Row & CountSum)[],
  most: number,
): Row[] | null {
  const sum = found.reduce((all, { rows }) => all + rows, 0)
  return sum > most ? null : found.map(({ rows: _, ...row }) => row as unknown as Row)
}

/** The same where each row has the number of counts of all rows together. */
export function unlessMoreThan<Row extends object>(
  most: number,
  found: readonly (Row & CountSum)[],
): Row[] | null {
  return (found[0]?.rows ?? 0) > most ? null : unlessMore(found, Number.POSITIVE_INFINITY)
}
