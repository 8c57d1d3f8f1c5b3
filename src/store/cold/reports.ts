/** Reports from outside about recipients, mostly after they have ended. */
import type { EventType } from '../../email/event.ts'
import { decide, type RecipientReport } from '../../email/lifecycle.ts'
import {
  type LockedRecipient,
  nameOf,
  type RecipientDecision,
  type RecipientKey,
} from '../recipient-decision.ts'
import { findEmail } from './live-recipients.ts'
import type { Operations, Port, PortSteps, PortTransaction } from './port.ts'
import { statement } from './statement.ts'

/** The id of a report in its event: JSON text within JSON text, where no value can look like this field. */
const NAMED = String.raw`substring(detail FROM '"reportId":("(?:[^"\\]|\\.)*")')`

/**
 * The events of an email that record one of these reports, whose ids are given as JSON text. PostgreSQL does not read
 * the detail as JSON, because it refuses NUL and lone surrogates, which strangers may have written into a report.
 */
const KNOWN = statement<{ position: number; type: EventType; report: string }>(({ engine, texts }) => {
  const [filter, id] =
    engine === 'postgres' ? [`detail LIKE '%"reportId"%' AND`, NAMED] : ['', "detail -> 'reportId'"]
  return `SELECT recipient AS position, type, ${id} AS report FROM events
    WHERE email = $1 AND ${filter} ${id} IN (${texts('$2')})`
}, 'known-reports')

/**
 * Events of one type that reports add to a recipient, at most: a server that still tries says so every few hours, for
 * about five days (RFC 5321 4.5.4.1), and the recipient can write as many reports as it likes.
 */
const MOST_OF_TYPE = 30
/** How many such events each recipient of an email has. */
const COUNTS = statement<{ position: number; type: EventType; count: number | bigint }>(
  ({ engine }) => `SELECT recipient AS position, type, count(*) AS count FROM events
    WHERE email = $1 AND ${engine === 'postgres' ? `detail LIKE '%"reportId"%'` : "detail -> 'reportId' IS NOT NULL"}
    GROUP BY recipient, type`,
  'report-counts',
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
  const known = yield* knownReports(db, reports)
  /** Decisions that are not written yet: of different recipients, at the same time. */
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
    sum.changes ||= decision.change !== null
  }
  if (decided.size > 0 && (yield* db.apply([...decided.values()], decidedAt))) sum.suppressed = true
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

/** Reports that have been recorded, by recipient. */
class KnownReports {
  readonly #records = new Set<string>()
  readonly #counts = new Map<string, number>()

  has(name: string, type: EventType, reportId: string): boolean {
    return this.#records.has(`${name} ${type} ${JSON.stringify(reportId)}`)
  }

  isCrowded(name: string, type: EventType): boolean {
    return (this.#counts.get(`${name} ${type}`) ?? 0) >= MOST_OF_TYPE
  }

  add(name: string, type: EventType, reportId: string | undefined): void {
    if (reportId === undefined) return
    this.record(name, type, JSON.stringify(reportId))
    const key = `${name} ${type}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** @param id as JSON text */
  record(name: string, type: EventType, id: string): void {
    this.#records.add(`${name} ${type} ${id}`)
  }

  count(name: string, type: EventType, events: number): void {
    this.#counts.set(`${name} ${type}`, events)
  }
}

/**
 * Asks after the recipients were locked: only a statement that begins then sees what other transactions have just
 * recorded. Once for each email: it may have thousands of events.
 */
function* knownReports(db: PortTransaction, reports: readonly PlacedReport[]): PortSteps<KnownReports> {
  const known = new KnownReports()
  for (const [email, its] of Map.groupBy(reports, ({ place }) => place.email)) {
    const ids = new Set(its.flatMap(({ happening }) => happening.detail.reportId ?? []))
    if (ids.size === 0) continue
    const wanted = [...ids].map((id) => JSON.stringify(id))
    for (const { position, type, report } of yield* db.all(KNOWN, email, wanted))
      known.record(nameOf({ email, position }), type, report)
    if (!its.some(({ happening }) => happening.kind === 'returned')) continue
    for (const { position, type, count } of yield* db.all(COUNTS, email))
      known.count(nameOf({ email, position }), type, Number(count))
  }
  return known
}
