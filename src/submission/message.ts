/** Turns the octets between DATA and the final dot into a submission, like `messages.mime` with the same message. */

import { checkedKey, type Idempotent } from '../ingress/idempotency.ts'
import { readMimeMessage } from '../ingress/message-form/submission.ts'
import { Refusal } from '../intake/refusal.ts'
import type { Submission } from '../intake/submission.ts'
import type { Arrival } from '../mail/header/received.ts'
import { IDEMPOTENCY_FIELD } from '../mail/raw/control.ts'
import { withEncodedWords } from '../mail/raw/international.ts'
import { withCrBeforeLf } from '../mail/raw/lines.ts'
import { RawError, readRawControl, withoutEnvelopeLine } from '../mail/raw/raw.ts'
import { asBuffer } from '../workers/job.ts'

/** The properties of a message that are not in its octets. */
export interface MessageEnvelope {
  /** From the envelope. */
  recipients: string[]
  /** The domain that the login named; null: the domain of From counts. */
  domain: string | null
  /** Written into the message's Received field. */
  arrival: Arrival
  /** True: some lines of the message end in LF alone. */
  bareLf: boolean
}

const NAMES_KEY = new RegExp(`^${IDEMPOTENCY_FIELD}[ \\t]*:`, 'im')

/** Throws a Refusal or a Fault for a message that cannot be accepted. */
export function readMessage(
  { recipients, domain, bareLf, arrival }: MessageEnvelope,
  body: Buffer,
): Submission {
  const content = contentOf(withoutEnvelopeLine(bareLf ? withCrBeforeLf(body) : body))
  const fields = recipients.map((recipient): [string, string] => ['to', recipient])
  const files = [{ field: 'message', filename: 'message.mime', contentType: undefined, content }]
  const { domain: _, ...read } = readMimeMessage(domain ?? '', { fields, files })
  return { ...read, ...(domain !== null && { domain }), arrival }
}

/** The idempotency key of a message that has been read. */
export function namedKey({ raw }: Submission): Idempotent | null {
  const key = idempotencyKey(asBuffer(raw!))
  return key === null ? null : { key, endpoint: 'SMTP' }
}

/**
 * The message with an ASCII header. Most programs that write UTF-8 into a header do not request SMTPUTF8 (RFC 6531
 * 3.4), and relays pass the header on as it is.
 */
function contentOf(content: Buffer): Buffer {
  try {
    return withEncodedWords(content)
  } catch (error) {
    if (!(error instanceof RawError)) throw error
    throw new Refusal({ code: 'field_invalid', field: 'message', detail: error.message })
  }
}

/** The value of the Idempotency-Key field. The header must be readable. */
function idempotencyKey(content: Buffer): string | null {
  const end = content.indexOf('\r\n\r\n')
  // Most messages have no key, so their header need not be read again.
  if (!NAMES_KEY.test(content.toString('latin1', 0, end < 0 ? content.length : end))) return null
  const field = readRawControl(content).find(({ name }) => name.toLowerCase() === IDEMPOTENCY_FIELD)
  return field === undefined ? null : checkedKey(field.value)
}
