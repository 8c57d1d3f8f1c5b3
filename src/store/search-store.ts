/** What is looked for among emails and events, and what is told of what was found. */
import type { LogFilter, LoggedEvent } from '../email/event.ts'
import type {
  EmailFilter,
  EmailPortion,
  EmailWalk,
  PortionWanted,
  WalkedEmails,
} from '../email/stored-email.ts'
import type { Told, WantedTold } from '../email/told-event.ts'

export interface SearchStore {
  /**
   * Where an email stands in the order of acceptance, which listings follow: older ones have a lower place. When it is
   * gone, the place it would have, between two whole numbers.
   */
  emailPlace(id: string): Promise<number>
  /**
   * Id of the company's (null: of anybody's) email at a place, or else of the last one before it on the way (from the
   * newest, or from the oldest); null when there is none.
   */
  emailAlong(companyId: string | null, place: number, newestFirst: boolean): Promise<string | null>
  /** Of the emails that are looked at one after the other, those that are wanted. */
  walkEmails(filter: EmailFilter, walk: EmailWalk): Promise<WalkedEmails>
  /** Of the emails at these places, which are in the order asked for, those that are wanted. */
  emailsAt(filter: EmailFilter, places: readonly number[], portion: PortionWanted): Promise<EmailPortion>
  /**
   * Of the emails that begin behind a number in the log, or to which what is to be their last event happens there, the
   * first that are wanted on the way between these places, in its order. Null when so many events are behind it that
   * they are not looked through.
   */
  emailsBegunAfter(
    number: number,
    filter: EmailFilter,
    walk: Omit<EmailWalk, 'looks'>,
  ): Promise<EmailPortion | null>
  /**
   * A number up to which nothing will be added any more: the last one, or on PostgreSQL a lower one while transactions
   * are under way that may bring more below it. It waits a few milliseconds for these, and does not fall.
   */
  settledEventNumber(): Promise<number>
  /** The same for places of emails. */
  settledEmailPlace(): Promise<number>
  /**
   * The wanted events up to a number, newest first, and the number behind which nothing was looked at. It costs the
   * same however many there are.
   */
  eventsUpTo(upTo: number, filter: LogFilter, limit: number): Promise<EventsUpTo>
  /** Of the events that have these numbers, the first ones that happened at such a time. */
  eventsAt(numbers: readonly number[], wanted: EventsWanted): Promise<LoggedEvent[]>
  /**
   * All events of these emails, or those of one recipient and of the emails as a whole, by number. Letters of the
   * address compare as ASCII folds them.
   */
  eventsOf(emailIds: readonly string[], address: string | null): Promise<LoggedEvent[]>
  /**
   * What is told beside events, in the order given. It ends with what comes to so many octets, however large that is:
   * the rest is to be asked for again.
   */
  readTold(wanted: readonly WantedTold[], octets: number): Promise<Told[]>
}

export interface EventsUpTo {
  events: LoggedEvent[]
  /** Everything above it was looked at; 0: nothing is left. */
  cursor: number
}

export interface EventsWanted {
  /** Unix ms; then or later, and before. Null: at any time. */
  since: number | null
  until: number | null
  /** By falling numbers. */
  newestFirst: boolean
  limit: number
}
