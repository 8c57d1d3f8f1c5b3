/** Days and times in UTC, by which the service counts and reports. */

export const DAY_MS = 86_400_000

/** The day of a time in Unix ms: `2026-11-28`. */
export function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** A time in Unix ms for people, as all interfaces write it in text: `2026-11-20 22:55:01Z`. */
export function utcTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** The days from 1970 to the day of a time in Unix ms. */
export function dayNumber(time: number): number {
  return Math.floor(time / DAY_MS)
}

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/

/** Unix ms of a date in ISO 8601 or RFC 5322, NaN for anything else. A time without a zone is in UTC. */
export function parseUtc(text: string): number {
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text}Z` : text)
}
