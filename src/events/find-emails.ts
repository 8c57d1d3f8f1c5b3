/** Searches for emails of a company, or of all, page by page in either direction. Results are newest first. */
import { unnamedTag } from '../email/event.ts'
import { foldedAscii } from '../email/folded-ascii.ts'
import type { EmailFilter, EmailSummary, PlacedEmail } from '../email/stored-email.ts'
import { EMAILS_A_SEGMENT, emailTerms, isFiledByEvent, LIST } from '../store/digest.ts'
import type { DigestStore, FollowerStore, PlaceList, SearchStore } from '../store/store.ts'
import { hasWords, wordsIn } from '../store/subject-words.ts'
import { DIGEST } from './digest.ts'
import { type ListWalkPace, listedPlaces } from './listed-places.ts'

/** The most emails examined for one page, matching or not. */
const LOOKS = 2_000
/**
 * Octets of a page, and of emails that are not in lists yet, approximately: a page that exceeds them ends before it has
 * the requested number of emails.
 */
const OCTETS = 2 * 1024 ** 2
const LISTS: ListWalkPace = {
  size: EMAILS_A_SEGMENT,
  queries: 6,
  first: 4,
  most: 1_024,
  little: Number.POSITIVE_INFINITY,
}
/**
 * Times and ids come from the clock of the node that accepted the email, and clocks differ: the search includes this
 * many ms before and after a time.
 */
const CLOCKS_DIFFER_MS = 60_000

export type EmailSearchStore = SearchStore &
  Pick<DigestStore, 'readLists'> &
  Pick<FollowerStore, 'followerCursor'>

export interface EmailRange {
  /** Id of an email: only older ones, beginning with the newest. */
  olderThan?: string
  /** Id of an email: only newer ones, beginning with the nearest unless `olderThan` is given too. */
  newerThan?: string
  limit: number
}

export interface FoundEmails {
  /** Newest first in both directions. */
  emails: EmailSummary[]
  /**
   * Whether there are no more in this direction. If false, there may be more even if fewer than the limit were found: a
   * search that no index serves examines a bounded number of emails at a time.
   */
  complete: boolean
  /** Id of an email, matching or not, from which to continue in this direction; null when complete. */
  next: string | null
}

interface WalkRequest {
  above: number
  below: number
  newestFirst: boolean
  limit: number
  /** The part of the filter that no database evaluates. */
  has: (email: PlacedEmail) => boolean
  /** Emails to read so that `limit` of them have it. */
  candidates: number
}

/** In the order of the direction; `reached`: the last email that was examined. */
interface WalkPage {
  emails: PlacedEmail[]
  complete: boolean
  reached: string | null
}

export async function findEmails(
  store: EmailSearchStore,
  filter: EmailFilter,
  { olderThan, newerThan, limit }: EmailRange,
): Promise<FoundEmails> {
  const newestFirst = newerThan === undefined || olderThan !== undefined
  const bounds = await boundsOf(store, filter, olderThan, newerThan)
  // Emails above the settled place are left out: another email may still get a place below them, and a caller that
  // continues behind them would miss it.
  if (!newestFirst) bounds.below = Math.min(bounds.below, (await store.settledEmailPlace()) + 1)
  const phrases = filter.words?.map(wordsIn).filter((phrase) => phrase.length > 0) ?? []
  const has = ({ email }: PlacedEmail) => phrases.every((phrase) => hasWords(email.subject, phrase))
  // One more than requested, to tell whether there are more.
  const most = limit + 1
  const candidates = phrases.length === 0 ? most : LOOKS
  const wanted = { ...bounds, newestFirst, limit: most, has, candidates }
  const found = (await byLists(store, filter, wanted)) ?? (await byWalk(store, filter, wanted))
  const emails = found.emails.slice(0, limit).map(({ email }) => email)
  const more = found.emails.length > limit
  const reached = more ? emails.at(-1)!.id : found.reached
  if (!newestFirst) emails.reverse()
  const complete = found.complete && !more
  return { emails, complete, next: complete ? null : reached }
}

async function byWalk(
  store: EmailSearchStore,
  filter: EmailFilter,
  { above, below, newestFirst, candidates: limit, has }: WalkRequest,
): Promise<WalkPage> {
  const walk = { above, below, newestFirst, limit, looks: LOOKS, octets: OCTETS }
  const walked = await store.walkEmails(filter, walk)
  return { ...walked, emails: walked.emails.filter(has), reached: walked.reached?.id ?? null }
}

async function boundsOf(
  store: EmailSearchStore,
  { since, until }: EmailFilter,
  olderThan: string | undefined,
  newerThan: string | undefined,
): Promise<{ above: number; below: number }> {
  const placeAt = (time: number) => store.emailPlace(firstIdAt(time))
  const above = await Promise.all([
    newerThan === undefined ? 0 : store.emailPlace(newerThan),
    since === undefined ? 0 : placeAt(since - CLOCKS_DIFFER_MS),
  ])
  const below = await Promise.all([
    olderThan === undefined ? Number.MAX_SAFE_INTEGER : store.emailPlace(olderThan),
    until === undefined ? Number.MAX_SAFE_INTEGER : placeAt(until + CLOCKS_DIFFER_MS),
  ])
  return { above: Math.max(...above), below: Math.min(...below) }
}

