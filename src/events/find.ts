/** Events of a company that are wanted, page by page in either direction. */
import type { EventFilter, LoggedEvent } from '../email/event.ts'
import type { ToldEvent } from '../email/told-event.ts'
import { DIGEST } from './digest.ts'
import { type EventSearchStore, stepsOf } from './event-steps.ts'
import { matches, mayMatch } from './match.ts'
import { octetsOfEvent, Portions } from './portions.ts'
import type { Teller } from './tell.ts'

/** Events read for one page at most. A large one counts as one more for each so many octets. */
const LOOKS = 3_000
const OCTETS_A_LOOK = 1_024

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
  const end = await endOf(store)
  const upTo = Math.min(range.upTo ?? end, end)
  const after = Math.min(range.after ?? 0, upTo)
  const found: ToldEvent[] = []
  const until = (reached: number): FoundEvents => {
    const whole = newestFirst ? reached <= after : reached >= upTo
    const part = newestFirst ? { after: reached, upTo } : { after, upTo: reached }
    return { events: found, ...part, complete: whole }
  }
  const past = ({ number }: LoggedEvent) => (newestFirst ? number - 1 : number)
  const portions = new Portions()
  let place = newestFirst ? upTo : after
  let looks = 0
  for await (const { events, reached } of stepsOf(store, filter, { after, upTo, newestFirst })) {
    for (let from = 0; from < events.length; ) {
      const some = events.slice(from, from + portions.next)
      from += some.length
      for (const told of await teller.tell(some.filter((event) => mayMatch(filter, event)))) {
        const octets = octetsOfEvent(told)
        portions.read(octets)
        looks += octets / OCTETS_A_LOOK
        if (matches(filter, told) && also(told)) found.push(told)
        if (found.length === limit || looks >= LOOKS) return until(past(told.event))
      }
      looks += some.length
      if (looks >= LOOKS && from < events.length) return until(past(some.at(-1)!))
    }
    place = reached
    if (looks >= LOOKS) break
  }
  return until(place)
}

/** Nothing will be added up to there, so that nobody who goes on behind it misses anything. */
async function endOf(store: EventSearchStore): Promise<number> {
  // Who follows the log has waited for what was under way.
  const [settled, digested] = await Promise.all([store.settledEventNumber(), store.followerCursor(DIGEST)])
  return Math.max(settled, digested)
}
