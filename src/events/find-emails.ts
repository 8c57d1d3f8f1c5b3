/** Searches for emails of a company, or of all, page by page in either direction. Results are newest first. */
import { unnamedTag } from '../email/event.ts'
import { foldedAscii } from '../email/folded-ascii.ts'
import type { EmailFilter, EmailSummary } from '../email/stored-email.ts'
import { EMAILS_A_SEGMENT, emailTerms, isFiledByEvent, LIST } from '../store/digest.ts'
import { wordsIn } from '../store/searched-words.ts'
import type { DigestStore, FollowerStore, PlaceList, SearchStore } from '../store/store.ts'
import { DIGEST } from './digest.ts'
import { type ListWalkPace, listedPlaces } from './listed-places.ts'
import {
  isWholeAddress,
  type MatchedEmail,
  SEARCHES_HERE,
  type SearchedPlaces,
  type WordExcerpt,
  WordMatch,
  type WordSearches,
  type WordStore,
} from './word-match.ts'

/** The most emails examined for one page, matching or not. */
const LOOKS = 2_000
/** The same for emails with live recipients, which are looked at for nothing else. */
const LIVE_LOOKS = 10_000
/** The most emails examined for one page when their texts are read. */
const TEXT_LOOKS = 1_000
/** The most emails, newest first, whose texts are searched for words that may be anywhere in an email. */
const NEWEST_TEXTS = 2_000
/**
 * The approximate limit of octets for a page, and for emails that are in no list yet. A page that exceeds it ends
 * before it has the requested number of emails.
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
 * Times and ids come from the clock of the node that accepted the email, and clocks differ. The search therefore
 * extends each bound by this many ms.
 */
const CLOCKS_DIFFER_MS = 60_000

export type EmailSearchStore = SearchStore &
  Pick<DigestStore, 'readLists'> &
  WordStore &
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
  /** Excerpts around words that were found outside the subject, by the email's id. */
  words: ReadonlyMap<string, WordExcerpt>
  /** Null: the search had no words that may be anywhere in an email. */
  texts: SearchedTexts | null
}

/**
 * The texts that were searched for words that may be anywhere in an email: those of the newest emails that match the
 * rest of the filter.
 */
export interface SearchedTexts {
  count: number
  /** True: no other emails match the rest of the filter. */
  all: boolean
}

interface WalkRequest {
  above: number
  below: number
  newestFirst: boolean
  limit: number
  /** The part of the filter that no database evaluates. */
  words: WordMatch
  places: SearchedPlaces
  /** The most emails to examine. */
  looks: number
}

/** In the order of the direction. `reached`: the last examined email; null: all were examined. */
interface WalkPage {
  emails: MatchedEmail[]
  reached: { place: number; id: string } | null
}

/** Finds a page of emails. `searches`: absent if the filter has no words of answers and texts. */
export async function findEmails(
  store: EmailSearchStore,
  filter: EmailFilter,
  { olderThan, newerThan, limit }: EmailRange,
  searches: WordSearches = SEARCHES_HERE,
): Promise<FoundEmails> {
  const newestFirst = newerThan === undefined || olderThan !== undefined
  const bounds = await boundsOf(store, filter, olderThan, newerThan)
  // Emails above the settled place are left out: another email may still get a lower place, and a caller that has gone
  // past that place would miss it.
  if (!newestFirst) bounds.below = Math.min(bounds.below, (await store.settledEmailPlace()) + 1)
  const inTexts = filter.textWords !== undefined
  const readsTexts = inTexts || filter.attachments === true
  const wanted: WalkRequest = {
    ...bounds,
    newestFirst,
    // One more than requested, to tell whether there are more.
    limit: limit + 1,
    words: new WordMatch(store, filter, searches),
    places: inTexts ? 'text' : 'listed',
    looks: readsTexts ? TEXT_LOOKS : LOOKS,
  }
  const listed = await walk(store, filter, wanted)
  const searchesNewest = filter.anyWords !== undefined && !inTexts && newestFirst && searches.texts !== null
  const newest = searchesNewest ? await inNewestTexts(store, filter, wanted, searches, listed.reached) : null
  const found = newest === null ? listed : together(listed, newest.page)
  const matched = found.emails.slice(0, limit)
  const more = found.emails.length > limit
  const reached = more ? matched.at(-1)!.email.id : (found.reached?.id ?? null)
  if (!newestFirst) matched.reverse()
  const words = new Map(
    matched.flatMap(({ email, found }) => (found === null ? [] : [[email.id, found] as const])),
  )
  return {
    emails: matched.map(({ email }) => email),
    complete: reached === null,
    next: reached,
    words,
    texts: newest?.texts ?? null,
  }
}

