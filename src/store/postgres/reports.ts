import { isEmailId } from '../../email/email-id.ts'
import { decide, type RecipientReport } from '../../email/lifecycle.ts'
import type { EventStore } from '../store.ts'
import { apply, type RecipientDecision } from './apply.ts'
import { texts, uuids } from './arrays.ts'
import type { DatabaseSession, Statement } from './database.ts'
import { factsOf, type LockedRecipient, nameOf, PLACES, type RecipientKey } from './facts.ts'
import type { StoreParts } from './parts.ts'

/** Reports recorded in one transaction. */
const CHUNK = 500

/** Locked in the same order everywhere: emails, the queue, recipients. Retention skips an email that is locked. */
const HOLD: readonly Statement[] = [
  {
    name: 'hold-emails',
    text: 'SELECT 1 FROM emails WHERE id = ANY ($1::uuid[]) AND $2::int4[] IS NOT NULL ORDER BY id FOR KEY SHARE',
  },
  ...['queue', 'recipients'].map((table) => ({
    name: `hold-${table}`,
    text: `
SELECT 1 FROM ${PLACES.as('t')}
JOIN ${table} r ON r.email = ANY (ARRAY[t.email]) AND r.position = t.position
ORDER BY r.email, r.position FOR UPDATE OF r`,
  })),
]

/** The id of a report in its event: JSON text within JSON text, where no value can look like this field. */
const NAMED = String.raw`substring(detail FROM '"reportId":("(?:[^"\\]|\\.)*")')`

/**
 * The events of these emails ($1) that record these reports ($2, as JSON text). Not read as JSON by PostgreSQL, which
 * refuses NUL and lone surrogates: strangers may have written those into a report.
 */
const KNOWN: Statement = {
  name: 'known-reports',
  text: `
SELECT email::text AS email, recipient AS position, type, ${NAMED} AS "reportId"
FROM events WHERE email = ANY ($1::uuid[]) AND detail LIKE '%"reportId"%' AND ${NAMED} = ANY ($2::text[])`,
}

interface Report extends RecipientKey {
  type: string
  reportId: string
}

/** Records reports from outside about recipients, mostly after they have ended. */
export function reports({ database, changes }: StoreParts): Pick<EventStore, 'happened'> {
  const record = async (some: readonly RecipientReport[]) => {
    const { all, suppressed } = await database.transaction(async (session) => {
      const recipients = await lockRecipients(session, some)
      const written = await writtenBefore(session, some)
      const all = decidedOf(some, recipients, written)
      const latest = Math.max(...some.map(({ happening }) => happening.at))
      return { all, suppressed: await apply(session, all, latest) }
    })
    if (suppressed) changes.stopsChanged()
    if (all.some(({ decision }) => decision.change !== null)) changes.queueChanged()
    return all.reduce((sum, { decision }) => sum + decision.events.length, 0)
  }
  return {
    async happened(reports) {
      const known = reports.filter(({ emailId }) => isEmailId(emailId))
      let recorded = 0
      for (let from = 0; from < known.length; from += CHUNK) {
        recorded += await record(known.slice(from, from + CHUNK))
      }
      return recorded
    },
  }
}

async function lockRecipients(
  session: DatabaseSession,
  reports: readonly RecipientReport[],
): Promise<Map<string, LockedRecipient>> {
  const places = new Map<string, RecipientKey>()
  for (const { emailId: email, position } of reports)
    places.set(nameOf({ email, position }), { email, position })
  const named = [...places.values()]
  for (const statement of HOLD) await session.run(statement, PLACES.values(named))
  const found = await factsOf(session, named)
  return new Map(found.map((recipient) => [nameOf(recipient), recipient]))
}

/**
 * Must be a statement that begins when the recipients are locked: only such a statement sees what other transactions
 * have just recorded.
 */
async function writtenBefore(
  session: DatabaseSession,
  reports: readonly RecipientReport[],
): Promise<Set<string>> {
  const ids = reports.flatMap(({ happening }) => happening.detail.reportId ?? [])
  if (ids.length === 0) return new Set()
  const emails = uuids([...new Set(reports.map(({ emailId }) => emailId))])
  const named = texts(ids.map((id) => JSON.stringify(id)))
  const rows = await session.run<Report>(KNOWN, [emails, named])
  return new Set(rows.map((row) => reportOf({ ...row, reportId: JSON.parse(row.reportId) as string })))
}

/** One decision for each recipient: several reports about it are decided one after the other. */
function decidedOf(
  reports: readonly RecipientReport[],
  recipients: ReadonlyMap<string, LockedRecipient>,
  written: Set<string>,
): RecipientDecision[] {
  const all = new Map<string, RecipientDecision>()
  for (const { emailId: email, position, happening } of reports) {
    const name = nameOf({ email, position })
    const recipient = recipients.get(name)
    if (recipient === undefined) continue
    const before = all.get(name)
    const decision = decide({ ...recipient.facts, ...before?.decision.change }, happening)
    if (decision === null) continue
    const { reportId } = happening.detail
    const types = decision.events.map(({ type }) => type)
    const marks =
      reportId === undefined ? [] : types.map((type) => reportOf({ email, position, type, reportId }))
    if (marks.some((mark) => written.has(mark))) continue
    for (const mark of marks) written.add(mark)
    all.set(
      name,
      before === undefined ? { recipient, decision } : { recipient, decision: both(before, decision) },
    )
  }
  return [...all.values()]
}

function both(
  { decision: first }: RecipientDecision,
  second: RecipientDecision['decision'],
): RecipientDecision['decision'] {
  const changes = first.change !== null || second.change !== null
  return {
    change: changes ? { ...first.change, ...second.change } : null,
    events: [...first.events, ...second.events],
    suppress: first.suppress ?? second.suppress,
    tried: false,
  }
}

function reportOf({ email, position, type, reportId }: Report): string {
  return JSON.stringify([email, position, type, reportId])
}
