/** An email as it is read back and listed. */
import type { MessageContent } from '../mail/message.ts'
import type { EmailEvent, EventType } from './event.ts'
import type { Email, Recipient } from './fields.ts'
import type { Facts } from './lifecycle.ts'

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

export interface StoredRecipient
  extends Recipient<'show'>,
    Pick<Facts, 'state' | 'attempts' | 'dueAt' | 'lastCode' | 'lastMessage' | 'server'> {
  position: number
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
