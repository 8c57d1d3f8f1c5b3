/** Searches for events of a company, page by page in either direction. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { turn } from '../common/long-turn.ts'
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import type { EventNotice } from '../email/event-notice.ts'
import { DIGEST } from './digest.ts'
import { type EventSearchStore, stepsOf } from './event-steps.ts'
import { emailMatches, matches, mayMatch } from './match.ts'
import type { NoticeReader } from './notice-reader.ts'

/** The most events read for one page, and the most octets of their details. */
const LOOKS = 3_000
const OCTETS = 3 * 1024 ** 2
/** The fewest recipients read at a time, for an event that is reported once per recipient. */
const AT_LEAST = 30
/** Octets read at a time. All of them are processed in one go, and other work waits meanwhile. */
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
 * The matches in the part of the range that was searched, behind `after` up to `upTo`. To continue, the caller asks for
 * the events up to `after`, or for those behind `upTo`; nothing in between is missed.
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
  teller: Pick<NoticeReader, 'readNotices' | 'tellParts'>
}

/**
 * `also`: a condition that no field of the filter expresses. `each`: whether an event about an email as a whole is
 * reported once for each recipient instead.
 */
export async function findEvents(
  parts: EventSearchParts,
  filter: EventFilter,
  { newestFirst, limit, afterRecipient, upToRecipient, ...range }: EventRange,
  also: (notice: EventNotice) => boolean = () => true,
  each: (notice: EventNotice) => boolean = () => false,
): Promise<FoundEvents> {
  const { store, teller } = parts
  const { end, digested } = await endOf(store)
  const upTo = Math.min(range.upTo ?? end, end)
  const after = Math.min(range.after ?? 0, upTo)
  const found: EventNotice[] = []
  const until = (place: number, recipient?: number): FoundEvents => {
    const reached = newestFirst ? Math.max(place, after) : place
    const inside = recipient !== undefined
    const whole = newestFirst ? reached <= after && !inside : reached >= upTo && !inside
    const edge = inside ? recipient : undefined
    const part = newestFirst
      ? { after: reached, ...within(whole ? afterRecipient : edge, upToRecipient), upTo }
      : { after, ...within(afterRecipient, whole ? upToRecipient : edge), upTo: reached }
    return { events: found, ...part, complete: whole }
  }
  // If the range begins within an event, a part of that event is in it.
  const bounds = { after: afterRecipient === undefined ? after : after - 1, upTo, newestFirst }
  if (filter.types?.length === 0) return until(newestFirst ? after : upTo)
  const past = ({ number }: LoggedEvent) => (newestFirst ? number - 1 : number)
  /** Positions of the recipients of an event that are in the range, in its order. */
  const positionsOf = ({ event: { number }, email }: EventNotice): number[] => {
    const first = number === after ? (afterRecipient ?? -1) + 1 : 0
    const last = number === upTo && upToRecipient !== undefined ? upToRecipient : Number.POSITIVE_INFINITY
    const end = Math.min(last + 1, email?.recipientCount ?? 0)
    const positions = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index)
    return newestFirst ? positions.reverse() : positions
  }
  let place = newestFirst ? upTo : after
  let looks = 0
  let left = OCTETS
  /** Returns null if all recipients were examined, else the result that ends within the event. */
  const lookAtEach = async (whole: EventNotice): Promise<FoundEvents | null> => {
    const { number } = whole.event
    const positions = positionsOf(whole)
    for (let from = 0; from < positions.length; ) {
      const some = positions.slice(from, from + Math.max(limit - found.length, AT_LEAST))
      const notices = await teller.tellParts(whole, some, Math.min(left, AT_A_TIME))
      if (notices.length === 0) return null
      from = positions.indexOf(notices.at(-1)!.part) + 1
      for (const one of notices) {
        if (turn.isLong) await nextTurn()
        left -= one.octets
        looks++
        const wanted = matches(filter, one) && also(one)
        if (wanted) found.push(one)
        const isFull = wanted && found.length === limit
        if (!isFull && left > 0 && looks < LOOKS) continue
        const isLast = one.part === positions.at(-1)
        if (isLast) return isFull || left <= 0 ? until(past(whole.event)) : null
        if (!newestFirst) return until(number, one.part)
        return one.part === 0 ? until(number - 1) : until(number, one.part - 1)
      }
    }
    return null
  }
  for await (const step of stepsOf(store, filter, { ...bounds, digested })) {
    const events = step.events.filter((event) => mayMatch(filter, event))
    for (let from = 0; from < events.length; ) {
      // The fewer of the events before matched, the more are read at a time.
      const some = events.slice(from, from + Math.max(limit - found.length, looks))
      const notices = await teller.readNotices(some, Math.min(left, AT_A_TIME))
      from += notices.length
      looks += notices.length
      for (const one of notices) {
        // Cached emails need no look-up that would end the turn.
        if (turn.isLong) await nextTurn()
        left -= one.octets
        if (each(one)) {
          const ended = emailMatches(filter, one) ? await lookAtEach(one) : null
          if (ended !== null) return ended
          continue
        }
        if (one.event.number === after) continue
        if (matches(filter, one) && also(one)) found.push(one)
        if (found.length === limit) return until(past(one.event))
      }
      if (left <= 0 || (looks >= LOOKS && from < events.length)) return until(past(notices.at(-1)!.event))
    }
    looks += step.events.length - events.length
    place = step.reached
    if (looks >= LOOKS) break
  }
  return until(place)
}

/** The given bounds, without absent ones. */
function within(
  afterRecipient: number | undefined,
  upToRecipient: number | undefined,
): Pick<FoundEvents, 'afterRecipient' | 'upToRecipient'> {
  return {
    ...(afterRecipient !== undefined && { afterRecipient }),
    ...(upToRecipient !== undefined && { upToRecipient }),
  }
}

/**
 * `end`: no event will be added up to this number any more, so a caller that continues behind it misses nothing.
 * `digested`: the digest covers the log up to this number.
 */
async function endOf(store: EventSearchStore): Promise<{ end: number; digested: number }> {
  const [settled, digested] = await Promise.all([store.settledEventNumber(), store.followerCursor(DIGEST)])
  // The follower has waited for transactions under way.
  return { end: Math.max(settled, digested), digested }
}
