/** Reports of other mail systems about recipients, most of which are already in a final state. */
import type { EventType } from '../../email/event.ts'
import { decide, type RecipientReport } from '../../email/lifecycle.ts'
import {
  type EmailKey,
  type LockedRecipient,
  nameOf,
  type RecipientDecision,
  type RecipientKey,
} from '../recipient-decision.ts'
import { type EmailPlace, findEmails } from './live-recipients.ts'
import type { Operations, Port, PortSteps, PortTransaction } from './port.ts'
import { statement } from './statement.ts'

/** The id of a report in its event: JSON text within JSON text, where no value can look like this field. */
const NAMED = String.raw`substring(v.detail FROM '"reportId":("(?:[^"\\]|\\.)*")')`

/**
 * Counts the events that record reports, by recipient, type and the report's id if it is one of $2; other reports are
 * counted together. The ids are given as JSON text. The events are looked up recipient by recipient in the index
 * `events_by_report`, whose condition is repeated here: an email with a thousand recipients may have ten thousand such
 * events. PostgreSQL does not read the detail as JSON, because it refuses NUL and lone surrogates, which strangers may
 * have written into a report.
 */
const KNOWN = statement<KnownRow>(({ engine, rows, texts }) => {
  const places = rows('$1', { email: 'uuid', position: 'integer' })
  const ofPlace = 'v.email = j.email AND v.recipient = j.position'
  // A subquery with an offset is run for each place. The planner could also read the whole index.
  const [joined, id] =
    engine === 'postgres'
      ? [
          `CROSS JOIN LATERAL (SELECT * FROM events v
            WHERE ${ofPlace} AND v.detail LIKE '%"reportId":%' OFFSET 0) v`,
          NAMED,
        ]
      : [
          `CROSS JOIN events v INDEXED BY events_by_report
            ON ${ofPlace} AND instr(v.detail, '"reportId":') > 0`,
          "v.detail -> 'reportId'",
        ]
  return `SELECT v.email, v.recipient AS position, v.type,
      CASE WHEN ${id} IN (${texts('$2')}) THEN ${id} END AS report, count(*) AS count
    FROM ${places} ${joined}
    GROUP BY 1, 2, 3, 4`
}, 'known-reports')

interface KnownRow {
  email: EmailKey
  position: number
  type: EventType
  /** Null: other reports. */
  report: string | null
  count: number | bigint
}

/**
 * The most events of one type that reports add to a recipient. A server that still tries reports a delay every few
 * hours for about five days (RFC 5321 4.5.4.1), and a recipient can send any number of reports.
 */
const MAX_OF_TYPE = 30

export interface PlacedReport {
  place: RecipientKey
  happening: RecipientReport['happening']
}

/** The report with the place of its recipient; empty when the email is unknown. */
export function withPlace(
  emails: ReadonlyMap<string, EmailPlace>,
  { emailId, position, happening }: RecipientReport,
): PlacedReport[] {
  const email = emails.get(emailId)
  return email === undefined ? [] : [{ place: { email: email.key, position }, happening }]
}

interface RecordedReports {
  events: number
  /** True: a recipient has left the queue. */
  unqueued: boolean
  suppressed: boolean
}

/** Locks the recipients at these places. Returns them by `nameOf` their places. */
export function* lockPlaces(
  db: PortTransaction,
  reports: readonly PlacedReport[],
): PortSteps<Map<string, LockedRecipient>> {
  const places = new Map(reports.map(({ place }) => [nameOf(place), place]))
  const locked = yield* db.lock([...places.values()])
  return new Map(locked.map((recipient) => [nameOf(recipient), recipient]))
}

/**
 * Records reports about locked recipients. Their facts in `recipients` become those after the reports, and the reports
 * become known.
 */
