/** Events of a company that are wanted, page by page in either direction. */
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import type { ToldEvent } from '../email/told-event.ts'
import { DIGEST } from './digest.ts'
import { type EventSearchStore, stepsOf } from './event-steps.ts'
import { emailMatches, matches, mayMatch } from './match.ts'
import type { Teller } from './tell.ts'

/** Events read for one page at most, and octets told of them. */
const LOOKS = 3_000
const OCTETS = 3 * 1024 ** 2
/** Recipients that an event is told of at a time, at least. */
const AT_LEAST = 30
/** Octets told at a time: all of them are looked at in one go, and others wait for that. */
const AT_A_TIME = 512 * 1024

/** Which part of the log is looked through: the events behind `after` up to `upTo`, from one end. */
export interface EventRange {
  /** Number of an event; 0: from the first. */
  after?: number
  /** Of event `after`, where it is told of each recipient, what is behind the one at this position. */
  afterRecipient?: number | undefined
  /** Absent: what is there by now. */
  upTo?: number
  /** Of event `upTo`, where it is told of each recipient, what is up to the one at this position; absent: all of it. */
  upToRecipient?: number | undefined
  newestFirst: boolean
  limit: number
}

/**
 * Of the range what lies behind `after` up to `upTo` was looked through, and these are all that is wanted of it. Who
 * goes on asks for what lies up to `after`, or behind `upTo`; nothing is missed in between.
 */
export interface FoundEvents extends Pick<EventRange, 'afterRecipient' | 'upToRecipient'> {
  /** In the order asked for. */
  events: ToldEvent[]
  after: number
  upTo: number
  /** The whole range was looked through. Otherwise there may be more, also where fewer came than the limit. */
  complete: boolean
}

export interface EventSearchParts {
  store: EventSearchStore
  teller: Pick<Teller, 'tell' | 'tellParts'>
}

/**
 * `also`: what no field of the filter says. `each`: whether an event about an email as a whole is told of each of its
 * recipients instead.
 */
export async function findEvents(
  parts: EventSearchParts,
  filter: EventFilter,
  { newestFirst, limit, afterRecipient, upToRecipient, ...range }: EventRange,
  also: (told: ToldEvent) => boolean = () => true,
  each: (told: ToldEvent) => boolean = () => false,
): Promise<FoundEvents> {
  const { store, teller } = parts
  const { end, digested } = await endOf(store)
  const upTo = Math.min(range.upTo ?? end, end)
  const after = Math.min(range.after ?? 0, upTo)
  const found: ToldEvent[] = []
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
  // Of an event within which the range begins some is in it.
  const bounds = { after: afterRecipient === undefined ? after : after - 1, upTo, newestFirst }
  if (filter.types?.length === 0) return until(newestFirst ? after : upTo)
  const past = ({ number }: LoggedEvent) => (newestFirst ? number - 1 : number)
  /** Positions of the recipients of an event that are in the range, in its order. */
  const positionsOf = ({ event: { number }, email }: ToldEvent): number[] => {
    const first = number === after ? (afterRecipient ?? -1) + 1 : 0
    const last = number === upTo && upToRecipient !== undefined ? upToRecipient : Number.POSITIVE_INFINITY
    const end = Math.min(last + 1, email?.recipientCount ?? 0)
    const positions = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index)
    return newestFirst ? positions.reverse() : positions
  }
  let place = newestFirst ? upTo : after
  let looks = 0
  let left = OCTETS
  /** Null: all of it was looked at. Otherwise where it ends before that. */
  const lookAtEach = async (whole: ToldEvent): Promise<FoundEvents | null> => {
    const { number } = whole.event
    const positions = positionsOf(whole)
    for (let from = 0; from < positions.length; ) {
      const some = positions.slice(from, from + Math.max(limit - found.length, AT_LEAST))
      const told = await teller.tellParts(whole, some, Math.min(left, AT_A_TIME))
      if (told.length === 0) return null
      from = positions.indexOf(told.at(-1)!.part) + 1
      for (const one of told) {
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
      // The more, the fewer of those before were wanted.
      const some = events.slice(from, from + Math.max(limit - found.length, looks))
      const told = await teller.tell(some, Math.min(left, AT_A_TIME))
      from += told.length
      looks += told.length
      for (const one of told) {
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
      if (left <= 0 || (looks >= LOOKS && from < events.length)) return until(past(told.at(-1)!.event))
    }
    looks += step.events.length - events.length
    place = step.reached
    if (looks >= LOOKS) break
  }
  return until(place)
}

/** What is said of it where there is something to say. */
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
 * `end`: nothing will be added up to there, so that nobody who goes on behind it misses anything. `digested`: up to
 * here what is made of the log says where to look.
 */
async function endOf(store: EventSearchStore): Promise<{ end: number; digested: number }> {
  const [settled, digested] = await Promise.all([store.settledEventNumber(), store.followerCursor(DIGEST)])
  // Who follows the log has waited for what was under way.
  return { end: Math.max(settled, digested), digested }
}
