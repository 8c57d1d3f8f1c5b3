/** The bound of header text, held before any work is done on it. */
import { MAX_HEADER } from '../mail/header/header.ts'
import { Refusal } from './refusal.ts'
import type { Submission } from './submission.ts'

/**
 * Throws a Refusal when from, reply_to, subject and custom headers (names and values) have more than 256 KiB together;
 * it names the field that goes over it.
 */
export function assertHeaderBound({ from, replyTo, subject, headers }: Submission): void {
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
