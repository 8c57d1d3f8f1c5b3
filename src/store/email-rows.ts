/**
 * What the API and the operator read back about emails: rows in the shape that the queries of both databases give them.
 */
import type { EventDetail, EventType } from '../email/event.ts'
import { listedOf, type ShownRecipient, shownOf, shownRecipientOf } from './email-columns.ts'
import { listOf, mapOf } from './json-columns.ts'
import type { EmailHistory, EmailSummary, StoredAttempt, StoredEmail, StoredRecipient } from './store.ts'

/** With a column for each field that is shown. */
export interface EmailRow {
  id: string
  lastEvent: EventType
  contentRemoved: boolean
}

/** With a column for each field of a recipient that is shown. */
export type RecipientRow = Omit<StoredRecipient, keyof ShownRecipient>

export interface EventRow {
  recipient: number | null
  type: EventType
  at: number
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

export function storedEmail(row: EmailRow): StoredEmail {
  const { lastEvent, contentRemoved } = row
  return { ...shownOf(row, row), lastEvent, contentRemoved }
}

export function historyOf(
  email: EmailRow,
  recipients: readonly RecipientRow[],
  events: readonly EventRow[],
  attempts: readonly AttemptRow[],
): EmailHistory {
  return {
    email: storedEmail(email),
    recipients: recipients.map((row) => ({ ...row, ...shownRecipientOf(row, row) })),
    events: events.map(({ detail, ...event }) => {
      return { emailId: email.id, ...event, detail: mapOf<EventDetail>(detail) }
    }),
    attempts: attempts.map(({ recipients: positions, ...attempt }) => {
      return { ...attempt, recipients: listOf<number>(positions) }
    }),
  }
}

export function summaryOf(row: SummaryRow): EmailSummary {
  const { content, ...email } = listedOf(row, row)
  return { ...email, ...content, lastEvent: row.lastEvent }
}

export function capturedOf({ recipients, raw }: CapturedRow): { recipients: number[]; raw: Uint8Array } {
  return { recipients: listOf<number>(recipients), raw }
}
