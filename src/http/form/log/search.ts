/** One page of the events of a domain. */
import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import type { EventFilter } from '../../../email/event.ts'
import type { ToldEvent } from '../../../email/told-event.ts'
import type { EventRange } from '../../../events/find.ts'
import { PATIENCE } from '../../../events/search-turns.ts'
import type { Searches } from '../../../events/searches.ts'
import { formEvent } from '../../../events/told/form.ts'
import { isToldOfEach } from '../../../events/told/types.ts'
import { Fault } from '../../../ingress/fault.ts'
import { JsonText } from '../../json-pieces.ts'
import type { Shown } from './fields.ts'
import type { Wanted } from './query.ts'
import type { Place } from './token.ts'

/** A number higher than that of every event. */
export const END = Number.MAX_SAFE_INTEGER

export interface EventsAsked {
  caller: Pick<Principal, 'companyId'>
  /** Null: all domains of the company. */
  domain: Pick<SendingDomain, 'id'> | null
  wanted: Wanted
  /** Null: the first page. */
  place: Place | null
  /** The beginning of this service's URLs. */
  base: string
  /**
   * Converts an event for the answer, at once when it is found: as an object it would take many times the memory of its
   * text.
   */
  shownAs?(shown: Shown, told: ToldEvent): object
  /** True when the client has disconnected. */
  gone(): boolean
}

export interface EventsFound {
  items: JsonText[]
  told: ToldEvent[]
  /**
   * Positions of the previous and the next page. The next one exists even at the end of the log: later events appear on
   * it.
   */
  previous: Place
  next: Place
}

export async function searchEvents(
  searches: Pick<Searches, 'events'>,
  asked: EventsAsked,
): Promise<EventsFound> {
  const { caller, domain, wanted, base, shownAs = (shown) => shown } = asked
  const { filter: narrowed, ascending, limit } = wanted
  const filter: EventFilter = {
    companyId: caller.companyId,
    ...(domain !== null && { domainId: domain.id }),
    ...narrowed,
  }
  const place = asked.place ?? (ascending ? { after: 0 } : { upTo: END })
  const newestFirst = 'upTo' in place
  const items = new Map<ToldEvent, JsonText>()
  const also = (told: ToldEvent): boolean => {
    const shown = formEvent(told, base)
    if (shown === null || !wanted.fits(shown, told.recipient?.address ?? '')) return false
    items.set(told, new JsonText(JSON.stringify(shownAs(shown, told))))
    return true
  }
  const each = (told: ToldEvent) => isToldOfEach('form', told)
  const page = (events: ToldEvent[], older: Cut, newer: Cut): EventsFound => {
    const told = newestFirst === ascending ? events.toReversed() : events
    const [before, behind]: [Place, Place] = [
      { upTo: older.number, ...older.within },
      { after: newer.number, ...newer.within },
    ]
    return {
      items: told.map((each) => items.get(each)!),
      told,
      previous: ascending ? before : behind,
      next: ascending ? behind : before,
    }
  }
  let start = cutAt(newestFirst ? place.upTo : place.after, place.recipient)
  const range: Omit<EventRange, 'newestFirst' | 'limit'> = newestFirst
    ? { upTo: start.number, ...(place.recipient !== undefined && { upToRecipient: place.recipient }) }
    : { after: start.number, ...(place.recipient !== undefined && { afterRecipient: place.recipient }) }
  const until = performance.now() + PATIENCE
  for (;;) {
    const left = until - performance.now()
    if (left <= 0) throw tooFarApart()
    const found = await searches.events(filter, { ...range, newestFirst, limit }, { also, each }, left)
    if (start.number === END) start = cutAt(found.upTo)
    const [older, newer] = [cutAt(found.after, found.afterRecipient), cutAt(found.upTo, found.upToRecipient)]
    if (found.events.length > 0 || found.complete || asked.gone()) {
      if (newestFirst) return page(found.events, older, start)
      return page(found.events, start, newer.number < start.number ? start : newer)
    }
    if (newestFirst) Object.assign(range, { upTo: found.after, upToRecipient: found.afterRecipient })
    else Object.assign(range, { after: found.upTo, afterRecipient: found.upToRecipient })
  }
}

/** A position between two events, or between the recipients of one event that is reported for each of them. */
interface Cut {
  number: number
  within: { recipient?: number }
}

function cutAt(number: number, recipient?: number): Cut {
  return { number, within: recipient === undefined ? {} : { recipient } }
}

function tooFarApart(): Fault {
  const detail =
    'The matching events are too far apart in the event log: narrow the search with `begin`, `end`, `event`, `tags` or `recipient`'
  return new Fault({ code: 'request_invalid', detail })
}
