/** The log: everything that happened to emails and companies, in one order for all nodes. */
import type { EntryFilter, LogEntry } from '../email/company-event.ts'
import type { EventPage, LogFilter, LoggedEvent } from '../email/event.ts'
import type { RecipientReport } from '../email/lifecycle.ts'

export interface EventLog<Event = LoggedEvent, Filter = LogFilter> {
  /**
   * The events after a cursor (the number of an event; 0: from the first), by number. No event is ever missed, in
   * whatever order transactions commit: on PostgreSQL it waits for transactions that may still bring a smaller number.
   * Costs the same however long the log is.
   */
  eventsAfter(cursor: number, filter: Filter, limit: number): Promise<EventPage<Event>>
  /**
   * The number of the last event, or a higher one that no event will have; 0 when there has been none. It does not fall
   * when retention removes events.
   */
  lastEventNumber(): Promise<number>
}

export interface EventStore extends EventLog {
  /** As `eventsAfter`, but with all entries of the log, not only the events of emails. */
  entriesAfter(cursor: number, filter: EntryFilter, limit: number): Promise<EventPage<LogEntry>>
  /**
   * Records reports from outside about recipients, also after they have ended (a late bounce, a complaint, an open):
   * the lifecycle decides, and the change and its events are recorded in one commit. A report that comes twice with the
   * same `reportId` is recorded once. Returns the number of events.
   */
  happened(reports: readonly RecipientReport[]): Promise<number>
}
