/**
 * Header fields of mailboxes that trust rests on: a message's author, and where answers go. They are parsed once and
 * rewritten from the result, in every kind of submission: no comment, group, fold or odd quoting of the sender's is
 * sent.
 */
import { AddressError, formatMailbox, type Mailbox, parseAddressList } from '../address/address.ts'
import { assertAuthor } from '../address/author.ts'
import { addressField } from './address-field.ts'

interface MailboxField {
  name: string
  /** The field names the message's author, which requires the right to do so. */
  author: boolean
  /** Mailboxes that it may hold. */
  most: number
}

const others = { author: false, most: Number.POSITIVE_INFINITY }

/**
 * RFC 5322 3.6.2, 3.6.6 and 4.5.6, RFC 9057. From may hold only one mailbox, although RFC 5322 allows more beside a
 * Sender: one signature speaks for one domain, and receivers refuse the rest (RFC 7489 6.6.1).
 */
const MAILBOX_FIELDS: ReadonlyMap<string, MailboxField> = new Map([
  ['from', { name: 'From', author: true, most: 1 }],
  ['sender', { name: 'Sender', author: true, most: 1 }],
  ['author', { name: 'Author', author: true, most: 100 }],
  ['reply-to', { name: 'Reply-To', ...others }],
  ['resent-from', { name: 'Resent-From', author: true, most: 100 }],
  ['resent-sender', { name: 'Resent-Sender', author: true, most: 1 }],
  ['resent-to', { name: 'Resent-To', ...others }],
  ['resent-cc', { name: 'Resent-Cc', ...others }],
  ['resent-reply-to', { name: 'Resent-Reply-To', ...others }],
])

/** @param lower name of a field in lower case */
export const isMailboxField = (lower: string) => MAILBOX_FIELDS.has(lower)

/** True for fields that name a message's author. @param lower name of a field in lower case */
export const isAuthorField = (lower: string) => MAILBOX_FIELDS.get(lower)?.author ?? false

/**
 * The mailboxes of such a field; an empty one has none.
 * @throws AddressError when they cannot be read, are too many, or (AuthorError) may not be authors
 */
export function readMailboxField(lower: string, value: string): Mailbox[] {
  const { name, author, most } = MAILBOX_FIELDS.get(lower)!
  const mailboxes = parseAddressList(value)
  if (mailboxes.length > most) {
    throw new AddressError(
      most === 1 ? `${name} holds more than one address` : `${name} holds more than ${most} addresses`,
    )
  }
  if (author) for (const mailbox of mailboxes) assertAuthor(mailbox)
  return mailboxes
}

/** The field with its CRLF; `''` when there is no mailbox. */
export function mailboxField(name: string, mailboxes: Pick<Mailbox, 'name' | 'address'>[]): string {
  return mailboxes.length === 0 ? '' : addressField(name, mailboxes)
}

/** Formats mailboxes as one line that parses to the same mailboxes. */
export function formatMailboxes(mailboxes: Pick<Mailbox, 'name' | 'address'>[]): string {
  return mailboxes.map(formatMailbox).join(', ')
}
