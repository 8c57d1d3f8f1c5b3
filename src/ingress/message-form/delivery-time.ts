/** `o:deliverytime`: an RFC 2822 date or Unix seconds. */

import { clip } from '../../common/clip.ts'
import { MAX_AHEAD, MAX_AHEAD_DAYS } from '../../email/queued-email.ts'
import { Fault } from '../fault.ts'
import { readTime } from './date.ts'

/**
 * Returns Unix milliseconds. Throws a Fault for anything else, and for a time more than 30 days ahead. A time in the
 * past means now.
 */
export function readDeliveryTime(text: string): number {
  const value = text.trim()
  const at = readTime(value)
  if (at === null) {
    throw new Fault({ code: 'request_invalid', detail: `${clip(value)} is not an RFC-2822 compliant date` })
  }
  if (at > Date.now() + MAX_AHEAD) {
    throw new Fault({
      code: 'request_invalid',
      detail: `Specific delivery time must not be farther than ${MAX_AHEAD_DAYS} days from now`,
    })
  }
  return at
}
