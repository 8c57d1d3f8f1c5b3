/** `scheduled_at`: when an email is to leave, as ISO 8601 or as a phrase. */
import { createRequire } from 'node:module'
import { MAX_AHEAD, MAX_AHEAD_DAYS } from '../../../email/queued-email.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { parseIsoTime } from '../../schedule.ts'

type Chrono = typeof import('chrono-node/en')
type ParsedComponents = import('chrono-node').ParsedComponents

/** Characters and words of a phrase: more than any has. The library's work grows with the cube of their number. */
const MAX_PHRASE = 60
const MAX_WORDS = 9
/** A date in digits alone leaves open which number is the day, or in which zone it begins. */
const DIGITS_FIRST = /^\d+[-/.]/

const require = createRequire(import.meta.url)
let chrono: Chrono | null = null

/** What no one hour is meant by, or lies behind us: the library would take it for a time to come. */
const VAGUE = /\b(?:few|several)\b/i
const PAST = /\b(?:last|past|previous|ago|yesterday|before|earlier)\b/i
/** Zones that are called the same in several parts of the world. RFC 5322 4.3 says which EST, CST, MST and PST are. */
const AMBIGUOUS = /\b(?:IST|AST|AMT|GST|SST|WST)\b/i
/** Names of an hour, which the library takes for guesses of its own. */
const NAMED_HOUR = /\b(?:noon|midnight)\b/i
/** An hour that may be one of the morning or of the evening. */
const BARE_HOUR = /\bat\s+(?:1[0-2]|[1-9])(?!\d|:|\s*[ap]\.?\s*m)/i
/** Ms by which a phrase may lie behind us, as `now` does when it comes. */
const JUST_NOW = 60_000
const DAY = 24 * 60 * 60 * 1_000

/** Unix milliseconds; an ISO time may be past, which means now. Throws a Refusal. */
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
 * Unix milliseconds of what an English phrase means, seen from `now`: the next such time, in UTC where the phrase names
 * no zone. Throws a Refusal where any part of it has no meaning, or more than one.
 */
function timeOfPhrase(text: string, now: number): number {
  const found = readPhrase(text, now)
  if (found === null) {
    throw refusal(
      'it must be an ISO 8601 date and time with its zone, such as `2026-11-20T22:55:01Z` or `2026-11-20T23:55:01+01:00`, or an English phrase such as `in 1 hour` or `tomorrow at 9am EST` (UTC where it names no zone)',
    )
  }
  const at = found.date().getTime()
  if (at < now - JUST_NOW || PAST.test(text)) throw refusal('it means a time that is past')
  if (AMBIGUOUS.test(text)) {
    throw refusal('its zone is one of several with that name: write the offset, such as `9am +05:30`')
  }
  // What is counted from now keeps the time of day.
  if (!found.isCertain('hour') && at % DAY !== now % DAY && !NAMED_HOUR.test(text)) {
    throw refusal('it says no hour: write one, such as `tomorrow at 9am`')
  }
  if (BARE_HOUR.test(text)) {
    throw refusal('it does not say which half of the day is meant: write `9am`, `9pm` or `09:00`')
  }
  return at
}

/** Null for what is none, or not only one; for a span of time; for a day that is not the day of the week it names. */
function readPhrase(text: string, now: number): ParsedComponents | null {
  if (text === '' || text.length > MAX_PHRASE || DIGITS_FIRST.test(text) || VAGUE.test(text)) return null
  if (text.split(/\s+/).length > MAX_WORDS || /\s{2}/.test(text)) return null
  // Loaded when the first phrase comes: most senders never write one.
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
