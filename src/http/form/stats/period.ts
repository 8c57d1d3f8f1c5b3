/** The time range and the resolution of figures. */

import { parseUtc } from '../../../common/utc-day.ts'
import { readTime } from '../../../ingress/message-form/date.ts'
import { invalidField } from '../../../intake/refusal.ts'

const LENGTHS = { hour: 3_600_000, day: 86_400_000 } as const

type Resolution = 'hour' | 'day' | 'month'

export interface PeriodQuery {
  start?: string | undefined
  end?: string | undefined
  resolution?: Resolution | undefined
  /** E.g. `7d`. */
  duration?: string | undefined
}

export interface Period {
  /** Unix ms: `since` is the beginning of a step, `until` the end of one. */
  since: number
  until: number
  resolution: Resolution
  /** The length of the stored counts that are added up. */
  size: keyof typeof LENGTHS
  /** The beginning of each step. */
  steps: number[]
}

const MAX_STEPS = 2_000
const USUAL = 7
const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24, m: 30 * 24 }

/**
 * Without a start and a duration, the period has the seven steps up to the end; without an end, it ends now. Throws a
 * Refusal. `names`: the names of the fields, if the request has others.
 */
export function readPeriod(
  { start, end, resolution = 'day', duration }: PeriodQuery,
  now: number,
  names = { start: 'start', end: 'end' },
): Period {
  const until = time(names.end, end) ?? now
  const size = resolution === 'hour' ? 'hour' : 'day'
  const since =
    duration !== undefined && duration !== ''
      ? until - hoursOf(duration) * LENGTHS.hour
      : (time(names.start, start) ?? until - (USUAL - 1) * LENGTHS[size] * (resolution === 'month' ? 30 : 1))
  if (since > until) throw invalidField(names.start, 'it is after the end')
  const steps: number[] = []
  for (let at = stepOf(since, resolution); at <= until; at = stepAfter(at, resolution)) {
    if (steps.length === MAX_STEPS) {
      throw invalidField('resolution', `this period has more than ${MAX_STEPS} of these steps`)
    }
    steps.push(at)
  }
  return { since: steps[0]!, until: stepAfter(steps.at(-1)!, resolution), resolution, size, steps }
}

/** The beginning of the step that contains a time. */
export function stepOf(at: number, resolution: Resolution): number {
  if (resolution !== 'month') return Math.floor(at / LENGTHS[resolution]) * LENGTHS[resolution]
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

function stepAfter(step: number, resolution: Resolution): number {
  if (resolution !== 'month') return step + LENGTHS[resolution]
  const date = new Date(step)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

function time(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const at = readTime(text) ?? (/^\d{4}-\d\d-\d\dT/.test(text) ? parseUtc(text) : Number.NaN)
  if (Number.isNaN(at))
    throw invalidField(name, 'it is neither an RFC 2822 date nor a number of Unix seconds')
  return at
}

/** Throws a Refusal for `field`. */
export function hoursOf(duration: string, field = 'duration'): number {
  // Go clients write 24h as 24h0m0s.
  const [, number, unit] = /^(\d{1,5})([hdwm])(?:(?<=h)0m0s)?$/.exec(duration) ?? []
  if (number === undefined) throw invalidField(field, 'it must be a number with h, d, w or m, such as 7d')
  return Number(number) * HOURS[unit!]!
}
