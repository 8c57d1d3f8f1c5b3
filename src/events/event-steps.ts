/** Reads candidates for a search of events, through the index that serves its filter best. */
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import { EVENTS_A_SEGMENT, eventTerms, LIST, placesOf, segmentOf } from '../store/digest.ts'
import type { PlaceList, Store } from '../store/store.ts'
import { type EmailSearchStore, findEmails } from './find-emails.ts'

/** Events read at a time. */
const STEP = 300
/** The most queries for one page, when most of what they examine does not match. */
const QUESTIONS = 12
/** Segments examined by the first query; while they hold little, each further query examines MORE times as many. */
const FIRST_SEGMENTS = 8
const MORE = 16
const MOST_SEGMENTS = 2_048
/** Octets of lists in one result that count as little, approximately. */
const LITTLE = 64 * 1024
/**
 * The most emails to an address, and recipients of these emails, whose events are read to find those of the address.
 */
const MOST_EMAILS = 500
const MOST_RECIPIENTS = 3_000

export type EventSearchStore = EmailSearchStore &
  Pick<Store, 'eventsAfter' | 'eventsAt' | 'eventsOf' | 'eventsUpTo' | 'settledEventNumber'>

/** Some events of the range, in its order; everything from the place before up to `reached` has been examined. */
interface EventStep {
  events: LoggedEvent[]
  reached: number
}

interface StepBounds {
  after: number
  upTo: number
  newestFirst: boolean
}

/** Candidates of the range; the lists cover it up to `digested`. The steps may end before the range does. */
export async function* stepsOf(
  store: EventSearchStore,
  filter: EventFilter,
  { after, upTo, newestFirst, digested }: StepBounds & { digested: number },
): AsyncGenerator<EventStep> {
  if (filter.emailId !== undefined) {
    yield wholeRange(await store.eventsOf([filter.emailId], filter.recipient ?? null), {
      after,
      upTo,
      newestFirst,
    })
    return
  }
  const middle = Math.min(upTo, Math.max(after, digested))
  const old = { after, upTo: middle, newestFirst }
  const fresh = { after: middle, upTo, newestFirst }
  for (const part of newestFirst ? [fresh, old] : [old, fresh]) {
    if (part.after >= part.upTo) continue
    let reached = newestFirst ? part.upTo : part.after
    for await (const step of part === fresh ? walk(store, filter, part) : walkList(store, filter, part)) {
      reached = step.reached
      yield step
    }
    if (newestFirst ? reached > part.after : reached < part.upTo) return
  }
}

/** A step with all events of some emails. */
function wholeRange(events: LoggedEvent[], { after, upTo, newestFirst }: StepBounds): EventStep {
  const those = events
    .filter(({ number }) => number > after && number <= upTo)
    .sort((a, b) => (newestFirst ? b.number - a.number : a.number - b.number))
  return { events: those, reached: newestFirst ? after : upTo }
}

/** Reads one event after the other. */
async function* walk(
  store: EventSearchStore,
  { companyId, types }: EventFilter,
  { after, upTo, newestFirst }: StepBounds,
): AsyncGenerator<EventStep> {
  const filter = { companyId, ...(types !== undefined && { types }) }
  let place = newestFirst ? upTo : after
  for (let questions = 0; questions < QUESTIONS; questions++) {
    const step = newestFirst
      ? await store.eventsUpTo(place, filter, STEP)
      : await store.eventsAfter(place, filter, STEP)
    place = newestFirst
      ? Math.max(after, step.cursor)
      : step.cursor <= place
        ? upTo
        : Math.min(upTo, step.cursor)
    yield { events: step.events.filter(({ number }) => number > after && number <= upTo), reached: place }
    if (place <= after || place >= upTo) return
  }
}

