/** Follows the log: yields every event once and in order, whichever process wrote it, until aborted. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventPage, LogFilter, LoggedEvent } from '../email/event.ts'
import { type EventLog, StoreUnavailable } from '../store/store.ts'

/** Ms between two queries when nothing has come, and while the store is unavailable. */
const POLL_MS = 250
const OUTAGE_MS = 1_000
/** Events of one query. */
const PAGE = 1_000

export interface FollowOptions<Filter = LogFilter> {
  /** The number of the last event that the caller has; 0: from the first. */
  after: number
  filter: Filter
  /** Ends the following. */
  signal: AbortSignal
  /** Called once for each outage of the store. The follower waits for it to end. */
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
  following: FollowOptions<Filter>,
): AsyncGenerator<Event[]> {
  const { filter, signal, onOutage, onReturn } = following
  let cursor = following.after
  let away = false
  while (!signal.aborted) {
    let page: EventPage<Event> | null
    try {
      page = await unlessAborted(log.eventsAfter(cursor, filter, PAGE), signal)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      if (!away) onOutage?.(error)
      away = true
      await pause(OUTAGE_MS, signal)
      continue
    }
    if (page === null) return
    if (away) onReturn?.()
    away = false
    const moved = page.cursor > cursor
    cursor = page.cursor
    if (page.events.length > 0) yield page.events
    if (!moved) await pause(POLL_MS, signal)
  }
}

/** Does not wait for a query that is under way when the signal aborts: it may be waiting for a long transaction. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  const aborted = Promise.withResolvers<null>()
  const abort = () => aborted.resolve(null)
  signal.addEventListener('abort', abort)
  work.catch(() => {})
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
