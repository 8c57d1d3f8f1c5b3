/** Times in this dialect's formats: dates of mail headers, and Unix seconds. */
import { MONTHS } from '../../mail/header/date.ts'
import { utcTime } from '../schedule.ts'

/** RFC 2822 3.3, with the obsolete zone names of 4.3 and the `UTC` that many libraries print. */
const DATE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)\s*,\s*)?(\d{1,2})\s+([a-z]{3})\s+(\d{4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s+([+-]\d{4}|[a-z]{1,4})(?:\s*\([^()]*\))?$/i

/** Hours east of UTC. */
const ZONES: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
}

/** Formats Unix ms for a mail header, e.g. `Sun, 26 Jan 2025 07:29:04 GMT`. */
export function mailDate(at: number): string {
  return new Date(at).toUTCString()
}

/** Returns the Unix ms of an RFC 2822 date or of Unix seconds, which may have a fraction; null for anything else. */
export function readTime(text: string): number | null {
  const value = text.trim()
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(value) ? Math.floor(Number(value) * 1000) : parseDate(value)
}

function parseDate(text: string): number | null {
  const match = DATE.exec(text)
  if (!match) return null
  const [, day, monthName, year, hour, minute, second = '0', zone] = match
  const month = MONTHS.indexOf(monthName!.toLowerCase()) + 1
  const offset = zoneMinutes(zone!)
  if (month === 0 || offset === null) return null
  return utcTime(+year!, month, +day!, +hour!, +minute!, +second, offset)
}

function zoneMinutes(zone: string): number | null {
  if (zone[0] === '+' || zone[0] === '-') {
    const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3))
    return Number(zone.slice(3)) > 59 ? null : zone[0] === '-' ? -minutes : minutes
  }
  const hours = ZONES[zone.toLowerCase()]
  return hours === undefined ? null : hours * 60
}

/** The same date with the zone name `UTC`, which this dialect uses in its lists and sentences. */
export function utcDate(at: number): string {
  return mailDate(at).replace(/GMT$/, 'UTC')
}
