/** Batch sending: fills one recipient's values into the placeholders of a message, by the form dialect's protocol. */
import {
  AddressError,
  formatMailbox,
  MAX_NAME,
  type Mailbox,
  parseAddressList,
  parseMailbox,
} from '../address/address.ts'
import { AuthorError, assertAuthor } from '../address/author.ts'
import { decodeWords } from '../header/encoded-word.ts'
import { assertHeaderText, HeaderError } from '../header/header.ts'
import { formatMailboxes, isAuthorField, isMailboxField } from '../header/mailbox-field.ts'
import { isMessageId, MAX_MESSAGE_ID } from '../header/message-id.ts'
import { joinedText } from '../large-text.ts'
import type { MessageContent } from '../message.ts'

/** The recipient of a copy, and the values to fill in. */
export interface Addressee {
  /** `local@domain`. */
  address: string
  /** Display name; may be empty. */
  name: string
  variables: Record<string, string>
}

/**
 * `%recipient.key%` (any key without `%` and line breaks), `%recipient%` and the predefined `%recipient_email%`,
 * `_name`, `_fname`, `_lname`.
 */
export const PLACEHOLDER = /%recipient(?:\.([^%\r\n]{1,256})|_(email|name|fname|lname))?%/g

const ONE_PLACEHOLDER = new RegExp(`^(?:${PLACEHOLDER.source})$`)

/** Placeholders for links and addresses of a subscription service, which Postroad does not have. */
const SERVICE_PLACEHOLDER = /%(?:tag_|mailing_list_)?unsubscribe_(?:url|email)%/g

/**
 * Characters that a text may grow to, far above any accepted message: a small template must not be able to fill the
 * memory.
 */
export const MAX_LENGTH = 64 * 1024 * 1024

/**
 * Fills in the placeholders of a text. Values are inserted as they are, also into HTML (senders put markup into them),
 * and are not searched for placeholders. A key without a value stays as it is written: a gap would hide the mistake
 * from the reader of the first message.
 * @throws HeaderError when the text would grow past `MAX_LENGTH`
 */
export function substituteText(text: string, addressee: Addressee): string {
  if (!text.includes('%recipient')) return text
  const pieces: string[] = []
  let length = text.length
  let from = 0
  for (const { 0: placeholder, 1: key, 2: predefined, index } of text.matchAll(PLACEHOLDER)) {
    const value = valueFor(addressee, key, predefined)
    if (value === null) continue
    length += value.length
    if (length > MAX_LENGTH) throw new HeaderError('The recipient variables make the message too large')
    pieces.push(text.slice(from, index), value)
    from = index + placeholder.length
  }
  if (from === 0) return text
  pieces.push(text.slice(from))
  return joinedText(pieces)
}

/**
 * The message with an addressee's values in subject, display name of From, Reply-To, Message-ID, bodies and custom
 * headers. `to` and `cc` stay as they are: the caller chooses the recipients that a copy names.
 * @throws HeaderError when a value with a line break lands in a header; `FilledHeader` reports that beforehand
 */
export function substitute(content: MessageContent, addressee: Addressee): MessageContent {
  const result: MessageContent = {
    ...content,
    from: substituteNames(content.from, 'From', addressee),
    replyTo: content.replyTo.map((list) => substituteReplyTo(list, addressee)),
    subject: substituteHeaderText(content.subject, 'Subject', addressee),
    messageId: filledMessageId(content.messageId, addressee),
    headers: [],
  }
  if (content.text !== undefined) result.text = substituteText(content.text, addressee)
  if (content.html !== undefined) result.html = substituteText(content.html, addressee)
  if (content.amp !== undefined) result.amp = substituteText(content.amp, addressee)
  for (const [name, value] of content.headers) {
    const filled = substituteField(name, value, addressee)
    // A field that held nothing but a dropped placeholder is left out.
    if (filled !== '' || value === '') result.headers.push([name, filled])
  }
  return result
}

/**
 * A header value without the placeholders of a subscription service (`%unsubscribe_url%`, `%tag_unsubscribe_email%`,
 * ...), and without the angle brackets and the comma that they leave empty.
 */
export function withoutServicePlaceholders(value: string): string {
  const stripped = value.replace(SERVICE_PLACEHOLDER, '')
  if (stripped === value) return value
  return stripped
    .split(',')
    .filter((element) => !isLeftEmpty(element))
    .join(',')
    .trim()
}

/** A body without these placeholders: a link to a service that does not exist would lead nowhere. */
export function withoutServiceLinks(text: string): string {
  return text.includes('unsubscribe_') ? text.replace(SERVICE_PLACEHOLDER, '') : text
}

/** True when an element without its dropped placeholders contains only blanks, `<>` or `<mailto:>`. */
function isLeftEmpty(element: string): boolean {
  const text = element.trim()
  const inner = text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1).trim() : text
  return inner === '' || (inner === 'mailto:' && inner !== text)
}

