/** From the octets between DATA and the final dot to a submission: what `messages.mime` makes of the same message. */
import { readMimeMessage } from '../http/form/submission.ts'
import { checkedKey } from '../http/idempotency.ts'
import { withIdempotency } from '../http/reading.ts'
import type { Terms } from '../intake/check.ts'
import { Refusal } from '../intake/refusal.ts'
import type { Submission } from '../intake/submission.ts'
import { IDEMPOTENCY_FIELD } from '../mail/raw/control.ts'
import { withEncodedWords } from '../mail/raw/international.ts'
import { RawError, readRawControl } from '../mail/raw/raw.ts'
import { asBuffer } from '../workers/job.ts'
import { sameMessage } from './same-message.ts'

export interface Handed {
  body: Uint8Array
  /** Of the envelope. */
  recipients: string[]
  /** That the login named; null: the one of From. */
  domain: string | null
  /** SMTPUTF8 was asked for: the header may be UTF-8 (RFC 6532). */
  international: boolean
}

/** A message that is read and checked in a worker. */
export interface MessageOrder extends Handed {
  terms: Terms
}

const NAMES_KEY = new RegExp(`^${IDEMPOTENCY_FIELD}[ \\t]*:`, 'im')

/** Throws a Refusal or a Fault for what cannot be done as asked. */
export function readMessage(handed: Handed): Submission | Promise<Submission> {
  const { recipients, domain } = handed
  const content = contentOf(handed)
  const fields = recipients.map((recipient): [string, string] => ['to', recipient])
  const files = [{ field: 'message', filename: 'message.mime', contentType: undefined, content }]
  const { domain: _, ...read } = readMimeMessage(domain ?? '', { fields, files })
  const submission: Submission = domain === null ? read : { ...read, domain }
  const key = idempotencyKey(content)
  if (key === null) return submission
  const same = { ...submission, raw: sameMessage(content) }
  return withIdempotency(submission, { key, endpoint: 'SMTP' }, same)
}

function contentOf({ body, international }: Handed): Buffer {
  const content = asBuffer(body)
  if (!international) return content
  try {
    return withEncodedWords(content)
  } catch (error) {
    if (!(error instanceof RawError)) throw error
    throw new Refusal({ code: 'field_invalid', field: 'message', detail: error.message })
  }
}

/** Of a message whose header can be read. */
function idempotencyKey(content: Buffer): string | null {
  const end = content.indexOf('\r\n\r\n')
  // Most messages have none, and their header need not be read once more.
  if (!NAMES_KEY.test(content.toString('latin1', 0, end < 0 ? content.length : end))) return null
  const field = readRawControl(content).find(({ name }) => name.toLowerCase() === IDEMPOTENCY_FIELD)
  return field === undefined ? null : checkedKey(field.value)
}
