/** Times of scheduled messages in senders' requests: ISO 8601. */

/**
 * Date, time and zone, with `T` or a blank between date and time. Seconds and their fraction are optional (RFC 3339
 * 5.6, and PostgreSQL's output).
 */
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)$/

/** Unix milliseconds of an ISO 8601 time with its zone; null for anything else, including days that do not exist. */
export function parseIsoTime(text: string): number | null {
  const match = ISO.exec(text.trim())
  if (!match) return null
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second = '0',
    fraction = '0',
    ,
    sign,
    zoneHour = '0',
    zoneMinute = '0',
  ] = match
  // RFC 3339 5.6: time-hour and time-minute of the offset have the ranges of a clock.
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return null
  const offset = (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute))
  const milliseconds = Math.floor(Number(`0.${fraction}`) * 1000)
  const whole = utcTime(+year!, +month!, +day!, +hour!, +minute!, +second, offset)
  return whole === null ? null : whole + milliseconds
}

/** Unix milliseconds; `month` from 1, `offset` in minutes east of UTC. Null when a part is out of its range. */
export function utcTime(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  offset: number,
): number | null {
  // A leap second (60) is accepted and counts as the next second, as in POSIX time.
  if (hour > 23 || minute > 59 || second > 60 || Math.abs(offset) >= 24 * 60) return null
  const date = new Date(0)
  // Date.UTC would map the years 0 to 99 to the 20th century.
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000
}