/** Reads the events in lists of events that share a property. */
async function* walkList(
  store: EventSearchStore,
  filter: EventFilter,
  bounds: StepBounds,
): AsyncGenerator<EventStep> {
  const { after, upTo, newestFirst } = bounds
  if (filter.recipient !== undefined) {
    const emails = await emailsTo(store, filter.companyId, filter.recipient)
    if (emails !== null) {
      yield wholeRange(await store.eventsOf(emails, filter.recipient), bounds)
      return
    }
  }
  const wanted = listsOf(filter)
  let from = segmentOf(after + 1, EVENTS_A_SEGMENT)
  let to = segmentOf(upTo, EVENTS_A_SEGMENT)
  let looks = FIRST_SEGMENTS
  const { companyId } = filter
  const times = { since: filter.since ?? null, until: filter.until ?? null }
  const timeless = times.since === null && times.until === null
  for (let questions = 0; questions < QUESTIONS; questions++) {
    const lists = await store.readLists({ companyId, lists: wanted, from, to, newestFirst, ...times, looks })
    let octets = 0
    // When segments hold few events, the events of several segments are read together.
    let rest: number[] = []
    for (const [index, { segment, places }] of lists.segments.entries()) {
      octets += places.length
      rest.push(...numbersOf(segment, places, bounds))
      const isLast = index === lists.segments.length - 1
      while (rest.length >= STEP || (isLast && rest.length > 0)) {
        // With bounds on the time, many events are examined to find few.
        const some = timeless ? rest.slice(0, STEP) : rest
        const events = await store.eventsAt(some, { ...times, newestFirst, limit: STEP })
        const all = timeless || events.length < STEP
        const last = all ? some.at(-1)! : events.at(-1)!.number
        rest = rest.slice(rest.indexOf(last) + 1)
        yield { events, reached: within(bounds, rest.length > 0 ? last : edgeOf(segment, newestFirst)) }
      }
    }
    if (lists.reached === null) {
      yield { events: [], reached: newestFirst ? after : upTo }
      return
    }
    yield { events: [], reached: within(bounds, edgeOf(lists.reached, newestFirst)) }
    if (newestFirst) to = lists.reached - 1
    else from = lists.reached + 1
    if (octets < LITTLE) looks = Math.min(MORE * looks, MOST_SEGMENTS)
  }
}

/** The numbers in a segment that are in the range, in its order. */
function numbersOf(segment: number, places: Uint8Array, bounds: StepBounds): number[] {
  const { after, upTo, newestFirst } = bounds
  return [...new Set(placesOf(segment, EVENTS_A_SEGMENT, places))]
    .filter((number) => number > after && number <= upTo)
    .sort((a, b) => (newestFirst ? b - a : a - b))
}

/** The range is examined up to and including this number. */
function within({ after, upTo, newestFirst }: StepBounds, number: number): number {
  return newestFirst ? Math.max(after, number - 1) : Math.min(upTo, number)
}

/** The last number of a segment in the direction of the search. */
function edgeOf(segment: number, newestFirst: boolean): number {
  return newestFirst ? segment * EVENTS_A_SEGMENT : (segment + 1) * EVENTS_A_SEGMENT - 1
}

/** Lists that all contain every matching event. */
function listsOf({ domainId: id, types, tags }: EventFilter): PlaceList[] {
  const lists: PlaceList[] = []
  if (tags !== undefined) {
    const terms = tags.map(({ name, value }) =>
      value === undefined ? eventTerms.ofTag(name) : eventTerms.ofTagValue(name, value),
    )
    lists.push({ kind: LIST.eventsByMany, terms })
    if (id === undefined && types === undefined) return lists
  }
  const domainId = id ?? null
  const terms =
    types === undefined
      ? [eventTerms.ofAny(domainId)]
      : types.map((type) => eventTerms.ofType(domainId, type))
  lists.push({ kind: LIST.eventsByFew, terms })
  return lists
}

/** Ids of the emails to an address; null when there are too many to examine. */
async function emailsTo(
  store: EventSearchStore,
  companyId: string,
  address: string,
): Promise<string[] | null> {
  const { emails, complete } = await findEmails(store, { companyId, to: address }, { limit: MOST_EMAILS })
  const recipients = emails.reduce((sum, { to, cc, bcc }) => sum + to.length + cc.length + bcc.length, 0)
  return complete && recipients <= MOST_RECIPIENTS ? emails.map(({ id }) => id) : null
}
