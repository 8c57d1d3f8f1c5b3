/** Batch sending: checks, before anything is accepted, that every recipient's copy can be made and is small enough. */
import type { Mailbox } from '../mail/address/address.ts'
import { FilledHeader, type HeaderContent } from '../mail/batch/filled-header.ts'
import { Placeholders } from '../mail/batch/placeholders.ts'
import { type Addressee, MAX_LENGTH, substitute } from '../mail/batch/substitute.ts'
import { substituteRaw, textsWithPlaceholders } from '../mail/batch/substitute-raw.ts'
import { composedSize, estimateSize } from '../mail/compose/compose.ts'
import { lengthInLines } from '../mail/compose/size-bound.ts'
import { base64Length } from '../mail/compose/transfer-encoding.ts'
import { HeaderError } from '../mail/header/header.ts'
import type { MessageContent } from '../mail/message.ts'
import type { NewRecipient } from '../store/store.ts'
import { Refusal } from './refusal.ts'
import type { Submission } from './submission.ts'

/**
 * The addressees of the copies, or null when it is not a batch. Variables of other addresses are left out.
 * @param to the envelope
 * @param shown mailboxes of the To field, which give the names
 */
export function addresseesOf(
  variables: Submission['recipientVariables'],
  to: Mailbox[],
  shown: Mailbox[],
): Addressee[] | null {
  if (variables === undefined) return null
  const values = caseless(variables)
  const names = new Map(shown.toReversed().map((mailbox) => [mailbox.address, mailbox]))
  const addressees = new Map<string, Addressee>()
  for (const { address } of to) {
    const { name, address: named } = names.get(address) ?? shown[0]!
    addressees.set(address, { name, address: named, variables: values.get(address.toLowerCase()) ?? {} })
  }
  return [...addressees.values()]
}

/** Recipient variables by address without regard to its case. */
export function caseless(
  variables: Record<string, Record<string, string>>,
): Map<string, Record<string, string>> {
  return new Map(Object.entries(variables).map(([address, values]) => [address.toLowerCase(), values]))
}

/** Refuses a value that the header refers to but cannot hold, so that it does not fail at delivery. */
export function checkVariables(content: HeaderContent, addressees: Addressee[]): void {
  const header = new FilledHeader(content)
  for (const addressee of addressees) {
    const error = header.error(addressee)
    if (error === null) continue
    const detail = `for ${addressee.address}: ${error}`
    throw new Refusal({ code: 'field_invalid', field: 'recipient-variables', detail })
  }
}

/**
 * Each recipient is stored with its values, one in cc or bcc with those of the copy that it gets. Their total is
 * limited like a message: otherwise a few large values, used by many recipients, would fill the disk. Returns their
 * octets, including those of the mailboxes.
 */
export function checkStoredValues(
  recipients: Pick<NewRecipient, 'variables' | 'address' | 'mailbox'>[],
  max: number,
): number {
  const lengths = new Map<object, number>()
  let total = 0
  for (const { variables, address, mailbox } of recipients) {
    total += Buffer.byteLength(mailbox ?? address)
    if (variables === null) continue
    let length = lengths.get(variables)
    if (length === undefined) {
      length = Buffer.byteLength(JSON.stringify(variables))
      lengths.set(variables, length)
    }
    total += length
  }
  if (total > max) throw new Refusal({ code: 'message_too_large', max, found: total })
  return total
}

/**
 * Octets that the header of a copy may have beyond the template's: filled fields are bounded, and encoding at most
 * triples them.
 */
const HEADER_ROOM = 64 * 1024
/** Octets for the changes around the text of a part: its type, its encoding, its last line break. */
const PART_ROOM = 500

/**
 * Returns the octets of each addressee's copy. Throws a Refusal when the largest would be over `max`. The sizes are
 * calculated from the lengths of the values; one copy is composed only when the encoding of the text decides.
 * @param size octets of the template, addressed to one recipient
 */
export function checkCopies(
  content: MessageContent,
  raw: Uint8Array | null,
  addressees: Addressee[],
  { size, max }: { size: number; max: number },
): number[] {
  const texts =
    raw === null ? [content.text ?? '', content.html ?? '', content.amp ?? ''] : textsWithPlaceholders(raw)
  const bodies = new Placeholders(texts, lengthInLines)
  const limit = Math.min(max, MAX_LENGTH)
  let largest = addressees[0]!
  let filled = 0
  const lengths: number[] = []
  for (const addressee of addressees) {
    const length = bodies.filled(addressee)
    lengths.push(length)
    if (length <= filled) continue
    filled = length
    largest = addressee
  }
  const tooLarge = (found: number) => new Refusal({ code: 'message_too_large', max: limit, found })
  // No encoding is shorter than the text, except for line breaks that were counted twice.
  if (filled > 2 * limit) throw tooLarge(filled)
  const rest = raw === null ? estimateSize({ ...content, text: '', html: '', amp: '' }) : raw.length
  const bound = rest + base64Length(filled) + PART_ROOM * (texts.length + 1) + HEADER_ROOM
  const sizes = lengths.map((length) => size + base64Length(Math.max(0, length - bodies.template)))
  if (bound <= limit) return sizes
  const copy = sizeOfCopy(content, raw, largest)
  if (copy === null) throw tooLarge(filled)
  if (copy > limit) throw tooLarge(copy)
  return sizes.map((reckoned) => Math.min(reckoned, copy))
}

/** Null when it cannot be made because it would grow without bound. */
function sizeOfCopy(content: MessageContent, raw: Uint8Array | null, addressee: Addressee): number | null {
  try {
    if (raw !== null) return substituteRaw(raw, addressee).length
    return composedSize(substitute({ ...content, to: [addressee.address] }, addressee))
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error
    return null
  }
}
