/** Makes the digest (digest.ts) of some events of the log. */
import { countedBounce } from '../email/bounce-kind.ts'
import type { EventDetail } from '../email/event.ts'
import { countedRefusal } from '../email/refusal-reason.ts'
import {
  COUNT_SIZES,
  type Digest,
  EMAILS_A_SEGMENT,
  EVENTS_A_SEGMENT,
  EVERY_COMPANY,
  emailTerms,
  eventTerms,
  isFiledByEvent,
  LIST,
  type ListKind,
  segmentOf,
} from './digest.ts'
import { Counts, DestinationCounts } from './digest-counts.ts'
import { Lists } from './digest-lists.ts'
import { latencyBucket } from './latency.ts'
import { NamedDestinations } from './named-destinations.ts'
import { FILED_RECIPIENTS, filedReplyWords, filedWords } from './searched-words.ts'

/** An event with the fields that it is filed under. */
export interface DigestedEvent {
  number: number
  /** The company's number. */
  company: number
  type: string
  at: number
  /** Place of its email. */
  place: number
  domainId: string
  /** JSON. */
  tags: string | null
  /** The domain of the recipient; null when the event is about the email as a whole. */
  recipientDomain: string | null
  /** Unix ms from which the email could be sent; null when the event is not a delivery. */
  sendableAt: number | null
  /** The detail of an event that has a category, as JSON; null for any other. */
  refusal: string | null
  /** Set when the email begins with this event; otherwise null. */
  begun: BegunEmail | null
}

interface BegunEmail {
  keyId: string
  /** The beginning of its subject. */
  subject: string
  /** The author's address, folded. */
  sender: string
  /** The beginnings of its From and To fields, as text whose words are filed. */
  addresses: string
  recipients: { address: string; domain: string }[]
}

interface Tag {
  name: string
  value: string
}

/** The type under which accepted emails are counted. */
const ACCEPTED = 'accepted'

/** `named`: the destinations that have a name, kept from one step to the next. */
export function makeDigest(events: readonly DigestedEvent[], named = new NamedDestinations()): Digest {
  const lists = new Lists()
  const spans = new Spans()
  const subjects = new Terms(subjectTerms)
  const replies = new Terms(replyTerms)
  const addresses = new Terms(addressTerms)
  const logged = new GroupedEvents(EVENTS_A_SEGMENT)
  const accepted = new GroupedEvents(EMAILS_A_SEGMENT)
  const bounces = new GroupedEvents(EVENTS_A_SEGMENT)
  for (const event of events) {
    const { company, number, type, at, place, recipientDomain, sendableAt, refusal, begun } = event
    const segment = segmentOf(place, EMAILS_A_SEGMENT)
    const offset = place % EMAILS_A_SEGMENT
    spans.add(company, segmentOf(number, EVENTS_A_SEGMENT), at)
    const counts = logged.groupOf(event, type).add(number, at)
    counts.n++
    if (recipientDomain !== null) counts.countDomain(recipientDomain)
    if (sendableAt !== null) counts.countLatency(at - sendableAt)
    if (refusal !== null) {
      const { reason, kind } = countedRefusal(type, refusal)
      counts.countReason(reason)
      const bounce = type === 'bounced' ? countedBounce(kind) : null
      if (bounce !== null) {
        const those = bounces.groupOf(event, bounce).add(number, at)
        those.n++
        if (recipientDomain !== null) those.countDomain(recipientDomain)
      }
      for (const term of replies.of(replyOf(refusal))) {
        lists.addOnce(company, LIST.emailsByMany, segment, term, offset)
      }
    }
    if (isFiledByEvent(type)) {
      lists.addOnce(company, LIST.emailsByFew, segment, emailTerms.ofEvent(type), offset)
    }
    if (begun === null) continue
    // Accepted emails are counted by recipients, like the outcomes.
    const those = accepted.groupOf(event, ACCEPTED, begun.keyId).add(place, at)
    those.n += begun.recipients.length
    for (const { address, domain } of begun.recipients) {
      those.countDomain(domain)
      lists.add(company, LIST.emailsByMany, segment, emailTerms.ofAddress(address), [offset])
    }
    for (const domain of new Set(begun.recipients.map((recipient) => recipient.domain))) {
      lists.add(company, LIST.emailsByMany, segment, emailTerms.ofRecipientDomain(domain), [offset])
    }
    for (const term of subjects.of(begun.subject)) {
      lists.add(company, LIST.emailsByMany, segment, term, [offset])
    }
    const named = begun.recipients.slice(0, FILED_RECIPIENTS)
    const texts = [begun.addresses, ...named.map(({ address }) => address)]
    for (const term of new Set(texts.flatMap((text) => addresses.of(text)))) {
      lists.add(company, LIST.emailsByMany, segment, term, [offset])
    }
    lists.add(company, LIST.emailsByMany, segment, emailTerms.ofSender(begun.sender), [offset])
  }
  const counts = new Counts()
  const destinations = new DestinationCounts()
  for (const group of logged.all()) {
    const { domainId, type, tags } = group
    const few = [null, domainId].flatMap((domain) => [
      eventTerms.ofAny(domain),
      eventTerms.ofType(domain, type),
    ])
    group.file(lists, LIST.eventsByFew, few)
    group.file(lists, LIST.eventsByMany, tagTerms(eventTerms, tags))
    group.count(counts, destinations)
  }
  for (const group of accepted.all()) {
    group.file(lists, LIST.emailsByFew, [emailTerms.ofDomain(group.domainId), emailTerms.ofKey(group.keyId)])
    const tags = tagTerms(emailTerms, group.tags)
    for (const { value } of group.tags) tags.add(emailTerms.ofAnyTagValue(value))
    group.file(lists, LIST.emailsByMany, tags)
    group.count(counts, destinations)
  }
  for (const group of bounces.all()) group.countByDomain(counts)
  destinations.count(counts, named)
  return { lists: lists.all(), spans: spans.all(), counts: counts.all() }
}

