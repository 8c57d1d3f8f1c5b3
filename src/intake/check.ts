/**
 * All checks of a submission that need only its own data. The same function runs in the main thread for a small
 * submission, and in a worker for a large one. The intake itself checks the authority, and calls the store.
 */
import { AddressError, type Mailbox, parseDomain } from '../mail/address/address.ts'
import { type Addressee, filledMessageId, substituteReplyTo } from '../mail/batch/substitute.ts'
import { withOctets } from '../mail/body.ts'
import { composedSize, estimateSize } from '../mail/compose/compose.ts'
import { bodyBound } from '../mail/compose/size-bound.ts'
import { HeaderError, MAX_HEADER } from '../mail/header/header.ts'
import type { MessageContent } from '../mail/message.ts'
import type { NewEmail } from '../store/store.ts'
import { readAddressing } from './addressing.ts'
import { checkCopies, checkStoredValues } from './batch.ts'
import { type Draft, draftFromParts, type NamedAuthor } from './draft.ts'
import { draftFromRaw, sealRaw } from './draft-from-raw.ts'
import { type Reason, Refusal } from './refusal.ts'
import type { RequestedSource, Submission } from './submission.ts'

export interface IntakeLimits {
  /** The most octets of a composed message. */
  maxMessageSize: number
  /** to + cc + bcc. */
  maxRecipients: number
}

/** The parameters of a check. */
export interface CheckParameters extends IntakeLimits {
  /** The id of the email, if it is accepted. */
  id: string
  /** Unix ms. */
  now: number
}

/** A valid submission, before it is known whether it may be sent. */
export interface CheckedSubmission {
  /** The sending domain named in the path (form dialect). */
  domain: string | null
  from: Mailbox
  /** Authors named by Sender, Resent-From and the like, besides `from`. */
  authors: NamedAuthor[]
  /** The email to store, except its owner. */
  email: Omit<NewEmail, 'companyId' | 'domainId' | 'keyId'>
  /** The source that the sender requests; absent: any source for its mail. */
  source?: RequestedSource
  /** A fault of the submission as a whole; reported only to a caller who may send it. */
  refusal: Reason | null
}

/** Plain data, so that a worker can return it. */
export type CheckOutcome = { checked: CheckedSubmission } | { domain: string | null; refusal: Reason }

/** A derived `text` must already be filled in. Throws only for faults of our own. */
export function checkSubmission(submission: Submission, terms: CheckParameters): CheckOutcome {
  const domain = submission.domain ?? null
  try {
    const draft = draftOf(submission, terms.maxRecipients)
    return { checked: { domain, ...wholeOf(submission, draft, terms) } }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { domain, refusal: error.reason }
  }
}

/** The parts of the message, checked from the largest to the smallest. */
function draftOf(submission: Submission, maxRecipients: number): Draft {
  const { raw } = submission
  if (raw !== undefined) return draftFromRaw(submission, raw, maxRecipients)
  assertHeaderBound(submission)
  return draftFromParts(submission, readAddressing(submission, maxRecipients))
}

