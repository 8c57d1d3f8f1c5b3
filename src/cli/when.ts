/** Times as people write them in commands. */
import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../config/parse/quantity.ts'
import { SettingValueError } from '../config/parse/value-error.ts'

const DATE = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

const A_TIME = 'It must be a date like 2027-01-01, a time like 2027-01-01T12:00:00Z'

/**
 * A time in the future, in Unix ms: `2027-01-01` (the beginning of that day, UTC), `2027-01-01T12:00:00Z`, or a
 * duration from now, such as `30d`.
 */
export function whenOf(text: string): number {
  const at = DATE.test(text)
    ? timeOf(text)
    : Date.now() + durationOf(text, `${A_TIME}, or how long from now: 12h, 30d, 365d.`)
  if (at <= Date.now()) throw new InvalidArgumentError('That time is in the past.')
  if (at > Date.UTC(10_000, 0)) throw new InvalidArgumentError('That time is too far away.')
  return at
}

/** A time in the future as for `whenOf`; `none`, which stays a word: commander takes null for no value. */
export function endOf(text: string): number | 'none' {
  return text === 'none' ? text : whenOf(text)
}

/** A time in the past, in Unix ms: a date or time as for `whenOf`, or a duration before now. */
export function sinceOf(text: string): number {
  const at = DATE.test(text)
    ? timeOf(text)
    : Date.now() - durationOf(text, `${A_TIME}, or how long ago: 10m, 12h, 3d.`)
  if (at > Date.now()) throw new InvalidArgumentError('That time is in the future.')
  return Math.max(0, at)
}

/** How long something is kept, in ms: `7d`, `12h`; `none`, which stays a word: commander takes null for no value. */
export function retentionOf(text: string): number | 'none' {
  return text === 'none' ? text : durationOf(text, 'It must be a duration like 7d or 12h, or none.')
}

/** How long a DKIM key signs, in ms; 0: `default`. */
export function rotatedOf(text: string): number | 'off' {
  if (text === 'off' || text === 'default') return text === 'off' ? text : 0
  return durationOf(text, 'It must be a duration like 90d, off, or default.')
}

function timeOf(text: string): number {
  const at = Date.parse(text)
  const day = text.slice(0, 10)
  // Date.parse turns the 30th of February into a day in March without an error.
  if (Number.isNaN(at) || !new Date(day).toISOString().startsWith(day)) {
    throw new InvalidArgumentError('That date or time does not exist.')
  }
  return at
}

function durationOf(text: string, wrong: string): number {
  try {
    return parseDuration(text)
  } catch (error) {
    if (!(error instanceof SettingValueError)) throw error
    throw new InvalidArgumentError(wrong)
  }
}
