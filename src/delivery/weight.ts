/**
 * Estimates the weight of a message before it is composed, from the lengths of its parts, and for a copy of a batch
 * from its placeholders.
 */
import { bodyIndexOf } from '../mail/body.ts'
import type { MessageBody, MessageContent } from '../mail/message.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../store/store.ts'
import { type DeliveryMessage, LARGE_MESSAGE } from './delivery.ts'

/** Octets that composing processes, roughly. */
export function weightOf(message: DeliveryMessage): number {
  const { addressee } = message
  const octets = message.kind === 'raw' ? message.raw.length : octetsOf(message.content)
  if (!addressee || octets > LARGE_MESSAGE) return octets
  const longest = longestValue(addressee.name.length + addressee.address.length, addressee.variables)
  return octets + longest * placeholdersIn(message.kind === 'raw' ? message.raw : message.content)
}

/**
 * Upper bound of the size in octets of the message for each recipient of the email. The size of a batch is that of its
 * largest copy plus all recipients' values: when it is large, most copies may still be small. The template is scanned
 * once for all of them.
 */
export function messageSizes({
  size,
  individual,
  content,
  raw,
}: ClaimedEmail): (to: ClaimedRecipient) => number {
  if (!individual || size < LARGE_MESSAGE) return () => size
  const length = raw === null ? octetsOf(content) : raw.length
  const places = placeholdersIn(raw ?? content)
  return ({ variables }) => {
    const filled = length + longestValue(LONGEST_MAILBOX, variables ?? {}) * places
    return Math.min(size, OCTETS_OF_UNIT * filled)
  }
}

/** A UTF-16 unit has three octets at most, and base64 makes four of three. */
const OCTETS_OF_UNIT = 4

/** Upper bound for the octets of an ordinary mailbox: a longer name makes no difference where messages are large. */
const LONGEST_MAILBOX = 400

/** Each placeholder may become the longest of the values. `mailbox`: octets of the predefined values. */
function longestValue(mailbox: number, variables: Record<string, string>): number {
  let longest = mailbox
  for (const key in variables) longest = Math.max(longest, variables[key]!.length)
  return longest
}

function octetsOf({ html, text, amp, attachments, headers, to, cc }: MessageContent<MessageBody>): number {
  let octets = (html?.length ?? 0) + (text?.length ?? 0) + (amp?.length ?? 0)
  for (const { content } of attachments) octets += content.length + FILE_COST
  for (const [name, value] of headers) octets += HEADER_COST * (name.length + value.length + LINE_COST)
  for (const text of to) octets += HEADER_COST * (text.length + LINE_COST)
  for (const text of cc) octets += HEADER_COST * (text.length + LINE_COST)
  return octets
}

/**
 * Costs in octets of a body: of a file beside its octets, of one octet of the header, and of a field or mailbox beside
 * its octets.
 */
const FILE_COST = 2_000
const HEADER_COST = 8
const LINE_COST = 40

const MARK = '%recipient'

function placeholdersIn(template: MessageContent<MessageBody> | Uint8Array): number {
  // Placeholders may be encoded, and then take at least as much room.
  if (template instanceof Uint8Array) return Math.ceil(template.length / MARK.length)
  const { html = '', text = '', amp = '', subject, from, headers } = template
  let count = 0
  for (const part of [html, text, amp, subject, from, ...headers.map(([, value]) => value)]) {
    for (let at = bodyIndexOf(part, MARK, 0); at >= 0; at = bodyIndexOf(part, MARK, at + MARK.length)) count++
  }
  return count
}
