/**
 * Composes a message from its parts (RFC 5322, RFC 2045 to 2049). The same parts always give the same bytes. Time and
 * memory are linear in the size of the parts.
 */
import { type Mailbox, parseAddressList } from '../address/address.ts'
import { addressField } from '../header/address-field.ts'
import { customField, customFieldNeedsUtf8 } from '../header/custom-field.ts'
import { isMessageDate, messageDate } from '../header/date.ts'
import { HeaderError, hasNonAscii, isReservedHeader, textField } from '../header/header.ts'
import { isMessageId } from '../header/message-id.ts'
import type { Attachment, MessageContent } from '../message.ts'
import { ANY_BOUNDARY } from './boundary.ts'
import { fileLeaf, type MimePart, textLeaf, writeTree } from './mime-part.ts'
import { bodyBound } from './size-bound.ts'

export { isReservedHeader } from '../header/header.ts'

export interface ComposedMessage {
  /** The header fields, each with its CRLF; neither buffer holds the empty line between them. */
  header: Buffer
  /** The body: CRLF lines of at most 985 octets, ending in CRLF unless empty. */
  body: Buffer
  /** True when the body is known to be its own canonical form under DKIM's "relaxed" rules (RFC 6376 3.4.4). */
  relaxed: boolean
  /**
   * True when the header holds raw UTF-8 (a mailbox with a non-ASCII local part): the next hop must offer SMTPUTF8 (RFC
   * 6531).
   */
  needsSmtpUtf8: boolean
  /** Octets of the whole message, the empty line included. */
  size: number
}

/**
 * Composes a message. Bcc is not part of it; custom headers with reserved names are skipped.
 * @param boundary a text that the authors of the parts cannot have known: see `Boundaries`
 * @throws HeaderError or AddressError when a field cannot be written. `estimateSize` throws the same ones, so a content
 * that it accepts can be composed
 */
export function compose(content: MessageContent, boundary: string): ComposedMessage {
  const fields = messageFields(content)
  const tree = writeTree(bodyTree(content), boundary)
  const header = Buffer.from(`${fields.text}MIME-Version: 1.0\r\n${tree.header}`, 'utf8')
  const { body, relaxed } = tree
  return { header, body, relaxed, needsSmtpUtf8: fields.needsSmtpUtf8, size: header.length + 2 + body.length }
}

/** Octets of the composed message. Exact, whatever its boundary will be. */
export function composedSize(content: MessageContent): number {
  return compose(content, ANY_BOUNDARY).size
}

/**
 * Upper bound for the octets of the composed message, without encoding its files: exact for files, up to a third too
 * high for texts.
 * @throws HeaderError or AddressError in the same cases as `compose`
 */
export function estimateSize(content: MessageContent): number {
  return Buffer.byteLength(messageFields(content).text) + bodyBound(content)
}

function messageFields(content: MessageContent): { text: string; needsSmtpUtf8: boolean } {
  const from = sender(content.from)
  const to = mailboxes(content.to)
  const cc = mailboxes(content.cc)
  const replyTo = mailboxes(content.replyTo)
  if (from.length === 0) throw new HeaderError('The message has no From address')
  if (!isMessageId(content.messageId)) throw new HeaderError('The Message-ID is not of the form <left@right>')

  let needsSmtpUtf8 = needsUtf8(from) || needsUtf8(to) || needsUtf8(cc) || needsUtf8(replyTo)
  let date = ''
  let hasSender = false
  let custom = ''
  for (const [name, value] of content.headers) {
    const lower = name.toLowerCase()
    if (isReservedHeader(lower)) continue
    if (lower === 'date') {
      if (date === '' && isMessageDate(value)) date = value.trim()
      continue
    }
    if (lower === 'sender') hasSender = true
    custom += customField(name, value)
    if (!needsSmtpUtf8 && customFieldNeedsUtf8(name, value)) needsSmtpUtf8 = true
  }

  let text = addressField('From', from)
  // RFC 5322 3.6.2: several authors need one Sender.
  if (from.length > 1 && !hasSender) text += addressField('Sender', from.slice(0, 1))
  // RFC 5322 3.6.3 requires no To, but receivers mistrust a message without one: an empty group names nobody (3.4).
  text += to.length > 0 ? addressField('To', to) : 'To: undisclosed-recipients:;\r\n'
  if (cc.length > 0) text += addressField('Cc', cc)
  if (replyTo.length > 0) text += addressField('Reply-To', replyTo)
  text += textField('Subject', content.subject)
  text += `Date: ${date || messageDate(content.date)}\r\n`
  text += `Message-ID: ${content.messageId}\r\n`
  return { text: text + custom, needsSmtpUtf8 }
}

function mailboxes(texts: string[]): Mailbox[] {
  if (texts.length === 1) return parseAddressList(texts[0]!)
  return texts.flatMap((text) => parseAddressList(text))
}

/** Senders parsed lately: a service has few of them, and each has many messages. */
const senders = new Map<string, Mailbox[]>()
const SENDERS_KEPT = 200
/** Longer senders are unusual, and are not worth the memory. */
const SENDER_LENGTH = 1_000

function sender(text: string): Mailbox[] {
  let known = senders.get(text)
  if (known === undefined) {
    known = parseAddressList(text)
    if (text.length > SENDER_LENGTH) return known
    if (senders.size >= SENDERS_KEPT) senders.clear()
    senders.set(text, known)
  }
  return known
}

function needsUtf8(list: Mailbox[]): boolean {
  return list.some(({ local }) => hasNonAscii(local))
}

/**
 * multipart/mixed around multipart/related around multipart/alternative, each level only when it holds more than one
 * part (RFC 2046 5.1, RFC 2387). Inline files without an HTML part to refer to them are ordinary files.
 */
function bodyTree(content: MessageContent): MimePart {
  const { text, html, amp, attachments } = content
  const texts: MimePart[] = []
  // RFC 2046 5.1.4: the richest alternative comes last.
  if (text !== undefined && (text !== '' || html === undefined)) texts.push(textLeaf('plain', text))
  // Clients that know no AMP take the last part they can show, and some take no other than the last: html.
  if (amp !== undefined && amp !== '') texts.push(textLeaf('x-amp-html', amp))
  if (html !== undefined && (html !== '' || texts.length === 0)) texts.push(textLeaf('html', html))
  if (texts.length === 0) texts.push(textLeaf('plain', ''))
  const readable = join('alternative', texts)
  if (attachments.length === 0) return readable
  const isInline = ({ disposition }: Attachment) =>
    html !== undefined && html !== '' && disposition === 'inline'
  const inline = attachments.filter(isInline)
  const files = attachments.filter((file) => !isInline(file))
  const related = join('related', [readable, ...inline.map(fileLeaf)])
  return join('mixed', [related, ...files.map(fileLeaf)])
}

function join(subtype: 'mixed' | 'related' | 'alternative', parts: MimePart[]): MimePart {
  return parts.length === 1 ? parts[0]! : { kind: 'multipart', subtype, parts }
}