/** The smallest UUID (version 7, RFC 9562) of a time in Unix ms. */
function firstIdAt(time: number): string {
  const ms = Math.min(2 ** 48 - 1, Math.max(0, Math.floor(time)))
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/**
 * The most words of a filter that are looked up, the longest first: they are the most selective, and more of them
 * hardly narrow the result.
 */
const MOST_WORDS = 5

/** Lists that all contain every matching email; empty: no list serves the filter. */
function listsOf({ companyId, domainId, keyId, to, toDomain, tag, words, events }: EmailFilter): PlaceList[] {
  const lists: PlaceList[] = []
  const byMany = (...terms: number[]) => lists.push({ kind: LIST.emailsByMany, terms })
  const byFew = (...terms: number[]) => lists.push({ kind: LIST.emailsByFew, terms })
  if (to !== undefined) byMany(emailTerms.ofAddress(foldedAscii(to)))
  // The address implies the domain.
  if (toDomain !== undefined && to === undefined) byMany(emailTerms.ofRecipientDomain(toDomain))
  if (tag !== undefined) {
    const { name, value } = tag
    byMany(
      value === undefined ? emailTerms.ofTag(name) : emailTerms.ofTagValue(name, value),
      emailTerms.ofAnyTagValue(unnamedTag(tag).value),
    )
  }
  const different = [...new Set((words ?? []).flatMap(wordsIn))].sort((a, b) => b.length - a.length)
  for (const word of different.slice(0, MOST_WORDS)) byMany(emailTerms.ofWord(word))
  if (events?.every(isFiledByEvent)) byFew(...events.map(emailTerms.ofEvent))
  // Lists by key and domain exist for each company only, not for all.
  if (companyId === null) return lists
  if (keyId !== undefined) byFew(emailTerms.ofKey(keyId))
  // Few domains write to one address, so their list would hardly narrow the result.
  if (domainId !== undefined && to === undefined) byFew(emailTerms.ofDomain(domainId))
  return lists
}

/** Null if no list serves the filter, or if the digest is far behind the log. */
async function byLists(
  store: EmailSearchStore,
  filter: EmailFilter,
  range: WalkRequest,
): Promise<WalkPage | null> {
  const lists = listsOf(filter)
  if (lists.length === 0) return null
  const { above, below, newestFirst, candidates: limit, has } = range
  const cursor = await store.followerCursor(DIGEST)
  const walk = { above, below, newestFirst, limit, octets: OCTETS }
  const fresh = await store.emailsBegunAfter(cursor, filter, walk)
  if (fresh === null) return null
  // Behind the last of these there may be others that are in no list yet.
  const end = fresh.full ? fresh.emails.at(-1)!.place : null
  const until = end === null ? {} : newestFirst ? { above: end } : { below: end }
  const listed = await readListed(store, filter, lists, { ...range, ...until })
  /** Rises along the walk. */
  const way = (place: number | null) => {
    return place === null ? Number.POSITIVE_INFINITY : newestFirst ? -place : place
  }
  const reached = way(end) < way(listed.reached) ? end : listed.reached
  const found = new Map([...fresh.emails.filter(has), ...listed.emails].map((email) => [email.place, email]))
  const emails = [...found.values()]
    .filter(({ place }) => way(place) <= way(reached))
    .sort((a, b) => way(a.place) - way(b.place))
  if (reached === null) return { emails, complete: true, reached }
  return { emails, complete: false, reached: await store.emailAlong(filter.companyId, reached, newestFirst) }
}

/** `reached`: the last place that was examined; null: all were. */
async function readListed(
  store: EmailSearchStore,
  filter: EmailFilter,
  lists: readonly PlaceList[],
  { above, below, newestFirst, limit, has }: WalkRequest,
): Promise<{ emails: PlacedEmail[]; reached: number | null }> {
  const { companyId } = filter
  const range = { companyId, lists, above, below, newestFirst, since: null, until: null }
  const emails: PlacedEmail[] = []
  let looks = 0
  let octets = OCTETS
  // The fewer of the emails before matched, the more are read at a time.
  const wanted = () => Math.max(limit - emails.length, looks)
  let end: number | null = null
  for await (const { places, edge } of listedPlaces(store, range, LISTS, wanted)) {
    end = edge
    if (places.length === 0) break
    const some = places.splice(0, wanted())
    const read = await store.emailsAt(filter, some, { newestFirst, limit: limit - emails.length, octets })
    emails.push(...read.emails.filter(has))
    octets -= read.octets
    const reached = read.full ? read.emails.at(-1)!.place : some.at(-1)!
    const past = some.indexOf(reached) + 1
    looks += past
    if (emails.length >= limit || octets <= 0 || looks >= LOOKS) return { emails, reached }
    // Some of the emails read did not match after all, so the ones behind them are needed.
    places.unshift(...some.slice(past))
  }
  return { emails, reached: end }
}
