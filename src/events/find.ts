/** Events of a company that are wanted, page by page in either direction. */
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import type { ToldEvent } from '../email/told-event.ts'
import { DIGEST } from './digest.ts'
import { type EventSearchStore, stepsOf } from './event-steps.ts'
import { matches, mayMatch } from './match.ts'
import type { Teller } from './tell.ts'

/** Events read for one page at most, and octets told of them. */
const LOOKS = 3_000
const OCTETS = 3 * 1024 ** 2
/** Octets told at a time: all of them are looked at in one go, and others wait for that. */
const AT_A_TIME = 512 * 1024

/** Which part of the log is looked through: the events behind `after` up to `upTo`, from one end. */
export interface EventRange {
  /** Number of an event; 0: from the first. */
  after?: number
  /** Absent: what is there by now. */
  upTo?: number
  newestFirst: boolean
  limit: number
}

/**
 * Of the range what lies behind `after` up to `upTo` was looked through, and these are all that is wanted of it. Who
 * goes on asks for what lies up to `after`, or behind `upTo`; nothing is missed in between.
 */
export interface FoundEvents {
  /** In the order asked for. */
  events: ToldEvent[]
  after: number
  upTo: number
  /** The whole range was looked through. Otherwise there may be more, also where fewer came than the limit. */
  complete: boolean
}

export interface EventSearchParts {
  store: EventSearchStore
  teller: Pick<Teller, 'tell'>
}

/** `also`: what no field of the filter says. */
export async function findEvents(
  parts: EventSearchParts,
  filter: EventFilter,
  { newestFirst, limit, ...range }: EventRange,
  also: (told: ToldEvent) => boolean = () => true,
): Promise<FoundEvents> {
  const { store, teller } = parts
  const { end, digested } = await endOf(store)
  const upTo = Math.min(range.upTo ?? end, end)
  const after = Math.min(range.after ?? 0, upTo)
  const found: ToldEvent[] = []
  const until = (reached: number): FoundEvents => {
    const whole = newestFirst ? reached <= after : reached >= upTo
    const part = newestFirst ? { after: reached, upTo } : { after, upTo: reached }
    return { events: found, ...part, complete: whole }
  }
  if (filter.types?.length === 0) return until(newestFirst ? after : upTo)
  const past = ({ number }: LoggedEvent) => (newestFirst ? number - 1 : number)
  let place = newestFirst ? upTo : after
  let looks = 0
  let left = OCTETS
  for await (const step of stepsOf(store, filter, { after, upTo, newestFirst, digested })) {
    const events = step.events.filter((event) => mayMatch(filter, event))
    for (let from = 0; from < events.length; ) {
      // The more, the fewer of those before were wanted.
      const some = events.slice(from, from + Math.max(limit - found.length, looks))
      const told = await teller.tell(some, Math.min(left, AT_A_TIME))
      from += told.length
      looks += told.length
      for (const each of told) {
        left -= each.octets
        if (matches(filter, each) && also(each)) found.push(each)
        if (found.length === limit) return until(past(each.event))
      }
      if (left <= 0 || (looks >= LOOKS && from < events.length)) return until(past(told.at(-1)!.event))
    }
    looks += step.events.length - events.length
    place = step.reached
    if (looks >= LOOKS) break
  }
  return until(place)
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
