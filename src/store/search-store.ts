/** Search in emails and events, and the facts about their emails that are reported with events. */
import type { LogFilter, LoggedEvent } from '../email/event.ts'
import type { NoticeFacts, NoticeRequest } from '../email/event-notice.ts'
import type {
  EmailFilter,
  EmailPortion,
  EmailWalk,
  PortionRequest,
  WalkedEmails,
} from '../email/stored-email.ts'

export interface SearchStore {
  /**
   * The place of an email in the order of acceptance, which listings follow: older emails have a lower place. For an
   * email that is gone, the place that it would have, between two whole numbers.
   */
  emailPlace(id: string): Promise<number>
  /**
   * Id of the email of the company (null: of any) at a place. If there is none at the place, the last one that a walk
   * from the newest (or from the oldest) passes before it; null when there is none.
   */
  emailAlong(companyId: string | null, place: number, newestFirst: boolean): Promise<string | null>
  /** Walks emails one after the other, and returns those that match. */
  walkEmails(filter: EmailFilter, walk: EmailWalk): Promise<WalkedEmails>
  /** The matching emails at these places, in the order that `portion` asks for. */
  emailsAt(filter: EmailFilter, places: readonly number[], portion: PortionRequest): Promise<EmailPortion>
  /**
   * The first matching emails between these places, in the order of the walk, among those that begin after a number of
   * the log, or whose last event (when the filter asks for it) may have come after it. Null when there are too many
   * events after it to look through.
   */
  emailsBegunAfter(
    number: number,
    filter: EmailFilter,
    walk: Omit<EmailWalk, 'looks'>,
  ): Promise<EmailPortion | null>
  /**
   * A number up to which no further event will be added: the last one, or on PostgreSQL a lower one while transactions
   * are under way that may still add events below it. Waits a few milliseconds for these. The number never falls.
   */
  settledEventNumber(): Promise<number>
  /** The same for places of emails. */
  settledEmailPlace(): Promise<number>
  /**
   * The matching events up to a number, newest first, and the number from which everything upwards was looked at. Costs
   * the same however many there are.
   */
  eventsUpTo(upTo: number, filter: LogFilter, limit: number): Promise<EventsUpTo>
  /** The first events with these numbers that happened at the given time. */
  eventsAt(numbers: readonly number[], request: EventRangeRequest): Promise<LoggedEvent[]>
  /**
   * All events of these emails, or those of one recipient and of the emails as a whole, by number. Letters of the
   * address are compared without regard to ASCII case.
   */
  eventsOf(emailIds: readonly string[], address: string | null): Promise<LoggedEvent[]>
  /**
   * The facts reported with events, in the given order. The list ends with the item that reaches `octets`, however
   * large that item is: the caller asks again for the rest.
   */
  readNoticeFacts(requests: readonly NoticeRequest[], octets: number): Promise<NoticeFacts[]>
}

interface EventsUpTo {
  events: LoggedEvent[]
  /** Everything above it was looked at; 0: nothing is left. */
  cursor: number
}

interface EventRangeRequest {
  /** Unix ms: at `since` or later, and before `until`. Null: at any time. */
  since: number | null
  until: number | null
  /** In descending order of numbers. */
  newestFirst: boolean
  limit: number
}
