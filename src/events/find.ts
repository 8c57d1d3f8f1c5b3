/** Events of a company that are wanted, page by page in either direction. */
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import type { ToldEvent } from '../email/told-event.ts'
import type { EventLog, SearchStore } from '../store/store.ts'
import type { Teller } from './tell.ts'

/** Events read at a time, and questions to the store for one page. */
const STEP = 300
const QUESTIONS = 20

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
  store: EventLog & SearchStore
  teller: Teller
}

/** `also`: what no field of the filter says. */
export async function findEvents(
  { store, teller }: EventSearchParts,
  filter: EventFilter,
  range: EventRange,
  also: (told: ToldEvent) => boolean = () => true,
): Promise<FoundEvents> {
  const { newestFirst, limit } = range
  const end = await store.lastEventNumber()
  const upTo = Math.min(range.upTo ?? end, end)
  const after = Math.min(range.after ?? 0, upTo)
  const found: ToldEvent[] = []
  let place = newestFirst ? upTo : after
  const left = () => (newestFirst ? place > after : place < upTo)
  for (let questions = 0; left() && questions < QUESTIONS; questions++) {
    const step = newestFirst
      ? await store.eventsUpTo(place, filter, STEP)
      : await store.eventsAfter(place, filter, STEP)
    const events = step.events.filter(({ number }) => number > after && number <= upTo)
    for (const told of await teller.tell(events.filter((event) => mayMatch(filter, event)))) {
      if (!matches(filter, told) || !also(told)) continue
      found.push(told)
      if (found.length < limit) continue
      const { number } = told.event
      const whole = number === (newestFirst ? after + 1 : upTo)
      return newestFirst
        ? { events: found, after: number - 1, upTo, complete: whole }
        : { events: found, after, upTo: number, complete: whole }
    }
    if (!newestFirst && step.cursor <= place) place = upTo
    else place = newestFirst ? Math.max(after, step.cursor) : Math.min(upTo, step.cursor)
  }
  return newestFirst
    ? { events: found, after: place, upTo, complete: !left() }
    : { events: found, after, upTo: place, complete: !left() }
}

/** As far as the event itself tells. */
function mayMatch({ emailId, recipient, since, until }: EventFilter, event: LoggedEvent): boolean {
  return (
    (emailId === undefined || event.emailId === emailId) &&
    (recipient === undefined || sameAddress(recipient, event.address)) &&
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until)
  )
}

function matches({ domainId, tag }: EventFilter, { email }: ToldEvent): boolean {
  if (domainId !== undefined && email?.domainId !== domainId) return false
  if (tag === undefined) return true
  const { name, value } = tag
  return email?.tags.some((of) => of.name === name && (value === undefined || of.value === value)) === true
}

function sameAddress(one: string, other: string | null): boolean {
  return other !== null && folded(one) === folded(other)
}

function folded(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
