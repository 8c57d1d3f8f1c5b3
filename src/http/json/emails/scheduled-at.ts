/** `scheduled_at`: when an email is to leave, as ISO 8601 or as a phrase. */
import { createRequire } from 'node:module'
import { MAX_AHEAD, MAX_AHEAD_DAYS } from '../../../email/queued-email.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { parseIsoTime } from '../../schedule.ts'

type Chrono = typeof import('chrono-node/en')

/** Characters of a phrase: more than any has. */
const MAX_PHRASE = 100
/** A date in digits alone leaves open which number is the day, or in which zone it begins. */
const DIGITS_FIRST = /^\d+[-/.]/

const require = createRequire(import.meta.url)
let chrono: Chrono | null = null

/** Unix milliseconds; the time may be past, which means now. Throws a Refusal. */
export function readScheduledAt(value: unknown, now: number): number {
  const refuse = (detail: string) => invalidField('scheduled_at', detail)
  const text = typeof value === 'string' ? value.trim() : ''
  const at = parseIsoTime(text) ?? timeOfPhrase(text, now)
  if (at === null) {
    throw refuse(
      'it must be an ISO 8601 date and time with its zone, such as `2026-11-20T22:55:01Z` or `2026-11-20T23:55:01+01:00`, or an English phrase such as `in 1 hour` or `tomorrow at 9am EST` (UTC where it names no zone)',
    )
  }
  if (at > now + MAX_AHEAD) throw refuse(`it must not be more than ${MAX_AHEAD_DAYS} days ahead`)
  return at
}

/**
 * Unix milliseconds of what an English phrase means, seen from `now`: the next such time, in UTC where the phrase names
 * no zone. Null when any part of it has no meaning, or it means a span of time.
 */
function timeOfPhrase(text: string, now: number): number | null {
  if (text === '' || text.length > MAX_PHRASE || DIGITS_FIRST.test(text)) return null
  // Loaded when the first phrase comes: most senders never write one.
  chrono ??= require('chrono-node/en') as Chrono
  const [found, ...others] = chrono.casual.parse(
    text,
    { instant: new Date(now), timezone: 'UTC' },
    { forwardDate: true },
  )
  if (found === undefined || others.length > 0 || found.end) return null
  if (found.index !== 0 || found.text.length !== text.length) return null
  const at = found.start.date().getTime()
  return Number.isNaN(at) ? null : at
}
