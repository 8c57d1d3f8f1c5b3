/** How long a server asks us to wait, in words. */

const UNITS: readonly [unit: RegExp, ms: number][] = [
  [/^s(?:ec(?:ond)?s?)?$/, 1_000],
  [/^m(?:in(?:ute)?s?)?$/, 60_000],
  [/^h(?:(?:ou)?rs?)?$/, 3_600_000],
  [/^d(?:ays?)?$/, 86_400_000],
]

/**
 * Postgrey "Greylisted for 300 seconds", Exim and rspamd "try again in 5 minutes", Gmail's relay "Retry after 60s",
 * milter-greylist "try again in 00:05:00". A number without a unit is in seconds; the start of an IP address is none.
 */
const PHRASE =
  /\b(?:again|retry|wait|back|later|greylisted|deferred|limited)\b[a-z ,:(]{0,30}?\b(?:in|after|for|within|at least)[: ]{1,2}(?:(\d{1,2}):(\d\d):(\d\d)|(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})(\.\d{1,3})?(?!\d|[.,]\d|:+[\da-f]) ?([a-z]*))/

/** The shortest and the longest time that a server's words can make us wait, in milliseconds. */
const LEAST = 1_000
const MAX = 3_600_000

/** Milliseconds within bounds; null: the words name no time. */
export function requestedWait(words: string): number | null {
  const found = PHRASE.exec(words.slice(0, 1_000).toLowerCase())
  if (found === null) return null
  const [, hours, minutes, seconds, whole, fraction = '', unit = ''] = found
  if (hours !== undefined)
    return within((Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000)
  const ms = unit === '' ? 1_000 : UNITS.find(([pattern]) => pattern.test(unit))?.[1]
  return ms === undefined ? null : within(Number(whole!.replaceAll(',', '') + fraction) * ms)
}

function within(ms: number): number {
  return Math.min(MAX, Math.max(LEAST, ms))
}
