/** Reports from outside about recipients, mostly after they have ended. */
import { type Decision, decide, type RecipientReport } from '../../email/lifecycle.ts'
import { type LockedRecipient, nameOf, type RecipientKey } from '../recipient-decision.ts'
import { findEmail } from './live-recipients.ts'
import type { Operations, Port, PortSteps, PortTransaction } from './port.ts'
import { statement } from './statement.ts'

/** The id of a report in its event: JSON text within JSON text, where no value can look like this field. */
const NAMED = String.raw`substring(detail FROM '"reportId":("(?:[^"\\]|\\.)*")')`

/**
 * An event that records a report, whose id is given as JSON text. PostgreSQL does not read the detail as JSON, because
 * it refuses NUL and lone surrogates, which strangers may have written into a report.
 */
const KNOWN = statement(
  ({ engine }) => `SELECT 1 AS known FROM events WHERE email = $1 AND recipient = $2 AND type = $3
    AND ${engine === 'postgres' ? `detail LIKE '%"reportId"%' AND ${NAMED}` : "detail -> 'reportId'"} = $4 LIMIT 1`,
  'known-report',
)

/**
 * Events of one type that reports add to a recipient, at most: a server that still tries says so every few hours, for
 * about five days (RFC 5321 4.5.4.1), and the recipient can write as many reports as it likes.
 */
const MOST_OF_TYPE = 30
/** A row when the recipient has more than the given number of such events. */
const CROWDED = statement(
  ({ engine }) => `SELECT 1 AS crowded FROM events WHERE email = $1 AND recipient = $2 AND type = $3
    AND ${engine === 'postgres' ? `detail LIKE '%"reportId"%'` : "detail -> 'reportId' IS NOT NULL"} LIMIT 1 OFFSET $4`,
)

export interface PlacedReport {
  place: RecipientKey
  happening: RecipientReport['happening']
}

export interface RecordedReports {
  events: number
  /** A recipient has changed, not only its events. */
  changes: boolean
  suppressed: boolean
}

/** Locks the recipients at all these places; by `nameOf` their places. */
export function* lockPlaces(
  db: PortTransaction,
  reports: readonly PlacedReport[],
): PortSteps<Map<string, LockedRecipient>> {
  const places = new Map(reports.map(({ place }) => [nameOf(place), place]))
  const locked = yield* db.lock([...places.values()])
  return new Map(locked.map((recipient) => [nameOf(recipient), recipient]))
}

/** Records reports about locked recipients. Their facts in `recipients` become those after the reports. */
export function* recordReports(
  db: PortTransaction,
  reports: readonly PlacedReport[],
  recipients: Map<string, LockedRecipient>,
): PortSteps<RecordedReports> {
  const sum = { events: 0, changes: false, suppressed: false }
  for (const { place, happening } of reports) {
    const recipient = recipients.get(nameOf(place))
    const decision = recipient === undefined ? null : decide(recipient, happening)
    if (recipient === undefined || decision === null) continue
    if (yield* isKnown(db, recipient, decision, happening)) continue
    if (yield* db.apply([{ recipient, decision }], happening.at)) sum.suppressed = true
    recipients.set(nameOf(place), { ...recipient, ...decision.change })
    sum.events += decision.events.length
    sum.changes ||= decision.change !== null
  }
  return sum
}

/** Notifies watchers of reports that are committed. */
export function announceReports(
  port: Port,
  { changes, suppressed }: Pick<RecordedReports, 'changes' | 'suppressed'>,
): void {
  if (suppressed) port.changed('stops')
  if (changes) port.changed('queue')
}

export const reportWrites = {
  *happened(port, reports) {
    const known: PlacedReport[] = []
    for (const { emailId, position, happening } of reports) {
      const email = yield* findEmail(port, emailId)
      if (email !== undefined) known.push({ place: { email: email.key, position }, happening })
    }
    if (known.length === 0) return 0
    const outcome = yield* port.transaction(function* (db) {
      return yield* recordReports(db, known, yield* lockPlaces(db, known))
    })
    announceReports(port, outcome)
    return outcome.events
  },
} satisfies Operations<Port>

/**
 * Whether the report is on record, or the recipient has as many as it may have. Asks after the recipient was locked:
 * only a statement that begins then sees what other transactions have just recorded.
 */
function* isKnown(
  db: PortTransaction,
  { email, position }: LockedRecipient,
  { events }: Decision,
  { kind, detail: { reportId } }: PlacedReport['happening'],
): PortSteps<boolean> {
  if (reportId === undefined) return false
  for (const { type } of events) {
    if (kind === 'returned') {
      const crowded = yield* db.one(CROWDED, email, position, type, MOST_OF_TYPE - 1)
      if (crowded !== undefined) return true
    }
    if ((yield* db.one(KNOWN, email, position, type, JSON.stringify(reportId))) !== undefined) return true
  }
  return false
}
