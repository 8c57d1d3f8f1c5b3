/** Searches for events of a company, page by page in either direction. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { turn } from '../common/long-turn.ts'
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import type { EventNotice } from '../email/event-notice.ts'
import { DIGEST } from './digest.ts'
import { type EventSearchStore, stepsOf } from './event-steps.ts'
import { behind, comparePlaces, doneUpTo, type LogPosition, placeBefore, placeOf } from './log-position.ts'
import { emailMatches, matches, mayMatch } from './match.ts'
import type { NoticeReader } from './notice-reader.ts'

/** The most events read for one page, and the most octets of their details. */
const LOOKS = 3_000
const OCTETS = 3 * 1024 ** 2
/** The fewest recipients read at a time, for an event that is reported once per recipient. */
const AT_LEAST = 30
/** Octets read at a time. Other work waits while they are processed. */
const AT_A_TIME = 64 * 1024

/** The part of the log to search: the events behind `after` up to `upTo`, beginning at one end. */
export interface EventRange {
  /** Number of an event; 0: from the first. */
  after?: number
  /** If event `after` is reported once per recipient: begin behind the recipient at this position. */
  afterRecipient?: number | undefined
  /** Absent: up to the present end of the log. */
  upTo?: number
  /**
   * If event `upTo` is reported once per recipient: end with the recipient at this position; absent: the whole event.
   */
  upToRecipient?: number | undefined
  newestFirst: boolean
  limit: number
}

/**
 * The matches in the searched part of the range: behind `after`, up to `upTo`. To continue without a gap, the caller
 * requests the events up to `after`, or those behind `upTo`.
 */
export interface FoundEvents extends Pick<EventRange, 'afterRecipient' | 'upToRecipient'> {
  /** In the requested order. */
  events: EventNotice[]
  after: number
  upTo: number
  /**
   * Whether the whole range was searched. If false, there may be more matches even if fewer than the limit were found.
   */
  complete: boolean
}

export interface EventSearchParts {
  store: EventSearchStore
  noticeReader: Pick<NoticeReader, 'readNotices' | 'readParts'>
}

export interface EventCallbacks {
  /** A condition that no field of the filter expresses. */
  also(notice: EventNotice): boolean
  /** Whether an event about an email as a whole is reported once for each recipient instead. */
  each(notice: EventNotice): boolean
}

export async function findEvents(
  parts: EventSearchParts,
  filter: EventFilter,
  range: EventRange,
  also: EventCallbacks['also'] = () => true,
  each: EventCallbacks['each'] = () => false,
): Promise<FoundEvents> {
  const { end, digested } = await endOf(parts.store)
  const { newestFirst, limit, afterRecipient, upToRecipient } = range
  const upTo = behind(Math.min(range.upTo ?? end, end), upToRecipient)
  const after = behind(Math.min(range.after ?? 0, upTo.number), afterRecipient)
  const search = new EventSearch({ ...parts, filter, also, each, newestFirst, limit, after, upTo })
  return await search.run(digested)
}

interface PageRequest extends EventSearchParts, EventCallbacks, Pick<EventRange, 'newestFirst' | 'limit'> {
  filter: EventFilter
  after: LogPosition
  upTo: LogPosition
}

/** The search for one page. */
class EventSearch {
  readonly #request: PageRequest
  readonly #found: EventNotice[] = []
  #looks = 0
  /** Octets left for the details of events. */
  #octets = OCTETS

  constructor(request: PageRequest) {
    this.#request = request
  }