async function walk(store: EmailSearchStore, filter: EmailFilter, request: WalkRequest): Promise<WalkPage> {
  return (await byLists(store, filter, request)) ?? (await byWalk(store, filter, request))
}

async function byWalk(
  store: EmailSearchStore,
  filter: EmailFilter,
  { above, below, newestFirst, limit, words, places, looks }: WalkRequest,
): Promise<WalkPage> {
  const read = words.matters ? looks : limit
  const most = filter.live ? LIVE_LOOKS : LOOKS
  const range = { above, below, newestFirst, limit: read, looks: most, octets: OCTETS }
  const walked = await store.walkEmails(filter, range)
  const { matched, examined } = await words.first(walked.emails, places, limit)
  const last = walked.emails[examined - 1]
  if (examined < walked.emails.length) return { emails: matched, reached: at(last!) }
  return { emails: matched, reached: walked.complete ? null : walked.reached }
}

const at = ({ place, email }: { place: number; email: EmailSummary }) => ({ place, id: email.id })

/**
 * Looks for the words in the texts of the newest emails that match the rest of the filter. Returns the matches between
 * the bounds, down to `floor`. The newest emails are looked up for each page, so that no page depends on earlier ones.
 */
async function inNewestTexts(
  store: EmailSearchStore,
  filter: EmailFilter,
  { below, limit, words, ...request }: WalkRequest,
  { statuses, replies }: WordSearches,
  floor: WalkPage['reached'],
): Promise<{ page: WalkPage; texts: SearchedTexts }> {
  const { anyWords: _, anyWordsOpen: __, ...rest } = filter
  const newest = await walk(store, rest, {
    ...request,
    ...(await boundsOf(store, rest, undefined, undefined)),
    words: new WordMatch(store, rest, { statuses, texts: null, replies }),
    limit: NEWEST_TEXTS,
  })
  const emails = newest.emails.slice(0, NEWEST_TEXTS)
  const all = newest.reached === null && emails.length === newest.emails.length
  const within = emails.filter(
    ({ place }) => place < below && place > request.above && place >= (floor?.place ?? 0),
  )
  const { matched, examined } = await words.first(within, 'text', limit)
  const reached = examined < within.length ? at(within[examined - 1]!) : null
  return { page: { emails: matched, reached }, texts: { count: emails.length, all } }
}

