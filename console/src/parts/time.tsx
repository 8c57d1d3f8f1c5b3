import { Tooltip } from '@mantine/core'
import { useNow } from './now.ts'

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** A time relative to now. Hover or focus shows it exactly, in the viewer's time zone. */
export function Time({ at }: { at: string | null }) {
  const now = useNow()
  if (at === null) return <>Never</>
  const date = new Date(at)
  return (
    <Tooltip label={`${EXACT.format(date)} (${at})`} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at}>{describeTime(date.getTime() - now, date)}</time>
    </Tooltip>
  )
}

const STEPS = [
  ['second', 1_000, 60],
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, 7],
] as const

export function describeTime(ms: number, date: Date): string {
  const minutes = Math.round(ms / 60_000)
  // People wait for a time to come: "in 2 hr" could be half an hour too late.
  if (minutes >= 60 && minutes < 1_440) {
    return `in ${Math.floor(minutes / 60)} h${minutes % 60 > 0 ? ` ${minutes % 60} min` : ''}`
  }
  for (const [unit, length, most] of STEPS) {
    const count = Math.round(ms / length)
    if (unit === 'second' && Math.abs(count) < 5) return ms > 0 ? 'now' : 'just now'
    if (Math.abs(count) < most) return RELATIVE.format(count, unit).replace('.', '')
  }
  return DAY.format(date)
}
