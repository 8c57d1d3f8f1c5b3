/** Searches as dialects ask for them, each in its company's turn. */
import type { EventFilter } from '../email/event.ts'
import type { ToldEvent } from '../email/told-event.ts'
import type {
  BusiestRequest,
  EmailFilter,
  EventGroups,
  EventSum,
  GroupRequest,
  SeenTags,
  SeenTagsRequest,
  Store,
} from '../store/store.ts'
import { type EventRange, type EventSearchParts, type FoundEvents, findEvents } from './find.ts'
import { type EmailRange, type FoundEmails, findEmails } from './find-emails.ts'
import { PATIENCE, SearchTurns } from './search-turns.ts'

/** These are the callbacks of `findEvents`. */
export interface EventsSelected {
  also?: (told: ToldEvent) => boolean
  each?: (told: ToldEvent) => boolean
}

export interface SearchParts extends EventSearchParts {
  store: EventSearchParts['store'] & Pick<Store, 'groupEvents' | 'seenTags' | 'sumBusiest'>
}

/** All of them reject with SearchesBusy where their turn does not come in time. */
export class Searches {
  readonly #parts: SearchParts
  readonly turns = new SearchTurns()

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  emails(filter: EmailFilter, range: EmailRange): Promise<FoundEmails> {
    const find = () => findEmails(this.#parts.store, filter, range)
    return this.turns.take(filter.companyId, find)
  }

  /** One step of a search, as `findEvents` has it. `patience`: what is left of it, in ms. */
  events(
    filter: EventFilter,
    range: EventRange,
    { also, each }: EventsSelected = {},
    patience = PATIENCE,
  ): Promise<FoundEvents> {
    const find = () => findEvents(this.#parts, filter, range, also, each)
    return this.turns.take(filter.companyId, find, patience)
  }

  /** What was counted. Null: there is more to add up than is wanted. */
  groups(request: GroupRequest): Promise<EventGroups | null> {
    const { store } = this.#parts
    return this.turns.take(request.companyId, () => store.groupEvents(request))
  }

  /** Sums of the values with most mail. Null: there is more to add up than is wanted. */
  busiest(request: BusiestRequest): Promise<EventSum[] | null> {
    const { store } = this.#parts
    return this.turns.take(request.companyId, () => store.sumBusiest(request))
  }

  /** Null: there is more to go through than is wanted. */
  tags(request: SeenTagsRequest): Promise<SeenTags | null> {
    const { store } = this.#parts
    return this.turns.take(request.companyId, () => store.seenTags(request))
  }
}
