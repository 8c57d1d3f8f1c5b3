import { ClockTime } from './clock-time.tsx'
import { useNow } from './now.ts'

/** Whether the time of a next step is past. */
export function useIsDue(at: string): boolean {
  return Date.parse(at) <= useNow()
}

/** The time of a next step; `due` once it is past. */
export function DueTime({ at }: { at: string }) {
  return useIsDue(at) ? <time dateTime={at}>due</time> : <ClockTime at={at} />
}