/** Merges two pages, newest first, down to the place that both have examined. */
function together(one: WalkPage, other: WalkPage): WalkPage {
  const [reached = null] = [one.reached, other.reached]
    .filter((each) => each !== null)
    .sort((a, b) => b.place - a.place)
  const found = new Map([...other.emails, ...one.emails].map((each) => [each.place, each]))
  const emails = [...found.values()]
    .filter(({ place }) => place >= (reached?.place ?? 0))
    .sort((a, b) => b.place - a.place)
  return { emails, reached }
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
const MAX_WORDS = 5

/** The lists of the filter. Each of them contains every matching email. Empty: no list serves the filter. */
function listsOf(filter: EmailFilter): PlaceList[] {
  const { companyId, domainId, keyId, to, toDomain, tag, words, replyWords, anyWords, textWords } = filter
  const { events, hadEvents } = filter
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
  for (const word of selective(words)) byMany(emailTerms.ofWord(word))
  for (const word of selective(replyWords)) byMany(emailTerms.ofReplyWord(word))
  // If the filter also has words of texts, these words may be in the text of any email as well.
  if (textWords === undefined) {
    for (const word of selective(anyWords?.filter((phrase) => !isWholeAddress(phrase)))) {
      byMany(emailTerms.ofWord(word), emailTerms.ofReplyWord(word), emailTerms.ofAddressWord(word))
    }
    // These lists also hold the emails from before addresses were filed by word.
    for (const address of anyWords?.filter(isWholeAddress).map(foldedAscii) ?? [])
      byMany(emailTerms.ofAddress(address), emailTerms.ofSender(address))
  }
  for (const types of [events, hadEvents])
    if (types?.every(isFiledByEvent)) byFew(...types.map(emailTerms.ofEvent))
  // Lists by key and domain exist for each company only, not for all.
  if (companyId === null) return lists
  if (keyId !== undefined) byFew(emailTerms.ofKey(keyId))
  // Few domains write to one address, so their list would hardly narrow the result.
  if (domainId !== undefined && to === undefined) byFew(emailTerms.ofDomain(domainId))
  return lists
}

function selective(phrases: readonly string[] = []): string[] {
  const different = [...new Set(phrases.flatMap(wordsIn))].sort((a, b) => b.length - a.length)
  return different.slice(0, MAX_WORDS)
}

/** Null if no list serves the filter, or if the digest is far behind the log. */
async function byLists(
  store: EmailSearchStore,
  filter: EmailFilter,
  range: WalkRequest,
): Promise<WalkPage | null> {
  const lists = listsOf(filter)
  if (lists.length === 0) return null
  const { above, below, newestFirst, words, places } = range
  const cursor = await store.followerCursor(DIGEST)
  const limit = words.matters ? range.looks : range.limit
  const walk = { above, below, newestFirst, limit, octets: OCTETS }
  const fresh = await store.emailsBegunAfter(cursor, filter, walk)
  if (fresh === null) return null
  const begun = await words.first(fresh.emails, places, range.limit)
  // Emails behind the last one examined here may be in no list yet.
  const isPart = fresh.full || begun.examined < fresh.emails.length
  const end = isPart ? fresh.emails[begun.examined - 1]!.place : null
  const until = end === null ? {} : newestFirst ? { above: end } : { below: end }
  const listed = await readListed(store, filter, lists, { ...range, ...until })
  /** A number that rises along the walk. */
  const way = (place: number | null) => {
    return place === null ? Number.POSITIVE_INFINITY : newestFirst ? -place : place
  }
  const reached = way(end) < way(listed.reached) ? end : listed.reached
  const found = new Map([...begun.matched, ...listed.emails].map((email) => [email.place, email]))
  const emails = [...found.values()]
    .filter(({ place }) => way(place) <= way(reached))
    .sort((a, b) => way(a.place) - way(b.place))
  if (reached === null) return { emails, reached }
  const id = await store.emailAlong(filter.companyId, reached, newestFirst)
  return { emails, reached: id === null ? null : { place: reached, id } }
}

/** `reached`: the last examined place; null: all were examined. */
async function readListed(
  store: EmailSearchStore,
  filter: EmailFilter,
  lists: readonly PlaceList[],
  { above, below, newestFirst, limit, words, places: searched, looks: most }: WalkRequest,
): Promise<{ emails: MatchedEmail[]; reached: number | null }> {
  const { companyId } = filter
  const range = { companyId, lists, above, below, newestFirst, since: null, until: null }
  const emails: MatchedEmail[] = []
  let looks = 0
  let octets = OCTETS
  // Reads more emails at a time after a batch with few matches.
  const wanted = () => Math.max(limit - emails.length, looks)
  let end: number | null = null
  for await (const { places, edge } of listedPlaces(store, range, LISTS, wanted)) {
    end = edge
    if (places.length === 0) break
    const some = places.splice(0, wanted())
    const read = await store.emailsAt(filter, some, { newestFirst, limit: limit - emails.length, octets })
    emails.push(...(await words.matching(read.emails, searched)))
    octets -= read.octets
    const reached = read.full ? read.emails.at(-1)!.place : some.at(-1)!
    const past = some.indexOf(reached) + 1
    looks += past
    if (emails.length >= limit || octets <= 0 || looks >= most) return { emails, reached }
    // Some of the emails did not match, so the places behind them are still needed.
    places.unshift(...some.slice(past))
  }
  return { emails, reached: end }
}
