/** The time range of `GET /emails/metrics`, and its periods in the time zone of the request. */
import { utcDay } from '../../../common/utc-day.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { parseTime } from '../parse-time.ts'

export const GRANULARITIES = ['hourly', 'daily', 'weekly', 'monthly'] as const
type Granularity = (typeof GRANULARITIES)[number]

interface MetricsPeriodQuery {
  start_date?: string | undefined
  end_date?: string | undefined
  timezone?: string | undefined
  granularity?: Granularity | undefined
}

export interface MetricsPeriod {
  /** The range of the request, Unix ms. */
  start: number
  end: number
  granularity: Granularity
  /** Selects the counts of size `size` whose bucket begins at `since` or later and before `until` (Unix ms). */
  since: number
  until: number
  size: 'hour' | 'day'
  /** The length of a bucket in ms. */
  bucket: number
  /** The name of the period that contains a time: a date in the zone, with the hour when periods are hours. */
  nameOf(at: number): string
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Hourly counts are kept for 100 days. */
const MAX_HOURS = 100 * 24
const MAX_DAYS = 3 * 366

/** Throws a Refusal. */
export function readMetricsPeriod(asked: MetricsPeriodQuery, now: number): MetricsPeriod {
  const { timezone = 'UTC', granularity = 'daily' } = asked
  const format = formatOf(timezone)
  const end = asked.end_date === undefined ? now : timeOf('end_date', asked.end_date, format, true)
  const start =
    asked.start_date === undefined
      ? startOfDay(end - 6 * DAY, format)
      : timeOf('start_date', asked.start_date, format, false)
  if (start > end) throw invalidField('start_date', 'it is after the end')
  const byHour = granularity === 'hourly' || !isWholeDays(start, end, now) || !isUtc(format)
  const size = byHour ? 'hour' : 'day'
  const bucket = byHour ? HOUR : DAY
  const since = Math.floor(start / bucket) * bucket
  const until = (Math.floor((end - 1) / bucket) + 1) * bucket
  const most = byHour ? MAX_HOURS : MAX_DAYS
  if ((until - since) / bucket > most) {
    const limit = byHour
      ? 'hourly figures in a zone other than UTC go back 100 days'
      : 'figures go back three years'
    throw invalidField('start_date', `${limit}: ask for a shorter time`)
  }
  return {
    start,
    end,
    granularity,
    since,
    until,
    size,
    bucket,
    nameOf: (at) => nameOf(at, granularity, format),
  }
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      hourCycle: 'h23',
      ...{
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
      },
    })
  } catch {
    throw invalidField('timezone', 'it must be the name of a zone, such as `Europe/Berlin`')
  }
}

/** The local time of the zone, as if it were UTC: Unix ms. */
function wallClock(at: number, format: Intl.DateTimeFormat): number {
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  return Date.UTC(parts.year!, parts.month! - 1, parts.day, parts.hour, parts.minute, parts.second)
}

/** The time at which the zone's clock shows `wall`; a time close to it when the clock shows it twice or never. */
function timeAtWall(wall: number, format: Intl.DateTimeFormat): number {
  const first = wall - (wallClock(wall, format) - wall)
  return first + wall - wallClock(first, format)
}

function startOfDay(at: number, format: Intl.DateTimeFormat): number {
  return timeAtWall(Math.floor(wallClock(at, format) / DAY) * DAY, format)
}

/** A date stands for the beginning of the day in the zone; as the end of the range, for the end of the day. */
function timeOf(field: string, text: string, format: Intl.DateTimeFormat, isEnd: boolean): number {
  return parseTime(field, text, (day) => timeAtWall(day + (isEnd ? DAY : 0), format))
}

/** Whether counts of whole days cover the range exactly. An end at the present time counts as the end of its day. */
function isWholeDays(start: number, end: number, now: number): boolean {
  return start % DAY === 0 && (end % DAY === 0 || end >= now)
}

function isUtc(format: Intl.DateTimeFormat): boolean {
  return /^(?:Etc\/)?(?:UTC|GMT)$/.test(format.resolvedOptions().timeZone)
}

function nameOf(at: number, granularity: Granularity, format: Intl.DateTimeFormat): string {
  const wall = new Date(wallClock(at, format))
  if (granularity === 'hourly') return `${wall.toISOString().slice(0, 13)}:00:00`
  const day = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate())
  if (granularity === 'daily') return utcDay(day)
  if (granularity === 'monthly') return utcDay(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth()))
  // ISO 8601: a week begins on Monday.
  return utcDay(day - ((wall.getUTCDay() + 6) % 7) * DAY)
}
