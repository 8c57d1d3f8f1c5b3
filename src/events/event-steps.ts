/** Reads candidates for a search of events, through the index that serves its filter best. */
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import { EVENTS_A_SEGMENT, eventTerms, LIST } from '../store/digest.ts'
import type { EventLog, PlaceList } from '../store/store.ts'
import { type EmailSearchStore, findEmails } from './find-emails.ts'
import { type ListWalkPace, listedPlaces } from './listed-places.ts'

/** Events read at a time. */
const STEP = 300
/** The most queries for one page when few of the examined events match. */
const QUESTIONS = 12
/** While its lists hold little, a query costs about the same for any number of segments. */
const LISTS: ListWalkPace = {
  size: EVENTS_A_SEGMENT,
  queries: QUESTIONS,
  first: 8,
  most: 2_048,
  little: 64 * 1024,
}
/** To find the events of an address, the events of at most this many emails and recipients are read. */
const MAX_EMAILS = 500
const MAX_RECIPIENTS = 3_000

export type EventSearchStore = EmailSearchStore & Pick<EventLog, 'eventsAfter'>

/** Events of the range, in its order. Everything from the previous step up to `reached` has been examined. */
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
  bounds: StepBounds,
  digested: number,
): AsyncGenerator<EventStep> {
  if (filter.emailId !== undefined) {
    yield wholeRange(await store.eventsOf([filter.emailId], filter.recipient ?? null), bounds)
    return
  }
  const middle = Math.min(bounds.upTo, Math.max(bounds.after, digested))
  const parts = [
    { steps: walkLists, part: { ...bounds, upTo: middle } },
    { steps: walkLog, part: { ...bounds, after: middle } },
  ]
  if (bounds.newestFirst) parts.reverse()
  for (const { steps, part } of parts) {
    if (part.after >= part.upTo) continue
    let reached: number | undefined
    for await (const step of steps(store, filter, part)) {
      reached = step.reached
      yield step
    }
    if (reached !== endOf(part)) return
  }
}

/** The number at which a search of the range ends. */
function endOf({ after, upTo, newestFirst }: StepBounds): number {
  return newestFirst ? after : upTo
}

/** A step with all events of some emails. */
function wholeRange(events: LoggedEvent[], bounds: StepBounds): EventStep {
  const { after, upTo, newestFirst } = bounds
  const those = events
    .filter(({ number }) => number > after && number <= upTo)
    .sort((a, b) => (newestFirst ? b.number - a.number : a.number - b.number))
  return { events: those, reached: endOf(bounds) }
}

/** Reads one event after the other. */
async function* walkLog(
  store: EventSearchStore,
  { companyId, types }: EventFilter,
  bounds: StepBounds,
): AsyncGenerator<EventStep> {
  const { after, upTo, newestFirst } = bounds
  const filter = { companyId, ...(types !== undefined && { types }) }
  let place = newestFirst ? upTo : after
  for (let questions = 0; questions < QUESTIONS && place !== endOf(bounds); questions++) {
    const { events, cursor } = newestFirst
      ? await store.eventsUpTo(place, filter, STEP)
      : await store.eventsAfter(place, filter, STEP)
    // Towards newer events, the cursor stays where it is at the end of the log.
    if (newestFirst) place = Math.max(after, cursor)
    else place = cursor === place ? upTo : Math.min(upTo, cursor)
    yield { events: events.filter(({ number }) => number > after && number <= upTo), reached: place }
  }
}

/** Reads the events in lists of events that share a property. */
async function* walkLists(
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
  const times = { since: filter.since ?? null, until: filter.until ?? null }
  const timeless = times.since === null && times.until === null
  const lists = { companyId: filter.companyId, lists: listsOf(filter) }
  const range = { ...lists, above: after, below: upTo + 1, newestFirst, ...times }
  for await (const { places, edge } of listedPlaces(store, range, LISTS, () => STEP)) {
    // With bounds on the time, many events must be examined to find a few.
    const some = timeless ? places.slice(0, STEP) : places
    const events = some.length === 0 ? [] : await store.eventsAt(some, { ...times, newestFirst, limit: STEP })
    const last = timeless || events.length < STEP ? some.at(-1) : events.at(-1)!.number
    if (last !== undefined) places.splice(0, places.indexOf(last) + 1)
    const examined = places.length > 0 ? last! : edge
    yield { events, reached: examined === null ? endOf(bounds) : within(bounds, examined) }
  }
}

/** The end of the examined part, when the examination includes `number`. */
function within({ after, upTo, newestFirst }: StepBounds, number: number): number {
  return newestFirst ? Math.max(after, number - 1) : Math.min(upTo, number)
}

/** The lists of the filter. Each of them contains every matching event. */
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
  const { emails, complete } = await findEmails(store, { companyId, to: address }, { limit: MAX_EMAILS })
  const recipients = emails.reduce((sum, { to, cc, bcc }) => sum + to.length + cc.length + bcc.length, 0)
  return complete && recipients <= MAX_RECIPIENTS ? emails.map(({ id }) => id) : null
}
