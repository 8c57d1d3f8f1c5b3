/** An email as it is read back and listed. */
import type { MessageContent } from '../mail/message.ts'
import type { EmailEvent, EventType } from './event.ts'
import type { Email } from './fields.ts'
import type { RecipientKind, RecipientState } from './queued-email.ts'

/** What is known of an email before it is read. */
export interface StoredOrigin extends Pick<Email, 'companyId' | 'domainId' | 'keyId'> {
  /** Of everything that `readEmail` gives. */
  octets: number
}

/** What the API reads back. */
export interface StoredEmail extends Email<'show'> {
  content: Omit<MessageContent, 'attachments'>
  lastEvent: EventType
  /** True when retention has removed the content. */
  contentRemoved: boolean
}

export interface StoredRecipient {
  position: number
  address: string
  kind: RecipientKind
  state: RecipientState
  attempts: number
  dueAt: number | null
  lastCode: number | null
  lastMessage: string | null
  server: string | null
  /** Batch sending: the recipient's own values. */
  variables: Record<string, string> | null
}

export interface StoredAttempt {
  /** Positions of the recipients it was for. */
  recipients: number[]
  startedAt: number
  duration: number
  server: string | null
  tls: string | null
  dialogue: string
}

/** Everything about one email, for the operator. */
export interface EmailHistory {
  email: StoredEmail
  recipients: StoredRecipient[]
  events: EmailEvent[]
  attempts: StoredAttempt[]
}

/** One of a list of emails. */
export interface EmailSummary extends Email<'list'>, Pick<MessageContent, 'from' | 'to' | 'subject'> {
  lastEvent: EventType
}

export interface EmailFilter {
  companyId?: string
  /** Only emails older than this id (paging, newest first). */
  before?: string
  limit: number
}