  async run(digested: number): Promise<FoundEvents> {
    const { store, filter, after, upTo, newestFirst } = this.#request
    if (filter.types?.length === 0) return this.#page(newestFirst ? after : upTo)
    let reached = newestFirst ? upTo : after
    // If the range begins within an event, a part of that event is in it.
    const bounds = { after: doneUpTo(after), upTo: upTo.number, newestFirst }
    for await (const step of stepsOf(store, filter, bounds, digested)) {
      const end = await this.#examine(step.events)
      if (end !== null) return this.#page(end)
      reached = behind(step.reached)
      if (this.#looks >= LOOKS) break
    }
    return this.#page(reached)
  }

  /** Returns the position at which the page ends; null: the page continues after these events. */
  async #examine(candidates: readonly LoggedEvent[]): Promise<LogPosition | null> {
    const { noticeReader, filter, each, after } = this.#request
    const events = candidates.filter((event) => mayMatch(filter, event))
    for (let from = 0; from < events.length; ) {
      // Reads more events at a time after a batch with few matches.
      const some = events.slice(from, from + Math.max(this.#room, this.#looks))
      const notices = await noticeReader.readNotices(some, Math.min(this.#octets, AT_A_TIME))
      from += notices.length
      this.#looks += notices.length
      for (const notice of notices) {
        // When all emails come from the cache, nothing else ends this turn of the event loop.
        if (turn.isLong) await nextTurn()
        this.#octets -= notice.octets
        if (each(notice)) {
          const end = await this.#examineParts(notice)
          if (end !== null) return end
        } else if (notice.event.number !== after.number && this.#take(notice)) {
          return this.#past(notice)
        }
      }
      const isOver = this.#octets <= 0 || (this.#looks >= LOOKS && from < events.length)
      if (isOver) return this.#past(notices.at(-1)!)
    }
    this.#looks += candidates.length - events.length
    return null
  }

  /** The same for the parts of an event that is reported once for each recipient. */
  async #examineParts(whole: EventNotice): Promise<LogPosition | null> {
    const { noticeReader, filter } = this.#request
    const positions = emailMatches(filter, whole) ? this.#positionsOf(whole) : []
    for (let from = 0; from < positions.length; ) {
      const some = positions.slice(from, from + Math.max(this.#room, AT_LEAST))
      const notices = await noticeReader.readParts(whole, some, Math.min(this.#octets, AT_A_TIME))
      if (notices.length === 0) return null
      from = positions.indexOf(notices.at(-1)!.part) + 1
      for (const notice of notices) {
        if (turn.isLong) await nextTurn()
        this.#octets -= notice.octets
        this.#looks++
        const isLast = notice.part === positions.at(-1)
        const isOver = this.#octets <= 0 || (this.#looks >= LOOKS && !isLast)
        if (this.#take(notice) || isOver) return this.#past(notice)
      }
    }
    return null
  }

  /** Positions of the recipients of an event that are in the range, in its order. */
  #positionsOf({ event: { number }, email }: EventNotice): number[] {
    const { after, upTo, newestFirst } = this.#request
    const all = Array.from({ length: email?.recipientCount ?? 0 }, (_, position) => position)
    const positions = all.filter((position) => {
      const place = behind(number, position)
      return comparePlaces(place, after) > 0 && comparePlaces(place, upTo) <= 0
    })
    return newestFirst ? positions.reverse() : positions
  }

  /** The number of events that the page has room for. */
  get #room(): number {
    return this.#request.limit - this.#found.length
  }

  /** Adds the notice if it matches. Returns true when the page is full. */
  #take(notice: EventNotice): boolean {
    const { filter, also } = this.#request
    if (!matches(filter, notice) || !also(notice)) return false
    this.#found.push(notice)
    return this.#room === 0
  }

  /** The position from which the search continues behind this notice. */
  #past(notice: EventNotice): LogPosition {
    return this.#request.newestFirst ? placeBefore(notice) : placeOf(notice)
  }

  #page(reached: LogPosition): FoundEvents {
    let { after, upTo } = this.#request
    const { newestFirst } = this.#request
    const complete = newestFirst ? comparePlaces(reached, after) <= 0 : comparePlaces(reached, upTo) >= 0
    if (!complete && newestFirst) after = reached
    if (!complete && !newestFirst) upTo = reached
    return {
      events: this.#found,
      after: after.number,
      ...(Number.isFinite(after.recipient) && { afterRecipient: after.recipient }),
      upTo: upTo.number,
      ...(Number.isFinite(upTo.recipient) && { upToRecipient: upTo.recipient }),
      complete,
    }
  }
}

/**
 * `end`: no further event will get a number up to this one, so a caller that continues behind it misses nothing.
 * `digested`: the digest covers the log up to this number.
 */
async function endOf(store: EventSearchStore): Promise<{ end: number; digested: number }> {
  const [settled, digested] = await Promise.all([store.settledEventNumber(), store.followerCursor(DIGEST)])
  // No event will be added below the cursor of the digest either: its follower waits for open transactions.
  return { end: Math.max(settled, digested), digested }
}
