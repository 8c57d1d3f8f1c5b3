/** Times in the query of a request: ISO 8601. */

import { parseIsoTime } from '../../ingress/schedule.ts'
import { invalidField } from '../../intake/refusal.ts'

/**
 * Unix ms. A date alone is the beginning of its day in UTC, which `ofDay` may turn into another time. Throws a Refusal
 * that names the field.
 */
export function parseTime(field: string, text: string, ofDay = (day: number) => day): number {
  // An unescaped plus sign arrives as a blank.
  const spelt = text.trim().replace(/ (?=\d{2}(?::?\d{2})?$)/, '+')
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(spelt)
  const at = parseIsoTime(isDay ? `${spelt}T00:00Z` : spelt)
  if (at !== null) return isDay ? ofDay(at) : at
  throw invalidField(
    field,
    'it must be an ISO 8601 date, or a date and time with its zone, such as `2026-11-20T22:55:01Z`',
  )
}
