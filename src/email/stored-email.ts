/** Emails as they are read back and listed. */
import type { Attachment, MessageBody, MessageContent } from '../mail/message.ts'
import type { EmailEvent, EventType, LastEventType, TagFilter } from './event.ts'
import type { Email, Recipient } from './fields.ts'
import type { Facts } from './lifecycle.ts'

/** The facts about an email before it is read. */
export interface StoredOrigin extends Pick<Email, 'companyId' | 'domainId' | 'keyId' | 'size'> {
  /** Octets of the whole email, as returned by `readEmail`. */
  octets: number
  /** Octets of its outline, as returned by `readOutline`. */
  outlineOctets: number
  /** Octets of the ready message; null when it was composed here, or its content was removed. */
  rawOctets: number | null
}

/** An email as the API reads it back. */
export interface StoredEmail extends Email<'show'> {
  content: Omit<MessageContent<MessageBody>, 'attachments'>
  lastEvent: LastEventType
  /** True when retention has removed the content. */
  contentRemoved: boolean
}

/** A file of an email, without its octets. */
export interface StoredFile extends Pick<Attachment, 'filename' | 'contentType' | 'disposition'> {
  /** From 0, in the given order. */
  position: number
  contentId: string | null
  /** In octets. */
  size: number
}

export interface StoredRecipient
  extends Recipient<'show'>,
    Pick<
      Facts,
      'state' | 'attempts' | 'dueAt' | 'postponedSince' | 'heldFor' | 'lastCode' | 'lastMessage' | 'server'
    > {
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

/** The history of an email without its content and its dialogues. */
export interface HistoryOutline {
  email: EmailOutline
  /** How many recipients are in each state. */
  states: Partial<Record<StoredRecipient['state'], number>>
  recipients: RecipientOutline[]
  events: EmailEvent[]
  attempts: AttemptOutline[]
}

export interface EmailOutline
  extends Email<'outline'>,
    Pick<MessageContent, 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'messageId'>,
    Pick<StoredEmail, 'lastEvent' | 'contentRemoved'> {}

/** The values of a batch are read separately (`readValues`). */
export type RecipientOutline = Omit<StoredRecipient, 'variables'>

export interface AttemptOutline extends Omit<StoredAttempt, 'dialogue'> {
  /** Index among the attempts of its email. */
  id: number
}

/** Recipients from a position on. */
export interface RecipientRange {
  from: number
  limit: number
}

/** The part of a history to read: some recipients, and the newest events and attempts about them. */
export interface OutlineRange extends RecipientRange {
  /** Octets of the events, at most. */
  eventOctets: number
  attempts: number
}

/** The content of an email, with the beginning of each body. */
export interface StoredContent extends Pick<Email, 'individual'>, Pick<MessageContent, 'headers'> {
  html: StoredBody | null
  text: StoredBody | null
  amp: StoredBody | null
  contentRemoved: boolean
}

export interface StoredBody {
  beginning: string
  /** The body is longer. */
  clipped: boolean
}

/** The values of a recipient of a batch. */
export interface RecipientValues {
  address: string
  /** A JSON object. A batch has up to 250,000 values: as objects they take many times the room and the time. */
  variables: string
}

/** An email of a list. */
export interface EmailSummary
  extends Email<'list'>,
    Pick<MessageContent, 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'messageId'> {
  lastEvent: LastEventType
}

/** A page of all emails, or of all emails of a company. */
export interface EmailPaging {
  companyId?: string
  /** Only emails older than this id (paging, newest first). */
  before?: string
  limit: number
}

/** The wanted emails; absent fields do not restrict. Compared without regard to ASCII case. */
export interface EmailFilter {
  /** Null: all companies. */
  companyId: string | null
  /** Sending domain. */
  domainId?: string
  /** The API key that they came with. */
  keyId?: string
  /** The full address of a recipient. */
  to?: string
  /** Domain of a recipient, a lower-case A-label. */
  toDomain?: string
  /** A part of the From field. */
  from?: string
  /** A part of the subject. */
  subject?: string
  /** The subject has all of these, word for word (store/subject-words.ts). */
  words?: readonly string[]
  tag?: TagFilter
  /** The last event is one of these. */
  events?: readonly EventType[]
  /** Accepted at `since` (Unix ms) or later, and before `until`. */
  since?: number
  until?: number
}

/** An email of a listing, with its place in the order of acceptance. */
export interface PlacedEmail {
  place: number
  email: EmailSummary
}

/** The size of one answer, and its direction. */
export interface PortionRequest {
  newestFirst: boolean
  /** Emails, at most. */
  limit: number
  /** Octets of the listed fields: the answer ends with the email that reaches them, however large that one is. */
  octets: number
}

/** In the requested order. */
export interface EmailPortion {
  emails: PlacedEmail[]
  octets: number
  /** The portion is full: later emails were not looked at. */
  full: boolean
}

/** The part of the order to walk through: between two places. */
export interface EmailWalk extends PortionRequest {
  above: number
  below: number
  /** Emails looked at, at most. */
  looks: number
}

/** In the order of the walk. */
export interface WalkedEmails {
  emails: PlacedEmail[]
  /** The last email that was looked at; null when there was none. */
  reached: { place: number; id: string } | null
  /** The walk has come to its end. */
  complete: boolean
}