export function* recordReports(
  db: PortTransaction,
  reports: readonly PlacedReport[],
  recipients: Map<string, LockedRecipient>,
  known: KnownReports,
): PortSteps<RecordedReports> {
  const sum = { events: 0, unqueued: false, suppressed: false }
  /** Decisions that are not written yet, at most one for each recipient, all of the same time. */
  let decided = new Map<string, RecipientDecision>()
  let decidedAt = 0
  for (const { place, happening } of reports) {
    const name = nameOf(place)
    const recipient = recipients.get(name)
    const decision = recipient === undefined ? null : decide(recipient, happening)
    if (recipient === undefined || decision === null) continue
    const { reportId } = happening.detail
    const types = decision.events.map(({ type }) => type)
    if (reportId !== undefined && types.some((type) => known.has(name, type, reportId))) continue
    if (happening.kind === 'returned' && types.some((type) => known.isCrowded(name, type))) continue
    for (const type of types) known.add(name, type, reportId)
    if (decided.has(name) || (decided.size > 0 && decidedAt !== happening.at)) {
      if (yield* db.apply([...decided.values()], decidedAt)) sum.suppressed = true
      decided = new Map()
    }
    decided.set(name, { recipient, decision })
    decidedAt = happening.at
    recipients.set(name, { ...recipient, ...decision.change })
    sum.events += decision.events.length
    // Only a waiting recipient can leave the queue. Most reports concern others, for which a look for due mail would
    // cost as much as the report.
    sum.unqueued ||= recipient.state === 'waiting' && decision.change !== null
  }
  if (decided.size > 0 && (yield* db.apply([...decided.values()], decidedAt))) sum.suppressed = true
  return sum
}

/** Notifies watchers of reports that are committed. */
export function announceReports(
  port: Port,
  { unqueued, suppressed }: Pick<RecordedReports, 'unqueued' | 'suppressed'>,
): void {
  if (suppressed) port.changed('stops')
  if (unqueued) port.changed('queue')
}

export const reportWrites = {
  *happened(port, reports) {
    const emails = yield* findEmails(
      port,
      reports.map(({ emailId }) => emailId),
    )
    const placed = reports.flatMap((report) => withPlace(emails, report))
    if (placed.length === 0) return 0
    const outcome = yield* port.transaction(function* (db) {
      const recipients = yield* lockPlaces(db, placed)
      return yield* recordReports(db, placed, recipients, yield* knownReports(db, placed))
    })
    announceReports(port, outcome)
    return outcome.events
  },
} satisfies Operations<Port>

/** Reports that have been recorded, by recipient. */
class KnownReports {
  readonly #records = new Set<string>()
  readonly #counts = new Map<string, number>()

  has(name: string, type: EventType, reportId: string): boolean {
    return this.#records.has(`${name} ${type} ${JSON.stringify(reportId)}`)
  }

  isCrowded(name: string, type: EventType): boolean {
    return (this.#counts.get(`${name} ${type}`) ?? 0) >= MAX_OF_TYPE
  }

  add(name: string, type: EventType, reportId: string | undefined): void {
    if (reportId !== undefined) this.record(name, type, JSON.stringify(reportId), 1)
  }

  /** @param id as JSON text; null: other reports */
  record(name: string, type: EventType, id: string | null, events: number): void {
    if (id !== null) this.#records.add(`${name} ${type} ${id}`)
    const key = `${name} ${type}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + events)
  }
}

/**
 * Must run after the recipients were locked, because only a later statement sees the reports that other transactions
 * have just recorded. One statement reads the reports of a whole batch.
 */
export function* knownReports(
  db: PortTransaction,
  reports: readonly PlacedReport[],
): PortSteps<KnownReports> {
  const known = new KnownReports()
  const named = reports.filter(({ happening }) => happening.detail.reportId !== undefined)
  if (named.length === 0) return known
  const places = [...new Map(named.map(({ place }) => [nameOf(place), place])).values()]
  const ids = [...new Set(named.map(({ happening }) => JSON.stringify(happening.detail.reportId)))]
  for (const { email, position, type, report, count } of yield* db.all(KNOWN, places, ids))
    known.record(nameOf({ email, position }), type, report, Number(count))
  return known
}
