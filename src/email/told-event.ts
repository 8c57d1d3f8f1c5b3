/** An event with the facts about its email that are sent along, in any dialect. */
import type { MessageContent } from '../mail/message.ts'
import type { LoggedEvent } from './event.ts'
import type { Email } from './fields.ts'

export interface ToldEvent {
  event: LoggedEvent
  /** A UUID that stays the same whenever and wherever the event is sent. */
  id: string
  /** Null when retention has removed it. */
  email: ToldEmail | null
  /** In batch sending the values of the recipient; otherwise null. */
  recipientVariables: Record<string, string> | null
  /** Octets of all of this, roughly. */
  octets: number
}

/** The address that an event is about: for an email as a whole the first address of its To; empty when unknown. */
export function toldAddress({ event, email }: Pick<ToldEvent, 'event' | 'email'>): string {
  return event.address ?? plainAddress(email?.to[0] ?? '')
}

/** The address in a mailbox as its sender wrote it. */
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

/** The data needed for an event: its email, unless that is known, and the values of its recipient. */
export interface WantedTold {
  emailId: string
  /** The recipient's position; null: there is none, or it has no values. */
  recipient: number | null
  known: boolean
}

/** The data that was found. */
export interface Told {
  /** Null when it is known, or gone. */
  email: ToldEmail | null
  recipientVariables: Record<string, string> | null
  octets: number
}
