/** Events of a company that are wanted, page by page in either direction. */
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import type { ToldEvent } from '../email/told-event.ts'
import { EVENTS_A_SEGMENT, eventTerms, LIST, type ListKind, placesOf, segmentOf } from '../store/digest.ts'
import type { Store } from '../store/store.ts'
import { DIGEST } from './digest.ts'
import { type EmailSearchStore, findEmails } from './find-emails.ts'
import { matches, mayMatch } from './match.ts'
import type { Teller } from './tell.ts'

/** Events read at a time, and read for one page at most. */
const STEP = 300
const LOOKS = 3_000
/** Questions to the store for one page, where nothing is read of most that is looked at. */
const QUESTIONS = 12
/** Segments looked at in the first question; four times as many in each that follows, up to the last number. */
const FIRST_SEGMENTS = 2
const MOST_SEGMENTS = 2_048
/** Emails to an address, and recipients of these, among whose events those of the address are looked for at most. */
const MOST_EMAILS = 500
const MOST_RECIPIENTS = 3_000

export type EventSearchStore = EmailSearchStore &
  Pick<Store, 'eventsAfter' | 'eventsAt' | 'eventsOf' | 'eventsUpTo' | 'lastEventNumber'>

/** Which part of the log is looked through: the events behind `after` up to `upTo`, from one end. */
export interface EventRange {
  /** Number of an event; 0: from the first. */
  after?: number
  /** Absent: what is there by now. */
  upTo?: number
  newestFirst: boolean
  limit: number
}

/**
 * Of the range what lies behind `after` up to `upTo` was looked through, and these are all that is wanted of it. Who
 * goes on asks for what lies up to `after`, or behind `upTo`; nothing is missed in between.
 */
export interface FoundEvents {
  /** In the order asked for. */
  events: ToldEvent[]
  after: number
  upTo: number
  /** The whole range was looked through. Otherwise there may be more, also where fewer came than the limit. */
  complete: boolean
}

export interface EventSearchParts {
  store: EventSearchStore
  teller: Pick<Teller, 'tell'>
}

/** Some events of the range, in its order; everything between the place before and `reached` was looked at. */
interface Step {
  events: LoggedEvent[]
  reached: number
}

/** `also`: what no field of the filter says. */
export async function findEvents(
  parts: EventSearchParts,
  filter: EventFilter,
  { newestFirst, limit, ...range }: EventRange,
  also: (told: ToldEvent) => boolean = () => true,
): Promise<FoundEvents> {
  const { store, teller } = parts
  const end = await store.lastEventNumber()
  const upTo = Math.min(range.upTo ?? end, end)
  const after = Math.min(range.after ?? 0, upTo)
  const found: ToldEvent[] = []
  const until = (reached: number): FoundEvents => {
    const whole = newestFirst ? reached <= after : reached >= upTo
    const part = newestFirst ? { after: reached, upTo } : { after, upTo: reached }
    return { events: found, ...part, complete: whole }
  }
  let place = newestFirst ? upTo : after
  let looks = 0
  for await (const { events, reached } of stepsOf(store, filter, { after, upTo, newestFirst })) {
    for (let from = 0; from < events.length; from += STEP) {
      const some = events.slice(from, from + STEP).filter((event) => mayMatch(filter, event))
      for (const told of await teller.tell(some)) {
        if (!matches(filter, told) || !also(told)) continue
        found.push(told)
        if (found.length === limit) return until(newestFirst ? told.event.number - 1 : told.event.number)
      }
      looks += STEP
      if (looks < LOOKS || from + STEP >= events.length) continue
      const { number } = events[from + STEP - 1]!
      return until(newestFirst ? number - 1 : number)
    }
    place = reached
    if (looks >= LOOKS) break
  }
  return until(place)
}

interface Bounds {
  after: number
  upTo: number
  newestFirst: boolean
}

/** What may be wanted of the range, by whatever serves it best. It may end before the range does. */
async function* stepsOf(
  store: EventSearchStore,
  filter: EventFilter,
  { after, upTo, newestFirst }: Bounds,
): AsyncGenerator<Step> {
  if (filter.emailId !== undefined) {
    yield wholeRange(await store.eventsOf([filter.emailId], filter.recipient ?? null), {
      after,
      upTo,
      newestFirst,
    })
    return
  }
  // Up to here what is made of the log says where to look.
  const digested = Math.min(upTo, Math.max(after, await store.followerCursor(DIGEST)))
  const old = { after, upTo: digested, newestFirst }
  const fresh = { after: digested, upTo, newestFirst }
  for (const part of newestFirst ? [fresh, old] : [old, fresh]) {
    if (part.after >= part.upTo) continue
    let reached = newestFirst ? part.upTo : part.after
    for await (const step of part === fresh ? walk(store, filter, part) : listed(store, filter, part)) {
      reached = step.reached
      yield step
    }
    if (newestFirst ? reached > part.after : reached < part.upTo) return
  }
}

