/** One page of the events of a domain. */
import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import type { EventFilter } from '../../../email/event.ts'
import type { EventNotice } from '../../../email/event-notice.ts'
import type { EventRange } from '../../../events/find.ts'
import { formEvent } from '../../../events/notices/form.ts'
import { isReportedPerRecipient } from '../../../events/notices/types.ts'
import { PATIENCE } from '../../../events/search-turns.ts'
import type { Searches } from '../../../events/searches.ts'
import { Fault } from '../../../ingress/fault.ts'
import { JsonText } from '../../json-pieces.ts'
import type { EventObject } from './fields.ts'
import type { EventSelection } from './query.ts'
import type { LogCursor } from './token.ts'

/** A number higher than that of every event. */
export const END = Number.MAX_SAFE_INTEGER

interface EventsQuery {
  caller: Pick<Principal, 'companyId'>
  /** Null: all domains of the company. */
  domain: Pick<SendingDomain, 'id'> | null
  wanted: EventSelection
  /** Null: the first page. */
  place: LogCursor | null
  /** The beginning of this service's URLs. */
  base: string
  /**
   * Converts an event for the answer as soon as it is found, because an object takes many times the memory of its
   * text.
   */
  shownAs?(eventObject: EventObject, notice: EventNotice): object
  /** True when the client has disconnected. */
  gone(): boolean
}

interface EventsPage {
  items: JsonText[]
  notices: EventNotice[]
  /**
   * Positions of the previous and the next page. The next one exists even at the end of the log: later events appear on
   * it.
   */
  previous: LogCursor
  next: LogCursor
}

/** The links of a page. `linkTo`: makes the link to the page at a position. */
export function logLinks(
  { next, previous }: Pick<EventsPage, 'next' | 'previous'>,
  ascending: boolean,
  linkTo: (place: LogCursor) => string,
) {
  const ends = [linkTo({ after: 0 }), linkTo({ upTo: END })]
  const [first, last] = ascending ? ends : ends.toReversed()
  return { next: linkTo(next), previous: linkTo(previous), first: first!, last: last! }
}

export async function searchEvents(
  searches: Pick<Searches, 'events'>,
  asked: EventsQuery,
): Promise<EventsPage> {
  const { caller, domain, wanted, base, shownAs = (eventObject) => eventObject } = asked
  const { filter: narrowed, ascending, limit } = wanted
  const filter: EventFilter = {
    companyId: caller.companyId,
    ...(domain !== null && { domainId: domain.id }),
    ...narrowed,
  }
  const place = asked.place ?? (ascending ? { after: 0 } : { upTo: END })
  const newestFirst = 'upTo' in place
  const items = new Map<EventNotice, JsonText>()
  const also = (notice: EventNotice): boolean => {
    const shown = formEvent(notice, base)
    if (shown === null || !wanted.fits(shown, notice.recipient?.address ?? '')) return false
    items.set(notice, new JsonText(JSON.stringify(shownAs(shown, notice))))
    return true
  }
  const each = (notice: EventNotice) => isReportedPerRecipient('form', notice)
  const page = (events: EventNotice[], older: PageBoundary, newer: PageBoundary): EventsPage => {
    const notices = newestFirst === ascending ? events.toReversed() : events
    const [before, behind]: [LogCursor, LogCursor] = [
      { upTo: older.number, ...older.within },
      { after: newer.number, ...newer.within },
    ]
    return {
      items: notices.map((each) => items.get(each)!),
      notices: notices,
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
interface PageBoundary {
  number: number
  within: { recipient?: number }
}

function cutAt(number: number, recipient?: number): PageBoundary {
  return { number, within: recipient === undefined ? {} : { recipient } }
}

function tooFarApart(): Fault {
  const detail =
    'The matching events are too far apart in the event log: narrow the search with `begin`, `end`, `event`, `tags` or `recipient`'
  return new Fault({ code: 'request_invalid', detail })
}
