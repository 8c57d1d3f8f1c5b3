/** Computes an upper bound for the size of a message from the lengths of its parts, without composing anything. */
import type { Mailbox } from '../address/address.ts'
import type { MessageContent } from '../message.ts'
import { fileLeaf, leafSize } from './mime-part.ts'
import { base64Length } from './transfer-encoding.ts'

/** Octets for the fields and boundary lines of one part, file name aside. */
const PART_OVERHEAD = 400
/** Octets of Date, MIME-Version, and the names of all fields that the service writes. */
const OWN_FIELDS = 300
/** A longer display name may hold words that fit on no line. */
const LONGEST_NAME = 200

/**
 * Upper bound for the octets of the fields that the service writes, the value of Message-ID aside; null when only
 * writing them can tell, because one of them may not fit its lines.
 * @param mailboxes of every address field
 * @param subject a text that `assertHeaderText` accepts
 */
export function headerBound(mailboxes: Mailbox[][], subject: string): number | null {
  let octets = OWN_FIELDS + wordsBound(subject)
  for (const list of mailboxes) {
    for (const { name, address } of list) {
      // Comma, space, two brackets, and a line break before each of name and address.
      octets += 8 + Buffer.byteLength(address)
      if (name === '') continue
      if (name.length > LONGEST_NAME) return null
      octets += wordsBound(name)
    }
  }
  return octets
}

/**
 * Upper bound for the octets of the whole body: exact for files, up to a third too high for texts.
 * @throws HeaderError for a file that `compose` would refuse
 */
export function bodyBound({
  text,
  html,
  amp,
  attachments,
}: Pick<MessageContent, 'text' | 'html' | 'amp' | 'attachments'>): number {
  let octets = 2 * PART_OVERHEAD + textBound(text ?? '') + textBound(html ?? '')
  if (amp !== undefined) octets += PART_OVERHEAD + textBound(amp)
  for (const file of attachments) {
    const leaf = fileLeaf(file)
    octets += PART_OVERHEAD + leaf.header.length + leafSize(leaf)
  }
  return octets
}

/**
 * Plain words are at most quoted or escaped (twice their length) and broken before each space. Encoded words take at
 * most three octets for one, and 15 more for every 42 or more octets of text.
 */
function wordsBound(text: string): number {
  const octets = Buffer.byteLength(text)
  const plain = octets === text.length && octets <= LONGEST_NAME && !text.includes('=?')
  return plain ? 3 * octets + 2 : 4 * octets + 300
}

/**
 * The size in base64, with every line break counted twice: another encoding is chosen only if it is no longer (64
 * octets aside).
 */
function textBound(text: string): number {
  return PART_OVERHEAD + base64Length(lengthInLines(text))
}

/** Upper bound for the octets with every line break as CRLF: a CR or LF counts twice. */
export function lengthInLines(text: string): number {
  let octets = Buffer.byteLength(text)
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) octets++
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) octets++
  return octets
}
