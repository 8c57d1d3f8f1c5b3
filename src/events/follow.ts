/** Follows the log: yields the events of all processes, each once and in order, until the signal aborts. */
import { addAbortListener } from 'node:events'
import type { LogFilter, LoggedEvent } from '../email/event.ts'
import { type EventLog, StoreUnavailable } from '../store/store.ts'
import { LogReader, PAGE, POLL_MS } from './log-reader.ts'

export interface FollowOptions<Filter = LogFilter> {
  /** The number of the last event that the caller has; 0: from the first. */
  after: number
  filter: Filter
  /** Ends the generator when it aborts. */
  signal: AbortSignal
  /** Called once for each outage of the store. The follower waits until the outage is over. */
  onOutage?: (error: StoreUnavailable) => void
  /** The store is available again, and no event was missed. */
  onReturn?: () => void
}

/**
 * Yields non-empty batches of events. After an interruption, a caller continues without a gap from the number of the
 * last event it has seen. Rejects only on errors that waiting cannot resolve.
 */
export async function* follow<Event = LoggedEvent, Filter = LogFilter>(
  log: Pick<EventLog<Event, Filter>, 'eventsAfter'>,
  { after, filter, signal, onOutage, onReturn }: FollowOptions<Filter>,
): AsyncGenerator<Event[]> {
  let cursor = after
  let events: Event[] = []
  let away = false
  const reader = new LogReader({
    async read() {
      const page = await unlessAborted(log.eventsAfter(cursor, filter, PAGE), signal)
      if (page === null) return 0
      if (away) onReturn?.()
      away = false
      const moved = page.cursor > cursor
      cursor = page.cursor
      events = page.events
      return moved ? 0 : POLL_MS
    },
    onFault(error) {
      if (!(error instanceof StoreUnavailable)) throw error
      if (!away) onOutage?.(error)
      away = true
    },
    signal,
  })
  while (await reader.next()) if (events.length > 0) yield events
}

/** Does not wait for a query that is under way when the signal aborts: it may be waiting for a long transaction. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  const aborted = Promise.withResolvers<null>()
  using _ = addAbortListener(signal, () => aborted.resolve(null))
  return await Promise.race([work, aborted.promise])
}
