/** `scheduled_at`: the time at which an email is to be sent, in ISO 8601 or as a phrase. */
import { createRequire } from 'node:module'
import { MAX_AHEAD, MAX_AHEAD_DAYS } from '../../../email/queued-email.ts'
import { parseIsoTime } from '../../../ingress/schedule.ts'
import { invalidField } from '../../../intake/refusal.ts'

type Chrono = typeof import('chrono-node/en')
type ParsedComponents = import('chrono-node').ParsedComponents

/**
 * The most characters and words of a phrase, more than a real one has. The library's work grows with the cube of their
 * number.
 */
const MAX_PHRASE = 60
const MAX_WORDS = 9
/** A date of digits alone. Its day and month, and its time zone, are ambiguous. */
const DIGITS_FIRST = /^\d+[-/.]/

const require = createRequire(import.meta.url)
let chrono: Chrono | null = null

/** Words of phrases without an exact time, and of phrases about the past. The library would read a future time. */
const VAGUE = /\b(?:few|several)\b/i
const PAST = /\b(?:last|past|previous|ago|yesterday|before|earlier)\b/i
/** Abbreviations of zones in several parts of the world. RFC 5322 4.3 defines EST, CST, MST and PST. */
const AMBIGUOUS = /\b(?:IST|AST|AMT|GST|SST|WST)\b/i
/** Names of an hour, which the library reports as implied rather than certain. */
const NAMED_HOUR = /\b(?:noon|midnight)\b/i
/** An hour that may be in the morning or in the evening. */
const BARE_HOUR = /\bat\s+(?:1[0-2]|[1-9])(?!\d|:|\s*[ap]\.?\s*m)/i
/** The most ms that a phrase may be in the past, because the time of `now` is past when it is read. */
const JUST_NOW = 60_000
const DAY = 24 * 60 * 60 * 1_000

/** Returns Unix milliseconds; an ISO time may be in the past, which means now. Throws a Refusal. */
export function readScheduledAt(value: unknown, now: number): number {
  const text = typeof value === 'string' ? value.trim() : ''
  const iso = parseIsoTime(text)
  const at = iso ?? timeOfPhrase(text, now)
  if (at > now + MAX_AHEAD) {
    const meant = iso === null ? `means ${shown(at)}, and ` : ''
    throw refusal(`it ${meant}must not be more than ${MAX_AHEAD_DAYS} days ahead`)
  }
  return at
}

const refusal = (detail: string) => invalidField('scheduled_at', detail)
const shown = (at: number) => new Date(at).toISOString()

/**
 * Returns the Unix milliseconds of an English phrase relative to `now`: the next such time, in UTC unless the phrase
 * names a zone. Throws a Refusal when any part of it has no meaning, or more than one.
 */
function timeOfPhrase(text: string, now: number): number {
  const found = readPhrase(text, now)
  if (found === null) {
    throw refusal(
      'it must be an ISO 8601 date and time with its zone, such as `2026-11-20T22:55:01Z` or `2026-11-20T23:55:01+01:00`, or an English phrase such as `in 1 hour` or `tomorrow at 9am EST` (UTC where it names no zone)',
    )
  }
  const at = found.date().getTime()
  if (at < now - JUST_NOW || PAST.test(text)) throw refusal('it is a time in the past')
  if (AMBIGUOUS.test(text)) {
    throw refusal('its time zone is ambiguous: write the offset, such as `9am +05:30`')
  }
  // A duration from now, such as `in 2 days`, keeps the time of day.
  if (!found.isCertain('hour') && at % DAY !== now % DAY && !NAMED_HOUR.test(text)) {
    throw refusal('it has no hour: add one, such as `tomorrow at 9am`')
  }
  if (BARE_HOUR.test(text)) {
    throw refusal('it is not clear whether morning or evening is meant: write `9am`, `9pm` or `09:00`')
  }
  return at
}

/** Null for a text that is not exactly one phrase, for a time span, and for a date that contradicts its weekday. */
function readPhrase(text: string, now: number): ParsedComponents | null {
  if (text === '' || text.length > MAX_PHRASE || DIGITS_FIRST.test(text) || VAGUE.test(text)) return null
  if (text.split(/\s+/).length > MAX_WORDS || /\s{2}/.test(text)) return null
  // Loaded with the first phrase: most senders never use one.
  chrono ??= require('chrono-node/en') as Chrono
  const [found, ...others] = chrono.casual.parse(
    text,
    { instant: new Date(now), timezone: 'UTC' },
    { forwardDate: true },
  )
  if (found === undefined || others.length > 0 || found.end) return null
  if (found.index !== 0 || found.text.length !== text.length) return null
  const { start } = found
  if (Number.isNaN(start.date().getTime())) return null
  return start.isCertain('weekday') && start.isCertain('day') && !isOnItsWeekday(start) ? null : start
}

function isOnItsWeekday(found: ParsedComponents): boolean {
  const [year, month, day] = [found.get('year')!, found.get('month')!, found.get('day')!]
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() === found.get('weekday')
}
