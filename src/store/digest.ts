/**
 * What is made of the log of events for those who search and count: which emails and events have something in common,
 * and how many events there were when. Made behind the hot path, which gets no index for any of this.
 *
 * Places of emails and numbers of events are kept in lists: one for each term (an address, a tag, a type of event, ...)
 * and segment of the order, as two octets for each place within the segment. Terms of which a segment has few places
 * share lists: a row for each address would cost more than everything else about an email that is made here. To a list
 * something is only added.
 */

/** In the place of a company's number: all companies together. */
export const EVERY_COMPANY = 0

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
  /** Of a recipient. */
  ofRecipientDomain: (name: string) => termOf('to domain', name),
  ofTag: (name: string) => termOf('tag', name),
  ofTagValue: (name: string, value: string) => termOf('tag value', name, value),
  ofKey: (keyId: string) => termOf('key', keyId),
  /** As `subject-words.ts` has it. */
  ofWord: (word: string) => termOf('word', word),
  /** That such an event has happened to the email: of the types for which `isFiledByEvent` holds. */
  ofEvent: (type: string) => termOf('event', type),
}
export const eventTerms = {
  ofAny: (domainId: string | null) => termOf('any', domainId ?? ''),
  ofType: (domainId: string | null, type: string) => termOf('type', domainId ?? '', type),
  ofTag: (name: string) => termOf('tag', foldedTag(name)),
  ofTagValue: (name: string, value: string) => termOf('tag value', foldedTag(name), foldedTag(value)),
}

/** Events that nearly every email has: it is found as fast without lists of them. */
const USUAL: ReadonlySet<string> = new Set(['queued', 'sent', 'delivered'])

/** Whether emails are listed by events of this type (`emailTerms.ofEvent`). */
export function isFiledByEvent(type: string): boolean {
  return !USUAL.has(type)
}

/** Tags of events compare without regard to the case of their letters. */
export function foldedTag(text: string): string {
  return text.toLowerCase()
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

/** Shared lists of a segment. */
const SHARED = 64
/** Octets of a place in a shared list: what is left of the term, then the place. */
const SHARED_OCTETS = 6

/** In the place of the term, that of the list which it shares with others. */
export function sharedBy(term: number): number {
  return -1 - (Math.floor(term / 0x1_0000_0000) % SHARED)
}

/** What is filed under one of these terms. */
export interface PlaceList {
  kind: ListKind
  terms: readonly number[]
}

/** A part of a list as it is kept. */
export interface ListRow {
  segment: number
  /** The term, or the number of a list that terms share. */
  key: number
  places: Uint8Array
}

/** Under which keys rows of a list may be. */
export function keysOf({ kind, terms }: PlaceList): number[] {
  return isByTerm(kind) ? [...terms] : [...new Set([...terms, ...terms.map(sharedBy)])]
}

/** What these rows have of the list; a segment in which they have nothing is missing. */
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
    else for (const term of terms) if (sharedBy(term) === key) add(segment, unshared(term, places))
  }
  return found
}

/**
 * Octets from which on a list by term is written anew without what is there several times: an email may have the same
 * event any number of times.
 */
export const LONG_LIST = 4 * 2 * EMAILS_A_SEGMENT

/** Each place once. */
export function withoutRepeats(places: Uint8Array): Uint8Array {
  return packPlaces([...new Set(offsetsOf(places))])
}

/** Octets of places within their segment. */
export function packPlaces(offsets: readonly number[]): Uint8Array {
  const octets = new Uint8Array(offsets.length * 2)
  let at = 0
  for (const offset of offsets) {
    octets[at++] = offset >> 8
    octets[at++] = offset & 0xff
  }
  return octets
}

/** The same of several terms, for a shared list: the terms and places in turns. */
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

/** What a shared list has of a term, as `packPlaces` has it. */
export function unshared(term: number, octets: Uint8Array): Uint8Array {
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

/** The places that a list of a segment has, as they were added. */
export function placesOf(segment: number, length: number, octets: Uint8Array): number[] {
  return offsetsOf(octets).map((offset) => segment * length + offset)
}

function offsetsOf(octets: Uint8Array): number[] {
  const offsets: number[] = []
  for (let at = 0; at + 1 < octets.length; at += 2) offsets.push(octets[at]! * 256 + octets[at + 1]!)
  return offsets
}

/** What of one list of a segment is in another one of it, too. */
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
 * By what counts are told apart. Of each sending domain: not at all, by tag (its value), by the domain of the
 * recipient. Of a company, and of all companies together, so that a long time comes to few counts: not at all
 * (`total`), by the domain of the recipient as far as it is named (named-destinations.ts; '': all others), and how long
 * delivery took (latency.ts).
 */
export const COUNT_DIMENSIONS = ['all', 'tag', 'recipient-domain', 'total', 'destination', 'latency'] as const
export type CountDimension = (typeof COUNT_DIMENSIONS)[number]

/** Rows removed in one step, so that it does not hold up commits. */
export const TRIMMED_AT_ONCE = 1_000

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

/** How many counts a row is made of. */
export interface AddedUp {
  rows: number
}

/** As they are shown; null where they are made of more than `most` counts. */
export function unlessMore<Row extends object>(
  found: readonly (Row & AddedUp)[],
  most: number,
): Row[] | null {
  const sum = found.reduce((all, { rows }) => all + rows, 0)
  return sum > most ? null : found.map(({ rows: _, ...row }) => row as unknown as Row)
}

/** The same where each row says of how many counts all of them are made. */
export function unlessMoreThan<Row extends object>(
  most: number,
  found: readonly (Row & AddedUp)[],
): Row[] | null {
  return (found[0]?.rows ?? 0) > most ? null : unlessMore(found, Number.POSITIVE_INFINITY)
}