/** Caches the terms of texts, because many emails have the same subject, and many servers the same answer. */
class Terms {
  readonly #make: (text: string) => number[]
  readonly #terms = new Map<string, number[]>()

  constructor(make: (text: string) => number[]) {
    this.#make = make
  }

  of(text: string): readonly number[] {
    let terms = this.#terms.get(text)
    if (terms === undefined) {
      terms = this.#make(text)
      this.#terms.set(text, terms)
    }
    return terms
  }
}

function subjectTerms(subject: string): number[] {
  return [...filedWords(subject)].map(emailTerms.ofWord)
}

function addressTerms(text: string): number[] {
  return [...filedWords(text)].map(emailTerms.ofAddressWord)
}

function replyTerms(reply: string): number[] {
  return [...filedReplyWords(reply)].map(emailTerms.ofReplyWord)
}

/** The answer in the detail of an event, which is JSON. Its codes are words as well: `550`, and `5`, `1`, `1`. */
function replyOf(detail: string): string {
  const { code, enhancedCode, message } = JSON.parse(detail) as EventDetail
  return [code, enhancedCode, message].filter((part) => part !== undefined).join(' ')
}

function tagTerms(terms: typeof emailTerms | typeof eventTerms, tags: Tag[]): Set<number> {
  return new Set(tags.flatMap(({ name, value }) => [terms.ofTag(name), terms.ofTagValue(name, value)]))
}

type Common = Pick<DigestedEvent, 'company' | 'domainId' | 'tags'>

/** Groups events that differ only in number, time and recipient; emails likewise. */
class GroupedEvents {
  readonly #length: number
  readonly #groups = new Map<string, EventGroup>()

  /** `length`: places per segment. */
  constructor(length: number) {
    this.#length = length
  }

  groupOf(common: Common, type: string, keyId = ''): EventGroup {
    const { company, domainId, tags } = common
    const key = `${company} ${type} ${domainId} ${keyId} ${tags}`
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = new EventGroup(common, type, keyId, this.#length)
      this.#groups.set(key, group)
    }
    return group
  }

