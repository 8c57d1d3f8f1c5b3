/** An email as it is read back and listed. */
import type { MessageContent } from '../mail/message.ts'
import type { EmailEvent, EventType } from './event.ts'
import type { RecipientKind, RecipientState } from './queued-email.ts'

/** What is known of an email before it is read. */
export interface StoredOrigin {
  companyId: string
  domainId: string
  keyId: string
  /** Of everything that `readEmail` gives. */
  octets: number
}

/** What the API reads back. */
export interface StoredEmail {
  id: string
  companyId: string
  domainId: string
  keyId: string
  content: Omit<MessageContent, 'attachments'>
  bcc: string[]
  tags: { name: string; value: string }[]
  variables: Record<string, string>
  createdAt: number
  scheduledAt: number | null
  lastEvent: EventType
  size: number
  testMode: boolean
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

export interface EmailSummary {
  id: string
  companyId: string
  from: string
  to: string[]
  subject: string
  createdAt: number
  lastEvent: EventType
  size: number
}

export interface EmailFilter {
  companyId?: string
  /** Only emails older than this id (paging, newest first). */
  before?: string
  limit: number
}
