import { AddressError, type Mailbox, parseAddressList } from '../mail/address/address.ts'
import { decodeWords } from '../mail/header/encoded-word.ts'
import { formatMailboxes, isMailboxField } from '../mail/header/mailbox-field.ts'
import { type Arrival, loopOf, receivedField } from '../mail/header/received.ts'
import type { MessageContent } from '../mail/message.ts'
import {
  normaliseRaw,
  type OpenMessage,
  openMessage,
  RawError,
  type RawMessage,
  readRaw,
} from '../mail/raw/raw.ts'
import { envelopeOf, RecipientRoom, readRecipients, readSender } from './addressing.ts'
import { addresseesOf, checkVariables } from './batch.ts'
import { type Draft, messageIdOf, texts } from './draft.ts'
import { Refusal } from './refusal.ts'
import type { Submission } from './submission.ts'

/**
 * A ready MIME message: `to` is the envelope, and the message holds everything else. The parsed header is used only
 * to check the message and to show it later. Throws a Refusal when it cannot be read or sent.
 */
export function draftFromRaw(submission: Submission, octets: Uint8Array, maxRecipients: number): Draft {
  const raw = readable(() => openMessage(octets))
  const message = readable(() => readRaw(raw))
  const loop = loopOf(message.headers, submission.arrival)
  if (loop !== null) throw new Refusal({ code: 'mail_loop', detail: loop })
  const envelope = readRecipients(submission.to, new RecipientRoom(maxRecipients))
  const from = readSender(message.from ?? '')
  const cc = mailboxesOf(message.cc)
  const inHeader = new Set([...mailboxesOf(message.to), ...cc].map(({ address }) => address))
  const bcc = envelope.filter(({ address }) => !inHeader.has(address))
  const content = contentOf(message, from, envelope, cc)
  // Placeholders may stand inside encoded words, too.
  const headers = message.headers.map(([name, value]): [string, string] => [name, shownValue(name, value)])
  const shown = mailboxesOf(message.to)
  const addressees = addresseesOf(
    submission.recipientVariables,
    envelope,
    shown.length > 0 ? shown : envelope,
  )
  if (addressees !== null) checkVariables({ ...content, replyTo: [], headers }, addressees)
  content.messageId = messageIdOf(message.messageId, addressees)
  const written = new Map([...cc, ...shown].map((mailbox) => [mailbox.address, mailbox]))
  const to = envelope.map((mailbox) => written.get(mailbox.address) ?? mailbox)
  const addressing = { from, to, cc: [], bcc: [], replyTo: [] }
  return {
    from,
    authors: message.authors.map(({ field, mailbox }) => ({ field: 'message', name: field, mailbox })),
    recipients: envelopeOf(addressing, submission.recipientVariables),
    bcc: texts(bcc),
    content,
    raw,
    rawFiles: message.files,
    addressees,
    headerBound: null,
  }
}

/** The final octets, once the email has an id and a date. */
export function sealRaw(
  raw: OpenMessage,
  { messageId, date }: MessageContent,
  { arrival, id }: { arrival: Arrival | undefined; id: string },
): Uint8Array {
  const received = arrival && { received: receivedField(arrival, id, date) }
  return readable(() => normaliseRaw(raw, { messageId, date, ...received }))
}

function contentOf(message: RawMessage, from: Mailbox, envelope: Mailbox[], cc: Mailbox[]): MessageContent {
  const to = mailboxesOf(message.to)
  const content: MessageContent = {
    from: from.text,
    // Batch templates have a placeholder in place of addresses: then the envelope is shown.
    to: texts(to.length > 0 ? to : envelope),
    cc: texts(cc),
    replyTo: texts(message.replyTo),
    subject: message.subject,
    headers: [],
    attachments: [],
    messageId: '',
    date: 0,
  }
  if (message.html !== undefined) content.html = message.html
  if (message.text !== undefined) content.text = message.text
  return content
}

/** The mailboxes of a header field; none when it is unreadable, because it does not decide where mail goes. */
function mailboxesOf(values: string[]): Mailbox[] {
  try {
    return values.flatMap((value) => parseAddressList(value))
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    return []
  }
}

/** The value of a field, in which placeholders are looked for. In a list of mailboxes only the names are decoded. */
function shownValue(name: string, value: string): string {
  const lower = name.toLowerCase()
  return isMailboxField(lower) ? formatMailboxes(parseAddressList(value)) : decodeWords(value)
}

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RawError)) throw error
    throw new Refusal({ code: 'field_invalid', field: 'message', detail: error.message })
  }
}
