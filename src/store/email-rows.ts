/**
 * What the API and the operator read back about emails: rows in the shape that the queries of both databases give them.
 */
import type { EventDetail, EventType } from '../email/event.ts'
import { listOf, mapOf } from './json-columns.ts'
import type { EmailHistory, EmailSummary, StoredAttempt, StoredEmail, StoredRecipient } from './store.ts'

export interface EmailRow {
  id: string
  companyId: string
  domainId: string
  keyId: string
  header_from: string
  header_to: string | null
  header_cc: string | null
  bcc: string | null
  reply_to: string | null
  subject: string
  headers: string | null
  messageId: string
  date: number
  tags: string | null
  variables: string | null
  testMode: boolean
  createdAt: number
  scheduledAt: number | null
  size: number
  lastEvent: EventType
  html: string | null
  text: string | null
  contentRemoved: boolean
}

export interface RecipientRow extends Omit<StoredRecipient, 'variables'> {
  variables: string | null
}

export interface EventRow {
  recipient: number | null
  type: EventType
  at: number
  detail: string | null
}

export interface AttemptRow extends Omit<StoredAttempt, 'recipients'> {
  recipients: string
}

export interface SummaryRow extends Omit<EmailSummary, 'from' | 'to'> {
  header_from: string
  header_to: string | null
}

export interface CapturedRow {
  recipients: string
  raw: Uint8Array
}

export function storedEmail(row: EmailRow): StoredEmail {
  const content: StoredEmail['content'] = {
    from: row.header_from,
    to: listOf<string>(row.header_to),
    cc: listOf<string>(row.header_cc),
    replyTo: listOf<string>(row.reply_to),
    subject: row.subject,
    headers: listOf<[string, string]>(row.headers),
    messageId: row.messageId,
    date: row.date,
  }
  if (row.html !== null) content.html = row.html
  if (row.text !== null) content.text = row.text
  return {
    id: row.id,
    companyId: row.companyId,
    domainId: row.domainId,
    keyId: row.keyId,
    content,
    bcc: listOf<string>(row.bcc),
    tags: listOf<{ name: string; value: string }>(row.tags),
    variables: mapOf<Record<string, string>>(row.variables),
    createdAt: row.createdAt,
    scheduledAt: row.scheduledAt,
    lastEvent: row.lastEvent,
    size: row.size,
    testMode: row.testMode,
    contentRemoved: row.contentRemoved,
  }
}

export function historyOf(
  email: EmailRow,
  recipients: readonly RecipientRow[],
  events: readonly EventRow[],
  attempts: readonly AttemptRow[],
): EmailHistory {
  return {
    email: storedEmail(email),
    recipients: recipients.map(({ variables, ...recipient }) => {
      return {
        ...recipient,
        variables: variables === null ? null : mapOf<Record<string, string>>(variables),
      }
    }),
    events: events.map(({ detail, ...event }) => {
      return { emailId: email.id, ...event, detail: mapOf<EventDetail>(detail) }
    }),
    attempts: attempts.map(({ recipients: positions, ...attempt }) => {
      return { ...attempt, recipients: listOf<number>(positions) }
    }),
  }
}

export function summaryOf({ header_from, header_to, ...rest }: SummaryRow): EmailSummary {
  return { ...rest, from: header_from, to: listOf<string>(header_to) }
}

export function capturedOf({ recipients, raw }: CapturedRow): { recipients: number[]; raw: Uint8Array } {
  return { recipients: listOf<number>(recipients), raw }
}
