/** The log: everything that happened to emails and to companies, in one order for all nodes. */
import type { EntryFilter, LogEntry } from '../email/company-event.ts'
import type { EventPage, LogFilter, LoggedEvent } from '../email/event.ts'
import type { Happened } from '../email/lifecycle.ts'

export interface EventLog<Event = LoggedEvent, Filter = LogFilter> {
  /**
   * The events behind a cursor (a number of an event; 0: from the first), by number. None is ever missed, whatever
   * order transactions commit in: on PostgreSQL it waits for those that may still bring a smaller number. It costs the
   * same however much is behind it.
   */
  eventsAfter(cursor: number, filter: Filter, limit: number): Promise<EventPage<Event>>
  /**
   * The number of the last event, or a higher one that none will have; 0 when there has been none. It does not fall
   * when retention removes events.
   */
  lastEventNumber(): Promise<number>
}

export interface EventStore extends EventLog {
  /** As `eventsAfter`, which gives those of emails alone: all that the log has. */
  entriesAfter(cursor: number, filter: EntryFilter, limit: number): Promise<EventPage<LogEntry>>
  /**
   * What is reported of recipients by others, also after their end (a late bounce, a complaint, an open): decides by
   * the lifecycle, and records the change and its events in one commit. What comes twice with the same `reportId` is
   * recorded once. Returns how many events.
   */
  happened(reports: readonly Happened[]): Promise<number>
}
