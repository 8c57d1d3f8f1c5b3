/** The searches of the dialects, each in its company's turn. */
import type { EventFilter } from '../email/event.ts'
import type {
  BusiestRequest,
  DigestStore,
  EmailFilter,
  EventGroups,
  EventSum,
  GroupRequest,
  SeenTags,
  SeenTagsRequest,
} from '../store/store.ts'
import {
  type EventCallbacks,
  type EventRange,
  type EventSearchParts,
  type FoundEvents,
  findEvents,
} from './find.ts'
import { type EmailRange, type FoundEmails, findEmails } from './find-emails.ts'
import { PATIENCE, SearchTurns } from './search-turns.ts'

interface SearchParts extends EventSearchParts {
  store: EventSearchParts['store'] & DigestStore
}

/** All methods reject with SearchesBusy when their turn does not come in time. */
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

  /** One step of a search, see `findEvents`. `patience`: the ms left for it. */
  events(
    filter: EventFilter,
    range: EventRange,
    { also, each }: Partial<EventCallbacks> = {},
    patience = PATIENCE,
  ): Promise<FoundEvents> {
    const find = () => findEvents(this.#parts, filter, range, also, each)
    return this.turns.take(filter.companyId, find, patience)
  }

  /** Counters by group. Null: there are more counters to add up than allowed. */
  groups(request: GroupRequest): Promise<EventGroups | null> {
    const { store } = this.#parts
    return this.turns.take(request.companyId, () => store.groupEvents(request))
  }

  /** Sums of the values with the most mail. Null: there are more counters to add up than allowed. */
  busiest(request: BusiestRequest): Promise<EventSum[] | null> {
    const { store } = this.#parts
    return this.turns.take(request.companyId, () => store.sumBusiest(request))
  }

  /** Null: there are more tags to read than allowed. */
  tags(request: SeenTagsRequest): Promise<SeenTags | null> {
    const { store } = this.#parts
    return this.turns.take(request.companyId, () => store.seenTags(request))
  }
}
