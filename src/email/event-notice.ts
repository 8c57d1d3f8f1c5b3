/** An event with the facts about its email that every dialect sends with it. */
import type { MessageContent } from '../mail/message.ts'
import type { LogEntry } from './company-event.ts'
import type { LoggedEvent } from './event.ts'
import type { Email, Recipient } from './fields.ts'

export interface EventNotice<Event extends LogEntry = LoggedEvent> {
  event: Event
  /** A UUID that is the same each time that the event is sent. */
  id: string
  /**
   * The position of a recipient, when an event about an email as a whole is reported once for each recipient. WHOLE:
   * the event is reported as it is in the log.
   */
  part: number
  /**
   * The event's email; for a recipient of a batch, the copy of that recipient. Null: retention has removed it, or the
   * event is one of a company.
   */
  email: NoticeEmail | null
  /** The recipient of the event, or the first one when it is about the email as a whole. Null: removed. */
  recipient: NoticeRecipient | null
  /** The approximate octets of the notice. */
  octets: number
}

export const WHOLE = -1

export function isOfEmail(notice: EventNotice<LogEntry>): notice is EventNotice {
  return notice.event.emailId !== null
}

/** The address that an event is about: for an email as a whole, its first recipient; empty when unknown. */
export function noticeAddress({
  event,
  email,
  recipient,
}: Pick<EventNotice, 'event' | 'email' | 'recipient'>): string {
  return plainAddress(recipient?.mailbox ?? event.address ?? recipient?.address ?? email?.to[0] ?? '')
}

/** The address in a mailbox, as its sender wrote it. */
export function plainAddress(mailbox: string): string {
  return (/<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox).trim()
}

export interface NoticeEmail
  extends Email<'tell'>,
    Pick<MessageContent, 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'headers' | 'messageId'> {
  attachments: NoticeFile[]
  /** Null: the sending domain was removed. */
  domainName: string | null
  recipientCount: number
}

export interface NoticeRecipient extends Recipient<'tell'> {
  position: number
  /** For a recipient in cc or bcc of a batch: the mailbox whose copy it gets. Null: it gets its own. */
  copyOf: string | null
}

export interface NoticeFile {
  filename: string
  contentType: string
  /** Octets. */
  size: number
}

/** The facts that an event needs from the store: its email, unless the caller has it, and a recipient. */
export interface NoticeRequest {
  emailId: string
  /** Position of the needed recipient; null: none. */
  recipient: number | null
  known: boolean
}

/** The store's answer to a NoticeRequest. */
export interface NoticeFacts {
  /** Null when the caller has it, or when it was removed. The email of a batch has no `to` and `cc` here. */
  email: NoticeEmail | null
  recipient: NoticeRecipient | null
  octets: number
}
