/** The date-time of header fields (RFC 5322 3.3). */

export const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DATE_TIME =
  /^(?:(mon|tue|wed|thu|fri|sat|sun), ?)?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2})(?::(\d{2}))? (?:[+-]\d{2}[0-5]\d|gmt|ut|utc|z)$/i

/** The last second that was formatted, and its text: messages that arrive together carry the same date. */
let writtenSecond = Number.NaN
let written = ''

/** Unix milliseconds as `Sat, 21 Nov 2026 00:47:28 +0000`. */
export function messageDate(time: number): string {
  const second = Math.floor(time / 1000)
  if (second !== writtenSecond) {
    written = new Date(time).toUTCString().replace('GMT', '+0000')
    writtenSecond = second
  }
  return written
}

/** True for a date-time that RFC 5322 3.3 allows; of the obsolete zones only those that mean UTC. */
export function isMessageDate(text: string): boolean {
  const match = DATE_TIME.exec(text.trim())
  if (!match) return false
  const [, , day, month, year, hour, minute, second] = match
  const monthIndex = MONTHS.indexOf(month!.toLowerCase())
  if (monthIndex < 0 || Number(year) < 1900) return false
  const daysInMonth = new Date(Date.UTC(Number(year), monthIndex + 1, 0)).getUTCDate()
  return (
    Number(day) >= 1 &&
    Number(day) <= daysInMonth &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second ?? 0) <= 60
  )
}
