import { binder } from '../../email/codec.ts'
import { type Declared, fieldsOf, recipientFieldsOf } from '../../email/fields.ts'
import { born, bornSuppressed, firstEvent, NOT_SENT } from '../../email/lifecycle/birth.ts'
import { isSimulated } from '../../email/simulated.ts'
import { COLUMNS } from '../email-columns.ts'
import { mapText } from '../json-columns.ts'
import type { NewEmail, NewRecipient } from '../store.ts'
import { bools, int4s, int8s, TYPES, texts, uuids } from './arrays.ts'
import type { Statement, Value } from './database.ts'
import type { Entry } from './entry.ts'
import { folded } from './rows.ts'

const MAX_INT4 = 0x7fff_ffff

/** The values of the fields of recipients and emails are the last ones. */
const FIRST_GIVEN = 18
const GIVEN = recipientFieldsOf().map((field) => ({ ...field, bind: binder<NewRecipient>(field, COLUMNS) }))
const FIELDS = fieldsOf().map((field) => ({ ...field, bind: binder<NewEmail>(field, COLUMNS) }))
const GIVEN_ARRAYS = arraysOf(GIVEN, FIRST_GIVEN)
const ARRAYS = arraysOf(FIELDS, FIRST_GIVEN + GIVEN.length)
const valuesOf = (name: string) => ARRAYS[FIELDS.findIndex((field) => field.name === name)]
const GIVEN_COLUMNS = GIVEN.map(({ column }) => column).join(', ')

function arraysOf(fields: readonly Declared[], first: number): string[] {
  return fields.map(({ type }, index) => `$${first + index}::${TYPES[type.column].name}[]`)
}

/**
 * Emails, recipients, live work and first events of a whole group in one statement. Its rows are the recipients that
 * were on a suppression list. ($1-$10: of recipients, by column, where and how they begin. $11-$14: how who is on a
 * suppression list begins: state, event, and its message before and after the reason; it only chooses between what was
 * decided for either case. $15-$17: of each email its first event, and whether that is `sent`. Then, by column: what
 * was given of recipients, and emails.)
 */
const INSERT: Statement = {
  name: 'accept',
  text: `
WITH email AS (
  INSERT INTO emails (${FIELDS.map(({ column }) => column).join(', ')}, sent)
  SELECT * FROM unnest(${ARRAYS.join(', ')}, $17::bool[])
), recipient AS MATERIALIZED (
  SELECT r.*, (SELECT $13 || s.reason || $14 FROM suppressions s WHERE s.company = r.company AND s.folded = r.folded) AS not_sent
  FROM unnest(
    $1::uuid[], $2::int4[], $3::int4[], $4::int4[], $5::int8[], $6::int8[], $7::bool[], $8::text[], $9::int8[], $10::int4[],
    ${GIVEN_ARRAYS.join(', ')}
  ) AS r (email, position, company, size, due_at, lease, ready, folded, at, together, ${GIVEN_COLUMNS})
), kept AS (
  INSERT INTO recipients (email, position, state, last_message, ${GIVEN_COLUMNS})
  SELECT email, position, CASE WHEN not_sent IS NOT NULL THEN $11 END, not_sent, ${GIVEN_COLUMNS}
  FROM recipient
), queued AS (
  INSERT INTO queue (email, position, company, size, together, due_at, lease, ready, domain)
  SELECT email, position, company, size, together, due_at, lease, ready, domain
  FROM recipient WHERE not_sent IS NULL
), logged AS (
  INSERT INTO events (email, company, recipient, at, type, detail)
  SELECT id, company, NULL, at, type, detail
  FROM unnest(${valuesOf('id')}, ${valuesOf('companyId')}, ${valuesOf('createdAt')}, $15::text[], $16::text[]) AS first (id, company, at, type, detail)
  UNION ALL
  SELECT email, company, position, at, $12, json_build_object('message', not_sent)::text
  FROM recipient WHERE not_sent IS NOT NULL
)
SELECT email, position FROM recipient WHERE not_sent IS NOT NULL`,
}

const { change, events } = bornSuppressed(0, '')
const SUPPRESSED = [change!.state!, events[0]!.type, NOT_SENT.before, NOT_SENT.after]

type Run = (statement: Statement, values: readonly Value[]) => Promise<{ email: string; position: number }[]>

/** Returns the positions that were suppressed, by email. */
export async function insertEmails(run: Run, entries: readonly Entry[]): Promise<Map<string, Set<number>>> {
  const suppressed = new Map<string, Set<number>>()
  for (const { email, position } of await run(INSERT, [
    ...beginningColumns(entries),
    ...SUPPRESSED,
    ...firstEventColumns(entries),
    ...givenColumns(entries),
    ...FIELDS.map(({ type, bind }) => {
      return TYPES[type.column].array(entries.map(({ email, company }) => bind(email, company) as never))
    }),
  ])) {
    const positions = suppressed.get(email) ?? new Set()
    suppressed.set(email, positions.add(position))
  }
  return suppressed
}

function firstEventColumns(entries: readonly Entry[]): Buffer[] {
  const firsts = entries.map(({ email }) => firstEvent(email))
  return [
    texts(firsts.map(({ type }) => type)),
    texts(firsts.map(({ detail }) => mapText(detail))),
    bools(entries.map(({ email }) => email.scheduledAt === null)),
  ]
}

function givenColumns(entries: readonly Entry[]): Buffer[] {
  return GIVEN.map(({ type, bind }) => {
    const values: unknown[] = []
    for (const { email, company } of entries) {
      for (const recipient of email.recipients) values.push(bind(recipient, company))
    }
    return TYPES[type.column].array(values as never[])
  })
}

function beginningColumns(entries: readonly Entry[]): Buffer[] {
  const ids: string[] = []
  const positions: number[] = []
  const companies: number[] = []
  const sizes: number[] = []
  const dues: (number | null)[] = []
  const leases: (number | null)[] = []
  const ready: boolean[] = []
  const compared: (string | null)[] = []
  const times: number[] = []
  const together: number[] = []
  for (const { email, company, lease } of entries) {
    const { state, dueAt } = born(email, lease !== null)
    const isDue = Math.round(email.dueAt) <= email.createdAt
    const size = Math.min(Math.round(email.size), MAX_INT4)
    const token = state === 'sending' ? lease!.token : null
    const atDomain = recipientsByDomain(email)
    for (const [position, recipient] of email.recipients.entries()) {
      ids.push(email.id)
      positions.push(position)
      companies.push(company)
      sizes.push(size)
      dues.push(dueAt === null ? null : Math.round(dueAt))
      leases.push(token)
      ready.push(isDue)
      const exempt = isSimulated(recipient.domain, email.testMode)
      compared.push(exempt ? null : folded(recipient.address))
      times.push(Math.round(email.createdAt))
      together.push(atDomain?.get(recipient.domain) ?? 1)
    }
  }
  return [
    uuids(ids),
    int4s(positions),
    int4s(companies),
    int4s(sizes),
    int8s(dues),
    int8s(leases),
    bools(ready),
    texts(compared),
    int8s(times),
    int4s(together),
  ]
}

/** Null where each recipient has a transaction of its own. */
function recipientsByDomain({ individual, recipients }: NewEmail): Map<string, number> | null {
  if (individual || recipients.length === 1) return null
  const counts = new Map<string, number>()
  for (const { domain } of recipients) counts.set(domain, (counts.get(domain) ?? 0) + 1)
  return counts
}
