import { AddressCountError, AddressError, type Mailbox, parseAddressList } from '../mail/address/address.ts'
import { AuthorError, assertAuthor } from '../mail/address/author.ts'
import { isPlaceholder } from '../mail/batch/substitute.ts'
import type { NewRecipient, RecipientKind } from '../store/store.ts'
import { caseless } from './batch.ts'
import { type AddressField, Refusal } from './refusal.ts'
import type { Submission } from './submission.ts'

/** The addresses of a submission, checked. */
export interface Addressing {
  from: Mailbox
  to: Mailbox[]
  cc: Mailbox[]
  bcc: Mailbox[]
  replyTo: Mailbox[]
}

/**
 * Octets of to, cc and bcc together, comments and all, for each allowed recipient: far more than an address and its
 * name.
 */
const OCTETS_PER_RECIPIENT = 1024
/** The least bound on these octets, however few recipients are allowed. */
const LEAST_OCTETS = 64 * 1024
/** The most mailboxes in Reply-To. */
const MAX_REPLY_TO = 100

/** Reads every address field. Throws a Refusal for a missing or invalid address, or for far too many. */
export function readAddressing(submission: Submission, maxRecipients: number): Addressing {
  const room = new RecipientRoom(maxRecipients)
  return {
    from: readSender(submission.from),
    to: readRecipients(submission.to, room),
    cc: room.readMailboxes('cc', submission.cc),
    bcc: room.readMailboxes('bcc', submission.bcc),
    replyTo: readReplyTo(submission),
  }
}

/**
 * The bound on the recipient fields, so that an endless list is not read to its end: at most twice as many mailboxes as
 * a message may have recipients, because addresses may be repeated. The exact number is checked later, without
 * duplicates. Every octet of the fields counts.
 */
export class RecipientRoom {
  readonly #max: number
  #left: number
  #octets = 0

  constructor(maxRecipients: number) {
    this.#max = maxRecipients
    this.#left = 2 * maxRecipients
  }

  readMailboxes(field: AddressField, values: string[]): Mailbox[] {
    this.#count(field, values)
    const found = mailboxes(field, values, this.#left)
    if (found === null) throw this.#tooMany()
    this.#left -= found.length
    return found
  }

  /** Checked before anything is read. */
  #count(field: AddressField, values: string[]): void {
    const most = Math.max(this.#max * OCTETS_PER_RECIPIENT, LEAST_OCTETS)
    for (const value of values) {
      this.#octets += Buffer.byteLength(value)
      if (this.#octets <= most) continue
      if (elements(values, 2 * this.#max) > 2 * this.#max) throw this.#tooMany()
      const detail = `with it to, cc and bcc have more than ${most} octets`
      throw new Refusal({ code: 'field_invalid', field, detail })
    }
  }

  #tooMany(): Refusal {
    return new Refusal({ code: 'too_many_recipients', max: this.#max, found: 2 * this.#max + 1 })
  }
}

/** The one mailbox that a message is from. */
export function readSender(from: string): Mailbox {
  const found = mailboxes('from', [from], 1)
  if (found?.length === 0) throw new Refusal({ code: 'field_missing', field: 'from' })
  if (found === null) {
    const detail = 'a message has exactly one sender address'
    throw new Refusal({ code: 'address_invalid', field: 'from', detail })
  }
  return found[0]!
}

/** Throws a Refusal for a sender in which a reader could find another author. */
export function assertPlainSender(from: Mailbox): void {
  try {
    assertAuthor(from)
  } catch (error) {
    if (!(error instanceof AuthorError)) throw error
    throw new Refusal({ code: 'field_invalid', field: 'from', detail: error.message })
  }
}

/** At least one mailbox to send to. */
export function readRecipients(to: string[], room: RecipientRoom): Mailbox[] {
  const found = room.readMailboxes('to', to)
  if (found.length === 0) throw new Refusal({ code: 'field_missing', field: 'to' })
  return found
}

/** In batch sending an address may be a placeholder for a recipient's value: it is checked with the values. */
function readReplyTo({ replyTo, recipientVariables }: Submission): Mailbox[] {
  const values = replyTo.map((value) => value.trim())
  const isFilled = (value: string) => recipientVariables !== undefined && isPlaceholder(value)
  const filled = values
    .filter(isFilled)
    .map((text): Mailbox => ({ name: '', local: '', domain: '', address: text, text }))
  const written = values.filter((value) => !isFilled(value))
  const found =
    filled.length > MAX_REPLY_TO ? null : mailboxes('reply_to', written, MAX_REPLY_TO - filled.length)
  if (found === null) {
    const detail = `it holds more than ${MAX_REPLY_TO} addresses`
    throw new Refusal({ code: 'field_invalid', field: 'reply_to', detail })
  }
  return [...found, ...filled]
}

/**
 * The envelope: each address once, whichever fields name it (the first decides its kind). In batch sending each
 * recipient carries its values; a recipient in cc or bcc gets the copy of the first in `to`, and so its values.
 */
export function envelopeOf(
  { to, cc, bcc }: Addressing,
  variables: Record<string, Record<string, string>> | undefined,
): NewRecipient[] {
  const byAddress = variables === undefined ? null : caseless(variables)
  const seen = new Set<string>()
  const recipients: NewRecipient[] = []
  const add = (kind: RecipientKind, mailboxes: Mailbox[]) => {
    for (const { address, domain, text } of mailboxes) {
      if (seen.has(address)) continue
      seen.add(address)
      const owner = kind === 'to' ? address : to[0]!.address
      const values = byAddress === null ? null : (byAddress.get(owner.toLowerCase()) ?? {})
      const mailbox = text === address ? null : text
      recipients.push({ address, domain, kind, variables: values, mailbox, copySize: null })
    }
  }
  add('to', to)
  add('cc', cc)
  add('bcc', bcc)
  return recipients
}

/** The number of elements between commas and semicolons, quotes or not; counted up to a little more than `most`. */
function elements(values: string[], most: number): number {
  let count = 0
  for (const value of values) {
    if (++count > most) return count
    for (const separator of [',', ';']) {
      for (let at = value.indexOf(separator); at >= 0 && count <= most; at = value.indexOf(separator, at + 1))
        count++
    }
  }
  return count
}

/** Null when there are more than `most`. */
function mailboxes(field: AddressField, values: string[], most: number): Mailbox[] | null {
  const found: Mailbox[] = []
  try {
    for (const value of values) {
      for (const mailbox of parseAddressList(value, most - found.length)) found.push(mailbox)
    }
    return found
  } catch (error) {
    if (error instanceof AddressCountError) return null
    if (!(error instanceof AddressError)) throw error
    throw new Refusal({ code: 'address_invalid', field, detail: error.message })
  }
}
