/** Following the log: every event once, in its order, whoever wrote it, as long as somebody wants to know. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventPage, LogFilter, LoggedEvent } from '../email/event.ts'
import { type EventLog, StoreUnavailable } from '../store/store.ts'

/** Ms between two questions when nothing has come, and while the store takes none. */
const POLL_MS = 250
const OUTAGE_MS = 1_000
/** Events of one answer. */
const PAGE = 1_000

export interface Following<Filter = LogFilter> {
  /** The number of the last event that is known already; 0: from the first. */
  after: number
  filter: Filter
  /** Ends it. */
  signal: AbortSignal
  /** The store cannot be asked: told once for each outage. It is waited for. */
  onOutage?: (error: StoreUnavailable) => void
  /** It can again, and nothing was missed. */
  onReturn?: () => void
}

/**
 * Events in bunches, none of them empty. Who is interrupted goes on without a gap after the number of the last event he
 * has seen. Rejects only for what waiting does not mend.
 */
export async function* follow<Event = LoggedEvent, Filter = LogFilter>(
  log: Pick<EventLog<Event, Filter>, 'eventsAfter'>,
  following: Following<Filter>,
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

/** What the store still does then, nobody waits for: it may wait for a long transaction. */
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
