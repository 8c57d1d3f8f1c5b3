/** Emails of a company that are wanted, page by page in either direction, newest first. */
import type { EmailFilter, EmailSummary, PlacedEmail } from '../email/stored-email.ts'
import { EMAILS_A_SEGMENT, emailTerms, LIST, placesOf, segmentOf } from '../store/digest.ts'
import { foldedAscii } from '../store/email-conditions.ts'
import type { PlaceList, Store } from '../store/store.ts'
import { DIGEST } from './digest.ts'
import { octetsOf, Portions } from './portions.ts'

/** Emails looked at for one page at most, wanted or not. */
const LOOKS = 2_000
/** Of a page, about: one with more ends before it has as many emails as were asked for. */
const MOST_OCTETS = 2 * 1024 ** 2
/** Segments looked at in the first question; so many times more in each that follows. */
const FIRST_SEGMENTS = 4
const MORE = 16
const MOST_SEGMENTS = 1_024
const QUESTIONS = 6
/**
 * Times and ids are those of the node that took the email, and clocks differ: so many ms before and after a time are
 * looked through for what belongs there.
 */
const CLOCKS_DIFFER_MS = 60_000

export type EmailSearchStore = Pick<
  Store,
  | 'emailAlong'
  | 'emailPlace'
  | 'emailsAt'
  | 'emailsBegunAfter'
  | 'followerCursor'
  | 'readLists'
  | 'settledEmailPlace'
  | 'walkEmails'
>

export interface EmailRange {
  /** Id of an email: only older ones; from the newest of these on. */
  olderThan?: string
  /** Id of an email: only newer ones; the nearest to it, unless `olderThan` is given, too. */
  newerThan?: string
  limit: number
}

export interface FoundEmails {
  /** Newest first, whatever the direction. */
  emails: EmailSummary[]
  /**
   * There are no more in this direction. Otherwise there may be, also where fewer came than the limit: what no index
   * serves is looked for among so many emails at a time.
   */
  complete: boolean
  /** Id of an email, which need not be a wanted one, from which to go on in this direction; null when complete. */
  next: string | null
}

interface Wanted {
  above: number
  below: number
  newestFirst: boolean
  limit: number
}

/** In the order of the direction; `reached`: the last email that was looked at. */
interface Found {
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
  // Who goes on behind the last of these misses none that takes its place below it later.
  if (!newestFirst) bounds.below = Math.min(bounds.below, (await store.settledEmailPlace()) + 1)
  // One more, which tells whether there are more.
  const wanted = { ...bounds, newestFirst, limit: limit + 1 }
  const found = (await byLists(store, filter, wanted)) ?? (await byWalk(store, filter, wanted))
  const emails = found.emails.slice(0, limit).map(({ email }) => email)
  const more = found.emails.length > limit
  const reached = more ? emails.at(-1)!.id : found.reached
  if (!newestFirst) emails.reverse()
  const complete = found.complete && !more
  return { emails, complete, next: complete ? null : reached }
}

async function byWalk(store: EmailSearchStore, filter: EmailFilter, range: Wanted): Promise<Found> {
  const { newestFirst, limit } = range
  let { above, below } = range
  const read = new Reading()
  const emails: PlacedEmail[] = []
  for (;;) {
    const wanted = Math.min(read.next, limit - emails.length)
    const walked = await store.walkEmails(filter, { above, below, newestFirst, limit: wanted, looks: LOOKS })
    const { complete, reached } = walked
    for (const email of walked.emails) emails.push(read.add(email))
    const isPart = !complete && reached !== null && walked.emails.length === wanted
    if (!isPart || emails.length === limit || read.isFull) {
      return { emails, complete, reached: reached?.id ?? null }
    }
    if (newestFirst) below = reached.place
    else above = reached.place
  }
}

/** What was read for a page so far. */
class Reading extends Portions {
  #octets = 0

  add(placed: PlacedEmail): PlacedEmail {
    const octets = octetsOf(placed.email)
    this.read(octets)
    this.#octets += octets
    return placed
  }

  get isFull(): boolean {
    return this.#octets >= MOST_OCTETS
  }
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

/** The first UUID (version 7, RFC 9562) of a time in Unix ms. */
function firstIdAt(time: number): string {
  const ms = Math.min(2 ** 48 - 1, Math.max(0, Math.floor(time)))
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** What the filter wants most of all, as lists; null: no list serves it. */
function listOf({ domainId, to, tag }: EmailFilter): PlaceList | null {
  if (to !== undefined) return { kind: LIST.emailsByMany, terms: [emailTerms.ofAddress(foldedAscii(to))] }
  if (tag !== undefined) {
    const { name, value } = tag
    const term = value === undefined ? emailTerms.ofTag(name) : emailTerms.ofTagValue(name, value)
    return { kind: LIST.emailsByMany, terms: [term] }
  }
  if (domainId !== undefined) return { kind: LIST.emailsByFew, terms: [emailTerms.ofDomain(domainId)] }
  return null
}

/** Null where no list serves the filter, or what is made of the log lies far behind. */
async function byLists(store: EmailSearchStore, filter: EmailFilter, range: Wanted): Promise<Found | null> {
  const { above, below, newestFirst, limit } = range
  const list = listOf(filter)
  if (list === null) return null
  const fresh = await store.emailsBegunAfter(await store.followerCursor(DIGEST), filter, range)
  if (fresh === null) return null
  const ahead = (place: number, than: number) => (newestFirst ? place > than : place < than)
  const found = new Map<number, PlacedEmail>()
  const read = new Reading()
  let looks = 0
  const answer = async (reached: number | null): Promise<Found> => {
    for (const email of fresh) found.set(email.place, email)
    const emails = [...found.values()]
      .filter(({ place }) => reached === null || place === reached || ahead(place, reached))
      .sort((a, b) => (newestFirst ? b.place - a.place : a.place - b.place))
    const complete = reached === null
    return {
      emails,
      complete,
      reached: complete ? null : await store.emailAlong(filter.companyId, reached, newestFirst),
    }
  }
  let from = segmentOf(above, EMAILS_A_SEGMENT)
  let to = segmentOf(below, EMAILS_A_SEGMENT)
  let segments = FIRST_SEGMENTS
  for (let questions = 0; questions < QUESTIONS; questions++) {
    const lists = await store.readLists({
      companyId: filter.companyId,
      lists: [list],
      from,
      to,
      newestFirst,
      since: null,
      until: null,
      looks: segments,
    })
    // Of segments that have few, those of several are read together.
    const rest: number[] = []
    for (const [index, { segment, places }] of lists.segments.entries()) {
      const those = [...new Set(placesOf(segment, EMAILS_A_SEGMENT, places[0]!))]
        .filter((place) => place > above && place < below)
        .sort((a, b) => (newestFirst ? b - a : a - b))
      rest.push(...those)
      const isLast = index === lists.segments.length - 1
      while (rest.length >= read.next || (isLast && rest.length > 0)) {
        const some = rest.splice(0, read.next)
        for (const email of await store.emailsAt(filter, some)) found.set(email.place, read.add(email))
        looks += some.length
        if (found.size >= limit || looks >= LOOKS || read.isFull) return answer(some.at(-1)!)
      }
    }
    if (lists.reached === null) return answer(null)
    if (newestFirst) to = lists.reached - 1
    else from = lists.reached + 1
    segments = Math.min(MORE * segments, MOST_SEGMENTS)
  }
  return answer(newestFirst ? (to + 1) * EMAILS_A_SEGMENT : from * EMAILS_A_SEGMENT - 1)
}
