/** The log with all its entries: events of emails, and of companies. */
import type { EntryFilter, LogEntry } from '../email/company-event.ts'
import type { EventLog, EventStore } from '../store/store.ts'

export type EntryLog = EventLog<LogEntry, EntryFilter>

export function entryLog({
  entriesAfter,
  lastEventNumber,
}: Pick<EventStore, 'entriesAfter' | 'lastEventNumber'>): EntryLog {
  return { eventsAfter: entriesAfter, lastEventNumber }
}
