/** An event with the facts about its email that are sent along, in any dialect. */
import type { MessageContent } from '../mail/message.ts'
import type { LogEntry } from './company-event.ts'
import type { LoggedEvent } from './event.ts'
import type { Email, Recipient } from './fields.ts'

export interface EventNotice<Event extends LogEntry = LoggedEvent> {
  event: Event
  /** A UUID that stays the same whenever and wherever the event is sent. */
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
  /** Octets of all of this, roughly. */
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

/** Selects what an event needs from the store: its email, unless the caller has it, and a recipient. */
export interface NoticeRequest {
  emailId: string
  /** Position of the recipient; null: none is needed. */
  recipient: number | null
  known: boolean
}

/** The store's answer to a NoticeRequest. */
export interface NoticeFacts {
  /** Null when the caller has it, or it was removed. For a batch, without `to` and `cc`. */
  email: NoticeEmail | null
  recipient: NoticeRecipient | null
  octets: number
}
