/** Parses points in the past as people write them. Pure. */
import { parseDuration } from '../config/parse/quantity.ts'
import { SettingValueError } from '../config/parse/value-error.ts'

export interface Clock {
  /** Unix ms. */
  now: number
  /** The time zone of days and times without one, by its IANA name: `Europe/Berlin`. */
  timeZone: string
}

const DAY_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?(Z|[+-]\d\d:\d\d)?$/i

/**
 * Unix ms of a day (its beginning), a time, `today`, `yesterday`, or a duration ago, such as `24h`. Throws
 * SettingValueError for any other text.
 */
export function parseTime(text: string, { now, timeZone }: Clock): number {
  const word = text.trim().toLowerCase()
  if (word === 'today' || word === 'yesterday') {
    const [year, month, day] = dayAt(now, timeZone)
    return at([year, month, day - (word === 'today' ? 0 : 1), 0, 0, 0], timeZone)
  }
  const match = DAY_TIME.exec(text.trim())
  if (match === null) return before(now, parseDuration(word))
  const [, year, month, day, hour = '0', minute = '0', second = '0', zone] = match
  const fields = [year!, month!, day!, hour, minute, second].map(Number) as TimeFields
  const plain = asUtc(fields)
  const shown = new Date(plain).toISOString()
  const given = `${year}-${month}-${day}T${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  // Date.UTC turns the 30th of February into a day in March without an error.
  if (!shown.startsWith(given)) throw new SettingValueError('that date or time does not exist')
  if (zone === undefined) return at(fields, timeZone)
  return plain - (zone.toUpperCase() === 'Z' ? 0 : minutesOf(zone) * 60_000)
}

/** Throws SettingValueError for a time out of the range of Date. */
function before(now: number, duration: number): number {
  const time = now - duration
  if (Number.isNaN(new Date(time).getTime())) throw new SettingValueError('that is too long ago')
  return time
}

type TimeFields = [year: number, month: number, day: number, hour: number, minute: number, second: number]

function asUtc([year, month, ...rest]: TimeFields): number {
  return Date.UTC(year, month - 1, ...rest)
}

/** The moment when clocks in the zone show these fields. A time that the clocks skip counts as if they did not. */
function at(fields: TimeFields, timeZone: string): number {
  const plain = asUtc(fields)
  const first = plain - offsetAt(plain, timeZone)
  return plain - offsetAt(first, timeZone)
}

function dayAt(now: number, timeZone: string): [year: number, month: number, day: number] {
  const local = new Date(now + offsetAt(now, timeZone))
  return [local.getUTCFullYear(), local.getUTCMonth() + 1, local.getUTCDate()]
}

/** Ms east of UTC. Throws SettingValueError for an unknown time zone. */
function offsetAt(time: number, timeZone: string): number {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')!.value
    return name === 'GMT' ? 0 : minutesOf(name.slice(3)) * 60_000
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new SettingValueError(`there is no time zone "${timeZone}"`)
  }
}

/** The minutes of an offset such as `+01:00`. */
function minutesOf(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)/.exec(offset)!
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}
