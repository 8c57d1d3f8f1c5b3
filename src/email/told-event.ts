/** An event with what is told of its email, in whatever dialect. */
import type { MessageContent } from '../mail/message.ts'
import type { LoggedEvent } from './event.ts'
import type { Email } from './fields.ts'

export interface ToldEvent {
  event: LoggedEvent
  /** A UUID that stays the same whenever and wherever the event is told. */
  id: string
  /** Null where retention has removed it. */
  email: ToldEmail | null
  /** Of batch sending: the values of the recipient; null otherwise. */
  recipientVariables: Record<string, string> | null
  /** What all of this comes to, about. */
  octets: number
}

/** Whom an event is about: of an email as a whole the first address of its To; empty where that is not known. */
export function toldAddress({ event, email }: Pick<ToldEvent, 'event' | 'email'>): string {
  return event.address ?? plainAddress(email?.to[0] ?? '')
}

/** Of a mailbox as its sender wrote it. */
export function plainAddress(mailbox: string): string {
  return /<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim()
}

export interface ToldEmail
  extends Email<'tell'>,
    Pick<MessageContent, 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'headers' | 'messageId'> {
  attachments: ToldFile[]
}

export interface ToldFile {
  filename: string
  contentType: string
  /** Octets. */
  size: number
}

/** What is wanted for an event: its email, unless that is known, and the values of its recipient. */
export interface WantedTold {
  emailId: string
  /** Its position; null: there is none, or it has no values. */
  recipient: number | null
  known: boolean
}

/** What there is of it. */
export interface Told {
  /** Null where it is known, or gone. */
  email: ToldEmail | null
  recipientVariables: Record<string, string> | null
  octets: number
}