/**
 * The Message-ID of a copy: the template's with the values in it, or the template itself when that would not be valid.
 */
export function filledMessageId(template: string, addressee: Addressee): string {
  if (!template.includes('%recipient')) return template
  let filled = ''
  let from = 0
  for (const { 0: placeholder, 1: key, 2: predefined, index } of template.matchAll(PLACEHOLDER)) {
    const value = valueFor(addressee, key, predefined)
    if (value === null) continue
    filled += template.slice(from, index) + value
    from = index + placeholder.length
    if (filled.length > MAX_MESSAGE_ID) return template
  }
  filled += template.slice(from)
  return isMessageId(filled) ? filled : template
}

/**
 * As `substituteText`, for one custom field.
 * @throws HeaderError when the result cannot stand in a header
 */
export function substituteField(name: string, value: string, addressee: Addressee): string {
  if (isMailboxField(name.toLowerCase())) return substituteNames(value, name, addressee)
  return withoutServicePlaceholders(substituteHeaderText(value, name, addressee))
}

/**
 * As `substituteText`, for one header value.
 * @throws HeaderError when the result cannot stand in a header
 */
export function substituteHeaderText(text: string, field: string, addressee: Addressee): string {
  const result = substituteText(text, addressee)
  if (result !== text)
    assertHeaderText(result, `The value of ${field}, with the recipient variables filled in,`)
  return result
}

/**
 * Fills in display names only. The author address was checked, and no value may change it.
 * @param list in the form of `formatMailboxes`; a name in it may be encoded
 * @throws HeaderError when a name with the values in it cannot stand in that field
 */
export function substituteNames(list: string, field: string, addressee: Addressee): string {
  if (!decodeWords(list).includes('%recipient')) return list
  const filled = filledMailboxes(parseAddressList(list), field, addressee)
  return filled === null ? list : formatMailboxes(filled)
}

/**
 * Fills in names and addresses: the sender decides where replies go, also for each copy separately.
 * @param list as in `substituteNames`
 * @throws HeaderError when a filled address is invalid
 */
export function substituteReplyTo(list: string, addressee: Addressee): string {
  if (isPlaceholder(list)) return plainAddress(substituteHeaderText(list, 'Reply-To', addressee))
  if (!decodeWords(list).includes('%recipient')) return list
  const mailboxes = parseAddressList(list)
  const named = filledMailboxes(mailboxes, 'Reply-To', addressee) ?? mailboxes
  return formatMailboxes(
    named.map((mailbox) => {
      const address = substituteHeaderText(mailbox.address, 'Reply-To', addressee)
      return address === mailbox.address ? mailbox : { name: mailbox.name, address: plainAddress(address) }
    }),
  )
}

/** True for a text that is one placeholder of a recipient's value and nothing else. */
export function isPlaceholder(text: string): boolean {
  return ONE_PLACEHOLDER.test(text)
}

function plainAddress(text: string): string {
  try {
    const { address, name } = parseMailbox(text)
    if (name === '' && address.toLowerCase() === text.toLowerCase()) return address
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
  }
  throw new HeaderError('Reply-To, with the recipient variables filled in, is not an address')
}

/**
 * Mailboxes with the values in their display names; null when nothing changes.
 * @throws HeaderError for a name that is too long, or in which a reader could find another author
 */
export function filledMailboxes(mailboxes: Mailbox[], field: string, addressee: Addressee): Mailbox[] | null {
  let changes = false
  const filled = mailboxes.map((mailbox) => {
    const name = substituteHeaderText(mailbox.name, field, addressee)
    if (name === mailbox.name) return mailbox
    changes = true
    if (Buffer.byteLength(name) > MAX_NAME) {
      throw new HeaderError(
        `The name in ${field}, with the recipient variables filled in, is longer than ${MAX_NAME} octets`,
      )
    }
    return { ...mailbox, name }
  })
  if (!changes) return null
  if (isAuthorField(field.toLowerCase())) for (const mailbox of filled) assertFilledAuthor(mailbox, field)
  return filled
}

function assertFilledAuthor(mailbox: Mailbox, field: string): void {
  try {
    assertAuthor(mailbox)
  } catch (error) {
    if (!(error instanceof AuthorError)) throw error
    throw new HeaderError(
      `${field}, with the recipient variables filled in, cannot be used: ${error.message}`,
      {
        cause: error,
      },
    )
  }
}

export function valueFor(
  addressee: Addressee,
  key: string | undefined,
  predefined: string | undefined,
): string | null {
  if (key !== undefined) {
    return Object.hasOwn(addressee.variables, key) ? addressee.variables[key]! : null
  }
  const space = addressee.name.indexOf(' ')
  switch (predefined) {
    case undefined:
      return formatMailbox(addressee)
    case 'email':
      return addressee.address
    case 'fname':
      return space < 0 ? addressee.name : addressee.name.slice(0, space)
    case 'lname':
      return space < 0 ? '' : addressee.name.slice(space + 1)
    default:
      return addressee.name
  }
}