  all(): Iterable<EventGroup> {
    return this.#groups.values()
  }
}

/** A group's entries and counts are computed once for all its members. */
class EventGroup {
  readonly company: number
  readonly domainId: string
  readonly type: string
  /** Set for accepted emails. */
  readonly keyId: string
  readonly tags: Tag[]
  readonly #length: number
  readonly #segments = new Map<number, number[]>()
  readonly #minutes = new Map<number, MinuteCounts>()

  constructor({ company, domainId, tags }: Common, type: string, keyId: string, length: number) {
    this.company = company
    this.domainId = domainId
    this.type = type
    this.keyId = keyId
    this.tags = tags === null ? [] : (JSON.parse(tags) as Tag[])
    this.#length = length
  }

  /** Returns the counts of its minute. */
  add(place: number, at: number): MinuteCounts {
    const segment = segmentOf(place, this.#length)
    const offsets = this.#segments.get(segment)
    if (offsets === undefined) this.#segments.set(segment, [place % this.#length])
    else offsets.push(place % this.#length)
    const minute = Math.floor(at / COUNT_SIZES.minute)
    let counts = this.#minutes.get(minute)
    if (counts === undefined) {
      counts = new MinuteCounts()
      this.#minutes.set(minute, counts)
    }
    return counts
  }

  file(lists: Lists, kind: ListKind, terms: Iterable<number>): void {
    for (const term of terms) {
      for (const [segment, offsets] of this.#segments) lists.add(this.company, kind, segment, term, offsets)
    }
  }

  count(counts: Counts, destinations: DestinationCounts): void {
    this.countByDomain(counts)
    const { company, domainId, type } = this
    const own = { company, domainId, type }
    const whole = [company, EVERY_COMPANY].map((company) => ({
      total: counts.seriesOf({ company, domainId: '', type, dimension: 'total' }),
      latency: counts.seriesOf({ company, domainId: '', type, dimension: 'latency' }),
    }))
    const reasonsOf = [
      counts.seriesOf({ ...own, dimension: 'reason' }),
      counts.seriesOf({ company: EVERY_COMPANY, domainId: '', type, dimension: 'reason' }),
    ]
    for (const [minute, { n, domains, latencies, reasons }] of this.#minutes) {
      for (const [reason, n] of reasons) for (const series of reasonsOf) series.add(reason, minute, n)
      destinations.add(company, type, minute, domains)
      for (const { total, latency } of whole) {
        total.add('', minute, n)
        for (const [bucket, n] of latencies) latency.add(bucket, minute, n)
      }
    }
  }

  /** Counts by sending domain alone, and with a tag or the recipients' domain. */
  countByDomain(counts: Counts): void {
    const { company, domainId, type } = this
    const own = { company, domainId, type }
    const values = new Set(this.tags.map(({ value }) => value))
    const all = counts.seriesOf({ ...own, dimension: 'all' })
    const byTag = counts.seriesOf({ ...own, dimension: 'tag' })
    const byDomain = counts.seriesOf({ ...own, dimension: 'recipient-domain' })
    for (const [minute, { n, domains }] of this.#minutes) {
      all.add('', minute, n)
      for (const value of values) byTag.add(value, minute, n)
      for (const [domain, n] of domains) byDomain.add(domain, minute, n)
    }
  }
}

class MinuteCounts {
  n = 0
  readonly domains = new Map<string, number>()
  readonly latencies = new Map<string, number>()
  readonly reasons = new Map<string, number>()

  countDomain(domain: string): void {
    this.domains.set(domain, (this.domains.get(domain) ?? 0) + 1)
  }

  countLatency(ms: number): void {
    const bucket = latencyBucket(ms)
    this.latencies.set(bucket, (this.latencies.get(bucket) ?? 0) + 1)
  }

  countReason(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1)
  }
}

type DigestSpan = Digest['spans'][number]

class Spans {
  readonly #spans = new Map<string, DigestSpan>()
  /** Events of a company often follow each other. */
  #last: DigestSpan | null = null

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

  all(): DigestSpan[] {
    return [...this.#spans.values()]
  }
}
