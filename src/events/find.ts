/** Events of a company that are wanted, page by page in either direction. */
import type { EventFilter } from '../email/event.ts'
import type { ToldEvent } from '../email/told-event.ts'
import { DIGEST } from './digest.ts'
import { type EventSearchStore, STEP, stepsOf } from './event-steps.ts'
import { matches, mayMatch } from './match.ts'
import type { Teller } from './tell.ts'

/** Events read for one page at most. */
const LOOKS = 3_000

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
  let place = newestFirst ? upTo : after
  let looks = 0
  for await (const { events, reached } of stepsOf(store, filter, { after, upTo, newestFirst })) {
    for (let from = 0; from < events.length; from += STEP) {
      const some = events.slice(from, from + STEP).filter((event) => mayMatch(filter, event))
      for (const told of await teller.tell(some)) {
        if (!matches(filter, told) || !also(told)) continue
        found.push(told)
        if (found.length === limit) return until(newestFirst ? told.event.number - 1 : told.event.number)
      }
      looks += STEP
      if (looks < LOOKS || from + STEP >= events.length) continue
      const { number } = events[from + STEP - 1]!
      return until(newestFirst ? number - 1 : number)
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
