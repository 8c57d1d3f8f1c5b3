import type { ReactNode } from 'react'
import { useNow } from './now.ts'
import { describeTime } from './time.tsx'

const SECONDS = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const CLOCK = new Intl.DateTimeFormat(undefined, SECONDS)
const PRECISE_CLOCK = new Intl.DateTimeFormat(undefined, { ...SECONDS, fractionalSecondDigits: 3 })
const CLOCK_DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

interface ClockProps {
  at: string
  precise?: boolean
}

/**
 * A time by the clock, with its day unless that is today, and relative to now beside it. `precise`: with milliseconds.
 */
export function ClockTime({ at, precise = false }: ClockProps) {
  const now = useNow()
  const date = new Date(at)
  return (
    <Clock at={at} precise={precise}>
      {' '}
      ({describeTime(date.getTime() - now, date)})
    </Clock>
  )
}

/** The same without the time relative to now. */
export function Clock({ at, precise = false, children }: ClockProps & { children?: ReactNode }) {
  const now = useNow()
  const date = new Date(at)
  const today = new Date(now).toDateString() === date.toDateString()
  return (
    <time dateTime={at} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {!today && `${CLOCK_DAY.format(date)}, `}
      {(precise ? PRECISE_CLOCK : CLOCK).format(date)}
      {children}
    </time>
  )
}

/** The viewer's time zone: `Europe/Berlin`. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