/** Of all events of some emails. */
function wholeRange(events: LoggedEvent[], { after, upTo, newestFirst }: Bounds): Step {
  const those = events
    .filter(({ number }) => number > after && number <= upTo)
    .sort((a, b) => (newestFirst ? b.number - a.number : a.number - b.number))
  return { events: those, reached: newestFirst ? after : upTo }
}

/** One event after the other. */
async function* walk(
  store: EventSearchStore,
  { companyId, types }: EventFilter,
  { after, upTo, newestFirst }: Bounds,
): AsyncGenerator<Step> {
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

/** By lists of what has something in common. */
async function* listed(store: EventSearchStore, filter: EventFilter, bounds: Bounds): AsyncGenerator<Step> {
  const { after, upTo, newestFirst } = bounds
  if (filter.recipient !== undefined) {
    const emails = await emailsTo(store, filter.companyId, filter.recipient)
    if (emails !== null) {
      yield wholeRange(await store.eventsOf(emails, filter.recipient), bounds)
      return
    }
  }
  const { kind, terms } = listsOf(filter)
  let from = segmentOf(after + 1, EVENTS_A_SEGMENT)
  let to = segmentOf(upTo, EVENTS_A_SEGMENT)
  let looks = FIRST_SEGMENTS
  const times = { since: filter.since ?? null, until: filter.until ?? null }
  const timeless = times.since === null && times.until === null
  for (let questions = 0; questions < QUESTIONS; questions++) {
    const lists = await store.readLists({
      companyId: filter.companyId,
      kind,
      terms,
      from,
      to,
      newestFirst,
      ...times,
      looks,
    })
    for (const { segment, places } of lists.segments) {
      const numbers = [...new Set(placesOf(segment, EVENTS_A_SEGMENT, places))]
        .filter((number) => number > after && number <= upTo)
        .sort((a, b) => (newestFirst ? b - a : a - b))
      const edge = edgeOf(segment, newestFirst)
      for (let rest = numbers; rest.length > 0; ) {
        // Where a time is wanted, many are looked at for few.
        const some = timeless ? rest.slice(0, STEP) : rest
        const events = await store.eventsAt(some, { ...times, newestFirst, limit: STEP })
        const all = timeless || events.length < STEP
        const last = all ? some.at(-1)! : events.at(-1)!.number
        rest = rest.slice(rest.indexOf(last) + 1)
        const reached = rest.length > 0 ? last : edge
        yield { events, reached: newestFirst ? Math.max(after, reached - 1) : Math.min(upTo, reached) }
      }
    }
    if (lists.reached === null) {
      yield { events: [], reached: newestFirst ? after : upTo }
      return
    }
    const reached = edgeOf(lists.reached, newestFirst)
    yield { events: [], reached: newestFirst ? Math.max(after, reached - 1) : Math.min(upTo, reached) }
    if (newestFirst) to = lists.reached - 1
    else from = lists.reached + 1
    looks = Math.min(4 * looks, MOST_SEGMENTS)
  }
}

/** The last number of a segment on the way. */
function edgeOf(segment: number, newestFirst: boolean): number {
  return newestFirst ? segment * EVENTS_A_SEGMENT : (segment + 1) * EVENTS_A_SEGMENT - 1
}

function listsOf({ domainId: id, types, tag }: EventFilter): { kind: ListKind; terms: number[] } {
  if (tag !== undefined) {
    const { name, value } = tag
    const term = value === undefined ? eventTerms.ofTag(name) : eventTerms.ofTagValue(name, value)
    return { kind: LIST.eventsByMany, terms: [term] }
  }
  const domainId = id ?? null
  const terms =
    types === undefined
      ? [eventTerms.ofAny(domainId)]
      : types.map((type) => eventTerms.ofType(domainId, type))
  return { kind: LIST.eventsByFew, terms }
}

/** Ids of the emails to an address; null when there is too much to look at. */
async function emailsTo(
  store: EventSearchStore,
  companyId: string,
  address: string,
): Promise<string[] | null> {
  const { emails, complete } = await findEmails(store, { companyId, to: address }, { limit: MOST_EMAILS })
  const recipients = emails.reduce((sum, { to, cc, bcc }) => sum + to.length + cc.length + bcc.length, 0)
  return complete && recipients <= MOST_RECIPIENTS ? emails.map(({ id }) => id) : null
}
