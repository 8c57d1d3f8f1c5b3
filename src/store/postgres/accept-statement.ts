import { binder } from '../../email/codec.ts'
import { fieldsOf, recipientFieldsOf } from '../../email/fields.ts'
import { foldedAscii } from '../../email/folded-ascii.ts'
import { firstEvent, initialState, NOT_SENT, suppressedAtStart } from '../../email/lifecycle/initial-state.ts'
import { isSimulated } from '../../email/simulated.ts'
import { COLUMNS } from '../email-columns.ts'
import { mapText } from '../json-columns.ts'
import type { NewEmail, NewRecipient } from '../store.ts'
import { bool, column, int4, int8, text, unnestSql, uuid } from './columns.ts'
import type { Statement, Value } from './database.ts'
import type { PendingEmail } from './pending-email.ts'
import { stopOf } from './rows.ts'

const MAX_INT4 = 0x7fff_ffff

/** A recipient, and the state in which it begins. */
interface RecipientInsert {
  email: NewEmail
  company: number
  recipient: NewRecipient
  position: number
  dueAt: number | null
  /** The token of its lease. */
  lease: number | null
  ready: boolean
  /** Number of the email's recipients that share a transaction with it, itself included. */
  together: number
}

const RECIPIENT_PARAMETERS = recipientFieldsOf().map((field) => {
  const bind = binder<NewRecipient>(field, COLUMNS)
  return [
    field.column,
    column(field.type.column)(({ recipient, company }: RecipientInsert) => bind(recipient, company)),
  ] as const
})
const GIVEN_NAMES = RECIPIENT_PARAMETERS.map(([name]) => name).join(', ')

const RECIPIENTS = unnestSql<RecipientInsert>(1, {
  email: uuid(({ email }) => email.id),
  position: int4(({ position }) => position),
  company: int4(({ company }) => company),
  size: int4(({ email }) => Math.min(Math.round(email.size), MAX_INT4)),
  due_at: int8(({ dueAt }) => dueAt),
  lease: int8(({ lease }) => lease),
  ready: bool(({ ready }) => ready),
  /** The folded address, looked up on the suppression list. */
  folded: text(({ email, recipient: { address, domain } }) => {
    return isSimulated(domain, email.testMode) ? null : foldedAscii(address)
  }),
  at: int8(({ email }) => email.createdAt),
  together: int4(({ together }) => together),
  ...Object.fromEntries(RECIPIENT_PARAMETERS),
})

const FIELDS = fieldsOf().map((field) => {
  const bind = binder<NewEmail>(field, COLUMNS)
  return [
    field.column,
    column(field.type.column)(({ email, company }: PendingEmail) => bind(email, company)),
  ] as const
})
const EMAILS = unnestSql<PendingEmail>(RECIPIENTS.next, {
  ...Object.fromEntries(FIELDS),
  sent: bool(({ email }) => email.scheduledAt === null),
})

const FIRST_EVENTS = unnestSql<ReturnType<typeof firstEvent>>(EMAILS.next, {
  type: text(({ type }) => type),
  detail: text(({ detail }) => mapText(detail)),
})

const [STATE, EVENT, BEFORE, AFTER] = [0, 1, 2, 3].map((index) => `$${FIRST_EVENTS.next + index}`)

/** A column of the email of `r`. */
function ofEmail(column: string): string {
  return `(SELECT t.value FROM unnest(${EMAILS.params.id}, ${EMAILS.params[column]}) AS t (id, value) WHERE t.id = r.email)`
}
const STOP = stopOf('r.company', 'r.folded', ofEmail('domain_id'), ofEmail('tags'))

/**
 * Inserts emails, recipients, queue rows and first events of a whole group in one statement. Returns the recipients
 * that were on a suppression list. Their beginning (state, event, and the message before and after the reason) is
 * passed in, too: the statement only chooses between the two cases, both of which were decided before.
 */
const INSERT: Statement = {
  name: 'accept',
  text: `
WITH email AS (
  INSERT INTO emails (${EMAILS.names}) SELECT * FROM ${EMAILS.unnest}
), recipient AS MATERIALIZED (
  SELECT r.*, ${BEFORE} || stop.reason || ${AFTER} AS not_sent, stop.type AS suppressed_by
  FROM ${RECIPIENTS.as('r')} LEFT JOIN LATERAL (${STOP}) AS stop ON true
), kept AS (
  INSERT INTO recipients (email, position, state, last_message, ${GIVEN_NAMES})
  SELECT email, position, CASE WHEN not_sent IS NOT NULL THEN ${STATE} END, not_sent, ${GIVEN_NAMES} FROM recipient
), queued AS (
  INSERT INTO queue (email, position, company, size, together, due_at, lease, ready, domain)
  SELECT email, position, company, size, together, due_at, lease, ready, domain
  FROM recipient WHERE not_sent IS NULL
), logged AS (
  INSERT INTO events (email, company, recipient, at, type, detail)
  SELECT id, company, NULL, at, type, detail
  FROM unnest(
    ${EMAILS.params.id}, ${EMAILS.params.company}, ${EMAILS.params.created_at}, ${FIRST_EVENTS.params.type}, ${FIRST_EVENTS.params.detail}
  ) AS first (id, company, at, type, detail)
  UNION ALL
  SELECT email, company, position, at, ${EVENT}, json_build_object('message', not_sent, 'suppressedBy', suppressed_by)::text
  FROM recipient WHERE not_sent IS NOT NULL
)
SELECT email, position FROM recipient WHERE not_sent IS NOT NULL`,
}

const { change, events } = suppressedAtStart(0, { type: 'manual', reason: '' })
const SUPPRESSED = [change!.state!, events[0]!.type, NOT_SENT.before, NOT_SENT.after]

type Run = (statement: Statement, values: readonly Value[]) => Promise<{ email: string; position: number }[]>

/** Returns the suppressed positions, by email. */
export async function insertEmails(
  run: Run,
  entries: readonly PendingEmail[],
): Promise<Map<string, Set<number>>> {
  const suppressed = new Map<string, Set<number>>()
  const values = [
    ...RECIPIENTS.values(entries.flatMap(rowsOf)),
    ...EMAILS.values(entries),
    ...FIRST_EVENTS.values(entries.map(({ email }) => firstEvent(email))),
    ...SUPPRESSED,
  ]
  for (const { email, position } of await run(INSERT, values)) {
    const positions = suppressed.get(email) ?? new Set()
    suppressed.set(email, positions.add(position))
  }
  return suppressed
}

function rowsOf({ email, company, lease: given }: PendingEmail): RecipientInsert[] {
  const { state, dueAt } = initialState(email, given !== null)
  const lease = state === 'sending' ? given!.token : null
  const ready = Math.round(email.dueAt) <= email.createdAt
  const atDomain = recipientsByDomain(email)
  return email.recipients.map((recipient, position) => {
    const together = atDomain?.get(recipient.domain) ?? 1
    return { email, company, recipient, position, dueAt, lease, ready, together }
  })
}

/** Null when each recipient has a transaction of its own. */
function recipientsByDomain({ individual, recipients }: NewEmail): Map<string, number> | null {
  if (individual || recipients.length === 1) return null
  const counts = new Map<string, number>()
  for (const { domain } of recipients) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  return counts
}
