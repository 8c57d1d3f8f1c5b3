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
    if (yield* isKnown(db, recipient, decision, happening.detail.reportId)) continue
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
 * Asks after the recipient was locked: only a statement that begins then sees what other transactions have just
 * recorded.
 */
function* isKnown(
  db: PortTransaction,
  { email, position }: LockedRecipient,
  { events }: Decision,
  reportId: string | undefined,
): PortSteps<boolean> {
  if (reportId === undefined) return false
  for (const { type } of events) {
    if ((yield* db.one(KNOWN, email, position, type, JSON.stringify(reportId))) !== undefined) return true
  }
  return false
}
