/** One page of the events of a domain. */
import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import type { EventFilter } from '../../../email/event.ts'
import type { ToldEmail, ToldEvent } from '../../../email/told-event.ts'
import { PATIENCE } from '../../../events/search-turns.ts'
import type { Searches } from '../../../events/searches.ts'
import { type FormStorage, formEvent } from '../../../events/told/form.ts'
import { Fault } from '../../fault.ts'
import { JsonText } from '../../json-pieces.ts'
import type { Shown } from './fields.ts'
import type { Wanted } from './query.ts'
import type { Place } from './token.ts'

/** As the number of an event: behind all there are. */
export const END = Number.MAX_SAFE_INTEGER

export interface EventsAsked {
  caller: Pick<Principal, 'companyId'>
  /** Null: all of the company. */
  domain: Pick<SendingDomain, 'id'> | null
  wanted: Wanted
  /** Null: the first page. */
  place: Place | null
  storageOf(email: ToldEmail): FormStorage
  /** An event as it is answered. It is made when the event is found: kept as an object it costs many times its text. */
  shownAs?(shown: Shown, told: ToldEvent): object
  /** The client has left. */
  gone(): boolean
}

export interface EventsFound {
  items: JsonText[]
  told: ToldEvent[]
  /** Where the page before it and the next one are. The next one may be asked for at any time: then there is more. */
  previous: Place
  next: Place
}

export async function searchEvents(
  searches: Pick<Searches, 'events'>,
  asked: EventsAsked,
): Promise<EventsFound> {
  const { caller, domain, wanted, storageOf, shownAs = (shown) => shown } = asked
  const { filter: narrowed, ascending, limit } = wanted
  const filter: EventFilter = {
    companyId: caller.companyId,
    ...(domain !== null && { domainId: domain.id }),
    ...narrowed,
  }
  const place = asked.place ?? (ascending ? { after: 0 } : { upTo: END })
  const newestFirst = 'upTo' in place
  let number = newestFirst ? place.upTo : place.after
  const items = new Map<ToldEvent, JsonText>()
  const also = (told: ToldEvent): boolean => {
    const shown = formEvent(told, storageOf)
    if (shown === null || !wanted.fits(shown)) return false
    items.set(told, new JsonText(JSON.stringify(shownAs(shown, told))))
    return true
  }
  const page = (events: ToldEvent[], older: number, newer: number): EventsFound => {
    const told = newestFirst === ascending ? events.toReversed() : events
    const [before, behind]: [Place, Place] = [{ upTo: older }, { after: newer }]
    return {
      items: told.map((each) => items.get(each)!),
      told,
      previous: ascending ? before : behind,
      next: ascending ? behind : before,
    }
  }
  const range: { after?: number; upTo?: number } = newestFirst ? { upTo: number } : { after: number }
  const until = performance.now() + PATIENCE
  for (;;) {
    const left = until - performance.now()
    if (left <= 0) throw tooFarApart()
    const found = await searches.events(filter, { ...range, newestFirst, limit }, also, left)
    if (number === END) number = found.upTo
    if (found.events.length > 0 || found.complete || asked.gone()) {
      if (newestFirst) return page(found.events, found.after, number)
      return page(found.events, number, Math.max(number, found.upTo))
    }
    if (newestFirst) range.upTo = found.after
    else range.after = found.upTo
  }
}

function tooFarApart(): Fault {
  const detail =
    'What is asked for lies too far apart in the log of events: narrow it by `begin`, `end`, `event`, `tags` or `recipient`'
  return new Fault({ code: 'request_invalid', detail })
}
