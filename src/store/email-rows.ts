/**
 * What the API and the operator read back about emails: rows in the shape that the queries of both databases give them.
 */
import { rowReader } from '../email/codec.ts'
import type { EmailEvent, EventDetail } from '../email/event.ts'
import { fieldsOf, type Recipient, recipientFieldsOf } from '../email/fields.ts'
import { COLUMNS } from './email-columns.ts'
import { listOf, mapOf } from './json-columns.ts'
import type {
  EmailHistory,
  EmailPortion,
  EmailSummary,
  PlacedEmail,
  PortionWanted,
  StoredAttempt,
  StoredEmail,
  StoredRecipient,
  Told,
  ToldEmail,
  ToldFile,
} from './store.ts'

/** With a column for each field that is shown. */
export type EmailRow = Pick<StoredEmail, 'id' | 'lastEvent' | 'contentRemoved'>

/** With a column for each field of a recipient that is shown. */
export type RecipientRow = Omit<StoredRecipient, keyof Recipient<'show'>>

export interface EventRow extends Omit<EmailEvent, 'emailId' | 'detail'> {
  detail: string | null
}

export interface AttemptRow extends Omit<StoredAttempt, 'recipients'> {
  recipients: string
}

/** With a column for each field that is listed. */
export type SummaryRow = Pick<EmailSummary, 'lastEvent'>

export interface CapturedRow {
  recipients: string
  raw: Uint8Array
}

export const storedEmail: (row: EmailRow) => StoredEmail = rowReader(fieldsOf('show'), COLUMNS, [
  'lastEvent',
  'contentRemoved',
])

const givenOf = rowReader<Recipient<'show'>>(recipientFieldsOf('show'), COLUMNS)

export function historyOf(
  email: EmailRow,
  recipients: readonly RecipientRow[],
  events: readonly EventRow[],
  attempts: readonly AttemptRow[],
): EmailHistory {
  return {
    email: storedEmail(email),
    recipients: recipients.map((row) => ({ ...row, ...givenOf(row) })),
    events: events.map(({ detail, ...event }) => {
      return { emailId: email.id, ...event, detail: mapOf<EventDetail>(detail) }
    }),
    attempts: attempts.map(({ recipients: positions, ...attempt }) => {
      return { ...attempt, recipients: listOf<number>(positions) }
    }),
  }
}

/** In a list nothing is in a content. */
const LISTED = fieldsOf('list').map((field) => ({ ...field, inContent: false }))
const listedOf = rowReader<EmailSummary>(LISTED, COLUMNS, ['lastEvent'])
const TOLD = fieldsOf('tell').map((field) => ({ ...field, inContent: false }))
const toldEmailOf = rowReader<Omit<ToldEmail, 'attachments'>>(TOLD, COLUMNS)

export function summaryOf(row: SummaryRow): EmailSummary {
  return listedOf(row)
}

export interface PlacedRow extends SummaryRow {
  place: number
  octets: number
}

/** `rows`: in order; no more of them are read than are wanted. */
export function portionOf(
  rows: Iterable<PlacedRow>,
  wanted: Pick<PortionWanted, 'limit' | 'octets'>,
): EmailPortion {
  const emails: PlacedEmail[] = []
  let octets = 0
  for (const row of rows) {
    emails.push({ place: row.place, email: listedOf(row) })
    octets += row.octets
    if (emails.length >= wanted.limit || octets >= wanted.octets) return { emails, octets, full: true }
  }
  return { emails, octets, full: false }
}

/** Of the last of them. */
export function placeOf(emails: readonly PlacedEmail[]): { place: number; id: string } {
  const { place, email } = emails.at(-1)!
  return { place, id: email.id }
}

/** With a column for each field that is told, null where it is not the email that is wanted. */
export interface ToldRow {
  id: string | null
  /** In JSON. */
  files: string | null
  recipientVariables: string | null
  /** Of the email itself. */
  octets: number
}

/** Of `rows`, one for each that is wanted, in order, the first that come to `most` octets; no more are asked for. */
export function within<Row>(rows: Iterable<Row>, most: number, rowOf: (row: Row) => ToldRow): Row[] {
  const some: Row[] = []
  let left = most
  for (const row of rows) {
    some.push(row)
    left -= octetsTold(rowOf(row))
    if (left <= 0) break
  }
  return some
}

export function toldOf(row: ToldRow): Told {
  const { files, recipientVariables: variables } = row
  return {
    email: row.id === null ? null : { ...toldEmailOf(row), attachments: listOf<ToldFile>(files) },
    recipientVariables: variables === null ? null : mapOf<Record<string, string>>(variables),
    octets: octetsTold(row),
  }
}

function octetsTold({ octets, files, recipientVariables }: ToldRow): number {
  return octets + (files?.length ?? 0) + (recipientVariables?.length ?? 0)
}

/** In the order of recipients, whoever was first. */
export function capturedOf(rows: readonly CapturedRow[]): { recipients: number[]; raw: Uint8Array }[] {
  return rows
    .map(({ recipients, raw }) => ({ recipients: listOf<number>(recipients), raw }))
    .sort((a, b) => (a.recipients[0] ?? 0) - (b.recipients[0] ?? 0))
}
