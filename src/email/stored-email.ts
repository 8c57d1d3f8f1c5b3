/** The forms in which the store returns emails. */

import type { Attachment, MessageBody, MessageContent } from '../mail/message.ts'
import type { BounceCategory } from '../mail/reply/category.ts'
import type { AttemptTls } from './attempt-tls.ts'
import type { EmailEvent, EventType, LastEventType, TagFilter } from './event.ts'
import type { Email, Recipient } from './fields.ts'
import type { Facts } from './lifecycle.ts'
import type { CountedState } from './recipient.ts'

/** Facts about an email that are read before the email itself. */
export interface StoredOrigin extends Pick<Email, 'companyId' | 'domainId' | 'keyId' | 'size'> {
  /** Octets of the whole email, as returned by `readEmail`. */
  octets: number
  /** Octets of its outline, as returned by `readOutline`. */
  outlineOctets: number
  /** Octets of the ready message; null when Postroad composes the message, or when the content was removed. */
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
  /** Positions of the recipients that the attempt was for. */
  recipients: number[]
  startedAt: number
  duration: number
  /** The address that it was made from; null: the system chose it. */
  source: string | null
  server: string | null
  /** Null: no server was reached. */
  tls: AttemptTls | null
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
  states: Partial<Record<CountedState, number>>
  recipients: RecipientOutline[]
  events: EmailEvent[]
  attempts: AttemptOutline[]
}

export interface EmailOutline
  extends Email<'outline'>,
    Pick<MessageContent, 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'messageId'>,
    Pick<StoredEmail, 'lastEvent' | 'contentRemoved'> {}

/** A recipient without its batch values, which `readValues` reads separately. */
export type RecipientOutline = Omit<StoredRecipient, 'variables'>

export interface AttemptOutline extends Omit<StoredAttempt, 'dialogue'> {
  /** The end of the dialogue. */
  ending: string
  /** Index among the attempts of its email. */
  id: number
}

/** A range of recipients, by position. */
export interface RecipientRange {
  from: number
  limit: number
}

/** The node that has a recipient under its lease. */
export interface LeaseHolder {
  position: number
  /** The token of the lease, and the name of the node. */
  token: number
  node: string
}

/** The part of a history to read: some recipients, and the newest events and attempts about them. */
export interface OutlineRange extends RecipientRange {
  /** The most octets of events. */
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
  /** True when the body is longer than its beginning. */
  clipped: boolean
}

/** The beginning of an email, for a line beside its subject in a list. */
export interface EmailBeginning {
  id: string
  text: string | null
  /** Null also when the email has a text. */
  html: string | null
  /** The beginning of a ready message. */
  raw: Uint8Array | null
  /** Octets of the ready message; null: the email is not a ready message. */
  rawOctets: number | null
  /** The number of files besides inline pictures; for a ready message 1 if it has any. */
  files: number
  /** The names of the first files, one on each line; null: there are no files. */
  fileNames: string | null
  /** False: the email is a ready message from before the files of such messages were kept. */
  filesKnown: boolean
}

/** Why mail of an email was refused, or is late. */
export interface EmailReason {
  id: string
  category: BounceCategory
  /** The address, or its domain, is dead. */
  permanent: boolean
}

/** The last answers of servers about the recipients of an email, in one text each, without repetitions. */
export interface EmailReplies {
  id: string
  replies: string[]
}

/** Addresses of recipients of an email. */
export interface EmailAddresses {
  id: string
  addresses: string[]
}

/** The values of a recipient of a batch. */
export interface RecipientValues {
  address: string
  /**
   * A JSON object as text. A batch has up to 250,000 values, and parsed objects would take many times the memory and
   * the time.
   */
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
  /** Only emails older than the email with this id. Pages go from the newest email to the oldest. */
  before?: string
  limit: number
}

/** Selects emails. An absent field does not restrict the selection. Texts are compared without regard to ASCII case. */
export interface EmailFilter {
  /** Null: all companies. */
  companyId: string | null
  /** Sending domain. */
  domainId?: string
  /** The API key with which the emails were submitted. */
  keyId?: string
  /** The full address of a recipient. */
  to?: string
  /** Domain of a recipient, a lower-case A-label. */
  toDomain?: string
  /** A part of the address of a recipient. */
  toPart?: string
  /** A part of the From field. */
  from?: string
  /** A part of the subject. */
  subject?: string
  /** The subject contains each of these phrases: whole words in this order (store/searched-words.ts). */
  words?: readonly string[]
  /** The same for the last answers of servers about the first hundred recipients. */
  replyWords?: readonly string[]
  /** The same for the beginning of the text, as long as the content is kept. */
  textWords?: readonly string[]
  /**
   * Each of these phrases is in the subject, in addresses (the From, To, Cc and Bcc fields, and the first hundred
   * recipients), in an answer, or in the text of one of the newest emails. A whole address as a phrase is that of any
   * recipient.
   */
  anyWords?: readonly string[]
  /** The last phrase of `anyWords` is still being typed: its last word may be the beginning of a word. */
  anyWordsOpen?: true
  /** A filter without a value matches a tag with this name, or with this value. */
  tag?: TagFilter
  /**
   * It has files besides inline pictures, as far as retention has not removed them. Those of a ready message are known
   * from its beginning, as in the rows of a list: the store alone finds all ready messages.
   */
  attachments?: true
  /** The last event is one of these. */
  events?: readonly EventType[]
  /** It has had an event of one of these types, at any time. */
  hadEvents?: readonly EventType[]
  /** A recipient waits, is being sent to, or is in quarantine. */
  live?: true
  /** One of both: a recipient is live, or it has had an event of one of these types. */
  liveOrHad?: readonly EventType[]
  /** Accepted at `since` (Unix ms) or later, and before `until`. */
  since?: number
  until?: number
}

/** An email of a listing, with its place in the order of acceptance. */
export interface EmailWithPlace {
  place: number
  email: EmailSummary
}

/** The size of one answer, and its direction. */
export interface PortionRequest {
  newestFirst: boolean
  /** The most emails in the answer. */
  limit: number
  /**
   * Octets of listed fields after which the answer ends. The email that reaches this number is included, however large
   * the email is.
   */
  octets: number
}

/** One page of a search, with its emails in the requested order. */
export interface EmailPortion {
  emails: EmailWithPlace[]
  octets: number
  /** True when the portion is full: later emails were not looked at. */
  full: boolean
}

/** A walk through the emails between two places. */
export interface EmailWalk extends PortionRequest {
  above: number
  below: number
  /** The most emails to look at. */
  looks: number
}

/** The emails that a walk has found, in the order of the walk. */
export interface WalkedEmails {
  emails: EmailWithPlace[]
  /** The last email that was looked at; null when there was none. */
  reached: { place: number; id: string } | null
  /** True when the walk has reached its end. */
  complete: boolean
}
