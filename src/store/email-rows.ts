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
  EmailSummary,
  PlacedEmail,
  RecipientPlace,
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
const toldOf = rowReader<Omit<ToldEmail, 'attachments'>>(TOLD, COLUMNS)

export function summaryOf(row: SummaryRow): EmailSummary {
  return listedOf(row)
}

export interface PlacedRow extends SummaryRow {
  place: number
}

export function placedOf(row: PlacedRow): PlacedEmail {
  return { place: row.place, email: listedOf(row) }
}

/** Of the last of them. */
export function placeOf(emails: readonly PlacedEmail[]): { place: number; id: string } {
  const { place, email } = emails.at(-1)!
  return { place, id: email.id }
}

/** Of the email `emailId`, in order. */
export interface ToldFileRow extends ToldFile {
  emailId: string
}

export interface ToldRecipientRow extends RecipientPlace {
  variables: string
}

/** `emails`: with a column for each field that is told. */
export function toldOfRows(
  emails: readonly object[],
  files: readonly ToldFileRow[],
  recipients: readonly ToldRecipientRow[],
): Told {
  const attachments = Map.groupBy(files, ({ emailId }) => emailId)
  return {
    emails: emails.map((row) => {
      const email = toldOf(row)
      const files = attachments.get(email.id) ?? []
      return { ...email, attachments: files.map(({ emailId: _, ...file }) => file) }
    }),
    variables: recipients.map((row) => ({ ...row, variables: mapOf(row.variables) })),
  }
}

export function capturedOf({ recipients, raw }: CapturedRow): { recipients: number[]; raw: Uint8Array } {
  return { recipients: listOf<number>(recipients), raw }
}