function wholeOf(
  submission: Submission,
  draft: Draft,
  terms: CheckParameters,
): Omit<CheckedSubmission, 'domain'> {
  const { id, now } = terms
  const { from, authors, content } = draft
  content.date = now
  content.messageId ||= `<${id}@${domainOfId(submission, from)}>`
  const scheduledAt = submission.dueAt !== undefined && submission.dueAt > now ? submission.dueAt : null
  const dueAt = scheduledAt ?? now
  const email: CheckedSubmission['email'] = {
    id,
    sender: from.address,
    returnPathHost: null,
    content,
    raw: null,
    rawFiles: draft.rawFiles,
    bcc: draft.bcc,
    tags: submission.tags,
    variables: submission.variables,
    individual: submission.recipientVariables !== undefined,
    testMode: submission.testMode,
    tls: submission.tls ?? null,
    tlsByMessage: submission.tls !== undefined,
    source: submission.source?.name ?? null,
    viaSmtp: submission.arrival !== undefined,
    createdAt: now,
    dueAt,
    scheduledAt,
    giveUpAt: submission.deliverWithin === undefined ? null : dueAt + submission.deliverWithin,
    size: 0,
    recipients: draft.recipients,
    idempotency: submission.idempotency ?? null,
  }
  const wanted = submission.source && { source: submission.source }
  try {
    const { raw, size } = sizeOf(draft, submission, terms)
    email.raw = raw
    email.size = size
    email.content = withOctets(content)
    return { from, authors, email, ...wanted, refusal: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { from, authors, email, ...wanted, refusal: error.reason }
  }
}

/** The Message-ID carries the domain that the message is sent for, which clients of the form dialect expect. */
function domainOfId({ domain }: Submission, from: Mailbox): string {
  if (domain === undefined || domain === from.domain) return from.domain
  try {
    return parseDomain(domain)
  } catch (error) {
    // The domain does not exist, and the message will be refused.
    if (error instanceof AddressError) return from.domain
    throw error
  }
}

/** The final octets of a ready message, and the size of the message. Throws a Refusal. */
function sizeOf(
  draft: Draft,
  { arrival }: Submission,
  { id, maxMessageSize, maxRecipients }: CheckParameters,
): { raw: Uint8Array | null; size: number } {
  const { addressees, recipients } = draft
  if (recipients.length > maxRecipients) {
    throw new Refusal({ code: 'too_many_recipients', max: maxRecipients, found: recipients.length })
  }
  const raw = draft.raw === null ? null : sealRaw(draft.raw, draft.content, { arrival, id })
  const content = addressees === null ? draft.content : composable(draft, addressees[0]!)
  const size = checkSize({ ...draft, content }, raw, maxMessageSize)
  if (addressees === null) return { raw, size }
  const copies = checkCopies(content, raw, addressees, { size, max: maxMessageSize })
  for (const [index, recipient] of recipients.entries()) {
    // A recipient in cc or bcc gets the copy of the first one in `to`.
    recipient.copySize = recipient.kind === 'to' ? copies[index]! : copies[0]!
  }
  const largest = copies.reduce((most, copy) => Math.max(most, copy), size)
  // Only one copy is sent at a time, but the stored email holds the mailboxes and values of all recipients.
  return { raw, size: largest + checkStoredValues(recipients, maxMessageSize) }
}

/**
 * The content with an addressee's values in place of templates, because a template is not a valid Message-ID or
 * address.
 */
function composable({ content, raw }: Draft, addressee: Addressee): MessageContent {
  // A ready message has Reply-To in its own header.
  const replyTo =
    raw === null ? content.replyTo.map((list) => substituteReplyTo(list, addressee)) : content.replyTo
  return {
    ...content,
    to: content.to.slice(0, 1),
    replyTo,
    messageId: filledMessageId(content.messageId, addressee),
  }
}

/**
 * Octets of the message, an upper bound that is exact for files and for ready messages. Throws a Refusal when it is
 * over the limit or when a field cannot be written (earlier checks miss only odd combinations).
 * @param raw the final octets, for a ready message
 */
function checkSize({ content, headerBound }: Draft, raw: Uint8Array | null, max: number): number {
  const size = raw === null ? partsSize(content, headerBound, max) : raw.length
  if (size > max) throw new Refusal({ code: 'message_too_large', max, found: size })
  return size
}

function partsSize(content: MessageContent, headerBound: number | null, max: number): number {
  try {
    if (headerBound !== null) {
      const bound = headerBound + content.messageId.length + bodyBound(content)
      if (bound <= max) return bound
    }
    const bound = estimateSize(content)
    // The bound may be too high for the texts, so near the limit the message is composed once to know its size.
    return bound > max && bound < max * 1.5 ? composedSize(content) : bound
  } catch (error) {
    if (!(error instanceof HeaderError || error instanceof AddressError)) throw error
    throw new Refusal({ code: 'field_invalid', field: 'message', detail: error.message })
  }
}

/**
 * Runs before any other work on these fields: throws a Refusal when from, reply_to, subject and custom headers (names
 * and values) have more than 256 KiB together; it names the field that exceeds it.
 */
function assertHeaderBound({ from, replyTo, subject, headers }: Submission): void {
  let octets = 0
  const add = (field: string, ...texts: string[]) => {
    for (const text of texts) octets += Buffer.byteLength(text)
    if (octets <= MAX_HEADER) return
    const detail = `with it the header has more than ${MAX_HEADER} octets`
    throw new Refusal({ code: 'field_invalid', field, detail })
  }
  add('from', from)
  for (const value of replyTo) add('reply_to', value)
  add('subject', subject)
  for (const [name, value] of headers) add(`headers.${name.slice(0, 80)}`, name, value)
}
