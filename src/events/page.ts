/** Reads parts of the log once, without following it. */
import type { LogFilter, LoggedEvent } from '../email/event.ts'
import type { EventLog } from '../store/store.ts'
import { PAGE } from './log-reader.ts'

/** The fewest and the most numbers searched at a time, when it is unknown how far back the matches are. */
const SPAN = 1_000
const LONGEST_SPAN = 50_000

/** The first `limit` matching events behind a number. */
export async function eventsBehind<Event = LoggedEvent, Filter = LogFilter>(
  log: EventLog<Event, Filter>,
  after: number,
  filter: Filter,
  limit: number,
): Promise<Event[]> {
  const found: Event[] = []
  for (let cursor = after; found.length < limit; ) {
    const page = await log.eventsAfter(cursor, filter, Math.min(PAGE, limit - found.length))
    found.push(...page.events)
    if (page.cursor <= cursor) break
    cursor = page.cursor
  }
  return found
}

/**
 * The last `limit` matching events, and the number behind which new ones will come. Searches further and further back.
 */
export async function lastEvents<Event extends { number: number } = LoggedEvent, Filter = LogFilter>(
  log: EventLog<Event, Filter>,
  filter: Filter,
  limit: number,
): Promise<{ events: Event[]; end: number }> {
  const end = await log.lastEventNumber()
  let events: Event[] = []
  let to = end
  for (let span = Math.max(SPAN, limit); to > 0 && events.length < limit; span *= 2) {
    const from = Math.max(0, to - Math.min(span, LONGEST_SPAN))
    let found: Event[] = []
    for (let cursor = from, moved = true; moved && cursor < to; ) {
      const page = await log.eventsAfter(cursor, filter, PAGE)
      found = [...found, ...page.events.filter(({ number }) => number <= to)].slice(-limit)
      moved = page.cursor > cursor
      cursor = page.cursor
    }
    events = [...found, ...events].slice(-limit)
    to = from
  }
  return { events, end }
}
