import { Tooltip } from '@mantine/core'
import { useNow } from './now.ts'

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** A time relative to now. Hover or focus shows it exactly, in the viewer's time zone. */
export function Time({ at }: { at: string | null }) {
  const now = useNow()
  if (at === null) return <>never</>
  const date = new Date(at)
  return (
    <Tooltip label={`${EXACT.format(date)} (${at})`} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at}>{describeTime(date.getTime() - now, date)}</time>
    </Tooltip>
  )
}

const SECONDS = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const CLOCK = new Intl.DateTimeFormat(undefined, SECONDS)
const PRECISE_CLOCK = new Intl.DateTimeFormat(undefined, { ...SECONDS, fractionalSecondDigits: 3 })
const CLOCK_DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

/**
 * A time by the clock, with its day unless that is today, and relative to now beside it. `precise`: with milliseconds.
 */
export function ClockTime({ at, precise = false }: { at: string; precise?: boolean }) {
  const now = useNow()
  const date = new Date(at)
  const today = new Date(now).toDateString() === date.toDateString()
  return (
    <time dateTime={at} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {!today && `${CLOCK_DAY.format(date)}, `}
      {(precise ? PRECISE_CLOCK : CLOCK).format(date)} ({describeTime(date.getTime() - now, date)})
    </time>
  )
}

/** The viewer's time zone: `Europe/Berlin`. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

const STEPS = [
  ['second', 1_000, 60],
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', 86_400_000, 7],
] as const

function describeTime(ms: number, date: Date): string {
  for (const [unit, length, most] of STEPS) {
    const count = Math.round(ms / length)
    if (unit === 'second' && Math.abs(count) < 5) return ms > 0 ? 'now' : 'just now'
    if (Math.abs(count) < most) return RELATIVE.format(count, unit).replace('.', '')
  }
  return DAY.format(date)
}
